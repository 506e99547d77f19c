// Makes the charts of what `lab bench` found.

import { tr } from "../language.ts";
import type { Axis, Chart, Point, Series } from "../chart.tsx";
import type { Ladder, Rung } from "../ladder.tsx";
import type { RoofPoint, Roofline, Roofs } from "../roofline.tsx";
import {
  type Bench,
  type Comparison,
  type Line,
  type LineGroup,
  type Row,
  byRate,
  comparisonsOf,
  groupsOf,
  hasFigures,
  lastOf,
  ordersOf,
  rowAt,
  whereTaken,
} from "./views.ts";

export type AnyChart = ({ kind: "lines" } & Chart) | ({ kind: "roofline" } & Roofline) | ({ kind: "ladder" } & Ladder);

/** A chart, and the name of its file without ".svg". */
export interface NamedChart {
  name: string;
  chart: AnyChart;
}

/** The roofs of a GPU, from its profile. */
export interface RoofsOfGpu {
  name: string;
  peak_fp32_gflops: number;
  /** 0 if there is none, or it is not documented. */
  peak_fp64_gflops: number;
  dram_gb_s: number;
  shared_gb_s: number;
}

/** The quantity of a row that a chart shows. */
interface Quantity {
  /** In the file's name. */
  name: string;
  /** In the chart's title. */
  title: string;
  axis: Axis;
  figure: (row: Row) => number | null;
  /** Whether it is also shown for other contenders, such as cuBLAS. */
  ofOthers: boolean;
}

function unitOf(lines: Line[]): string {
  for (const line of lines) {
    const row = line.rows.find(hasFigures);
    if (row) return row.unit;
  }
  return "";
}

const rateIn = (unit: string): Quantity => ({
  name: "rate",
  title: unit,
  axis: { label: unit, logarithmic: false },
  figure: (row) => row.rate,
  ofOthers: true,
});

const quantities = (unit: string): Quantity[] => [
  rateIn(unit),
  {
    name: "time",
    title: tr("time"),
    axis: { label: tr("time (ms)"), logarithmic: true },
    figure: (row) => row.ms,
    ofOthers: true,
  },
  {
    name: "cgma",
    title: "CGMA",
    axis: { label: tr("CGMA (operations an element)"), logarithmic: false },
    figure: (row) => row.cgma,
    ofOthers: false,
  },
  {
    name: "gips",
    title: "GIPS",
    axis: { label: tr("GIPS (10⁹ warp instructions a second)"), logarithmic: false },
    figure: (row) => row.gips,
    ofOthers: false,
  },
];

/** Nobody can follow more lines than these; the others are hidden until the reader chooses them. */
const mostLines = 5;

function seriesOf(lines: Line[], quantity: Quantity, shown = lines): Series[] {
  return lines
    .map((line) => {
      const points = line.rows.filter(hasFigures).map((row) => ({ x: row.n, y: quantity.figure(row) }));
      return {
        name: line.name,
        points: points.filter((point): point is Point => point.y !== null),
        waits: !shown.includes(line),
      };
    })
    .filter((series) => series.points.length > 0);
}

/** Whether the largest coordinate is at least `times` the smallest. */
function spans(lines: Series[], coordinate: "x" | "y", times: number): boolean {
  const values = ([] as number[]).concat(
    ...lines.map((line) => line.points.map((point) => point[coordinate])),
  );
  const least = Math.min(...values);
  return values.length > 0 && least > 0 && Math.max(...values) >= times * least;
}

export const orderAxis = () => tr("order n");

/** Orders that double need an axis on which a doubling is a step. */
const axisOfOrders = (lines: Series[]): Axis => ({ label: orderAxis(), logarithmic: spans(lines, "x", 4) });

/** The fastest lines, in their original order. */
function fastestOf(lines: Line[]): Line[] {
  const fastest = byRate(lines).slice(0, mostLines);
  return lines.filter((line) => fastest.includes(line));
}

function subjectOf(group: LineGroup, shown: number): string {
  if (group.function === "") return tr("stage {}", group.stage);
  const all = byRate(group.lines).length;
  return shown === all ? group.function : tr("{}, {} fastest of {}", group.function, shown, all);
}

// --- Rooflines


/** A line's call of the largest order that it has figures for; empty if the call computes nothing. */
function roofPointOf(line: Line, waits: boolean): RoofPoint[] {
  const row = lastOf(line, (one) => hasFigures(one) && one.metrics !== null);
  if (!row || row.unit !== "GFLOPS") return [];
  const operations = row.rate * row.ms * 1e6;
  const metrics = row.metrics!;
  const intensity = (bytes: number) => (bytes > 0 ? operations / bytes : null);
  const name = `${line.name === "" ? row.function : line.name}, n = ${row.n}`;
  return [
    {
      name,
      gflops: row.rate,
      dram: intensity(metrics.dram_read_bytes + metrics.dram_write_bytes),
      shared: intensity(metrics.shared_bytes_moved),
      waits,
    },
  ];
}

function rooflineOf(
  lines: Line[],
  shown: Line[],
  gpu: RoofsOfGpu,
  title: string,
): AnyChart | null {
  const points = ([] as RoofPoint[]).concat(...lines.map((line) => roofPointOf(line, !shown.includes(line))));
  const doubles = inDoubles(lines);
  const peak = doubles ? gpu.peak_fp64_gflops : gpu.peak_fp32_gflops;
  if (points.every(({ dram, shared }) => dram === null && shared === null) || peak === 0) return null;
  const roofs: Roofs = {
    gpu: gpu.name,
    peak_gflops: peak,
    dram_gb_s: gpu.dram_gb_s,
    shared_gb_s: gpu.shared_gb_s,
  };
  return { kind: "roofline", title, roofs, points };
}

const inDoubles = (lines: Line[]) =>
  lines.some((line) => line.rows.some((row) => row.metrics !== null && row.metrics.flop_count_dp > 0));

/**
 * Draws rate, time, CGMA and GIPS against n, as put2014 does, and the roofline. Each line of the group is drawn, or
 * the fastest if there are many; the other contenders on the GPU are drawn, too, except for CGMA and GIPS. Charts
 * without points of the subject are left out.
 */
export function chartsOfGroup(group: LineGroup, gpu: RoofsOfGpu, where: string): NamedChart[] {
  const lines = fastestOf(group.lines);
  const what = subjectOf(group, lines.length);
  const name = group.stage + (group.function === "" ? "" : `-${group.function}`);
  // The chart's title names the GPU, so lines of the CPU are left out.
  const others = group.others.filter((line) => line.rows[0].contender !== "openblas");
  const charts: NamedChart[] = [];
  for (const quantity of quantities(unitOf(lines))) {
    const own = seriesOf(group.lines, quantity, lines);
    if (own.length === 0) continue;
    const series = own.concat(quantity.ofOthers ? seriesOf(others, quantity) : []);
    charts.push({
      name: `${name}-${quantity.name}`,
      chart: {
        kind: "lines",
        title: `${what}: ${quantity.title}, ${where}`,
        x: axisOfOrders(series),
        y: quantity.axis,
        series,
        size: "half",
      },
    });
  }
  const previous = others.filter((line) => line.rows[0].contender === "previous");
  const title = tr("{}: roofline, {}", what, where);
  const below = group.lines.concat(previous);
  const roofline = charts.length > 0 ? rooflineOf(below, lines.concat(previous), gpu, title) : null;
  if (roofline) charts.splice(1, 0, { name: `${name}-roofline`, chart: roofline });
  return charts;
}

/**
 * The rates of all versions, each at the largest order that all have, or else at its own largest one; and the
 * roofline of all versions.
 */
export function chartsOfComparison(comparison: Comparison, gpu: RoofsOfGpu, where: string): NamedChart[] {
  const { problem, versions, libraries } = comparison;
  const common = ordersOf(versions)
    .filter((n) => versions.every((line) => rowAt(line, n)))
    .pop();
  const rungsOf = (lines: Line[], aside: boolean): Rung[] =>
    lines.map((line) => {
      const row = (common === undefined ? undefined : rowAt(line, common)) ?? lastOf(line, hasFigures)!;
      return { name: line.name, value: row.rate, note: `n = ${row.n}`, aside };
    });
  const title = tr("All versions, each with its fastest block, {}", where);
  const charts: NamedChart[] = [
    {
      name: `versions-${problem}`,
      chart: {
        kind: "ladder",
        title,
        unit: unitOf(versions),
        rungs: rungsOf(versions, false).concat(rungsOf(libraries, true)),
      },
    },
  ];
  const rooflineTitle = tr("Roofline of all versions, each with its fastest block, {}", where);
  const roofline = rooflineOf(versions, versions, gpu, rooflineTitle);
  if (roofline) charts.push({ name: `versions-${problem}-roofline`, chart: roofline });
  return charts;
}

export function chartsOf({ bench, gpu }: { bench: Bench; gpu: RoofsOfGpu }): NamedChart[] {
  const where = whereTaken(bench);
  return ([] as NamedChart[]).concat(
    ...groupsOf(bench).map((group) => chartsOfGroup(group, gpu, where)),
    ...comparisonsOf(bench).map((comparison) => chartsOfComparison(comparison, gpu, where)),
  );
}
