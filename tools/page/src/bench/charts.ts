// The charts of what `lab bench` found.

import type { Axis, Chart, Point, Series } from "../chart.tsx";
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
  whereTaken,
} from "./views.ts";

/** A chart, and what its file is called without ".svg". */
export interface NamedChart {
  name: string;
  chart: Chart;
}

/** What a chart shows of a row. */
interface Quantity {
  /** Of the file. */
  name: string;
  /** In the chart's title. */
  title: string;
  axis: Axis;
  figure: (row: Row) => number | null;
  /** Of cuBLAS and the like, too. */
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
    title: "time",
    axis: { label: "time (ms)", logarithmic: true },
    figure: (row) => row.ms,
    ofOthers: true,
  },
  {
    name: "cgma",
    title: "CGMA",
    axis: { label: "CGMA (operations an element)", logarithmic: false },
    figure: (row) => row.cgma,
    ofOthers: false,
  },
  {
    name: "gips",
    title: "GIPS",
    axis: { label: "GIPS (10⁹ instructions of warps a second)", logarithmic: false },
    figure: (row) => row.gips,
    ofOthers: false,
  },
];

/** More lines than that nobody can follow, nor, in half a page's width, more than seven. */
const mostLines = 8;
const mostInHalfWidth = 7;

function seriesOf(lines: Line[], quantity: Quantity): Series[] {
  return lines
    .map(({ name, rows }) => {
      const points = rows.filter(hasFigures).map((row) => ({ x: row.n, y: quantity.figure(row) }));
      return { name, points: points.filter((point): point is Point => point.y !== null) };
    })
    .filter((series) => series.points.length > 0);
}

/** Whether the largest is so many times the smallest. */
function spans(lines: Series[], coordinate: "x" | "y", times: number): boolean {
  const values = ([] as number[]).concat(
    ...lines.map((line) => line.points.map((point) => point[coordinate])),
  );
  const least = Math.min(...values);
  return values.length > 0 && least > 0 && Math.max(...values) >= times * least;
}

/** Orders that double want an axis on which doubling is a step. */
const axisOfOrders = (lines: Series[]): Axis => ({ label: "order n", logarithmic: spans(lines, "x", 4) });

/** The fastest lines of many, in the order of all. */
function fastestOf(lines: Line[]): Line[] {
  const fastest = byRate(lines).slice(0, mostLines);
  return lines.filter((line) => fastest.includes(line));
}

function subjectOf(group: LineGroup, shown: number): string {
  if (group.function === "") return `stage ${group.stage}`;
  const all = byRate(group.lines).length;
  return shown === all ? group.function : `${group.function}, ${shown} fastest of ${all}`;
}

/**
 * Rate, time, CGMA and GIPS against n, as put2014 draws them, with a line for each of the group's (of many
 * the fastest) and, but for CGMA and GIPS, for the other contenders on the GPU. Charts without points of the subject are
 * left out.
 */
export function chartsOfGroup(group: LineGroup, where: string): NamedChart[] {
  const lines = fastestOf(group.lines);
  const what = subjectOf(group, lines.length);
  const name = group.stage + (group.function === "" ? "" : `-${group.function}`);
  // What ran on the CPU the chart's title does not speak of.
  const others = group.others.filter((line) => line.rows[0].contender !== "openblas");
  const charts: NamedChart[] = [];
  for (const quantity of quantities(unitOf(lines))) {
    const own = seriesOf(lines, quantity);
    if (own.length === 0) continue;
    const series = own.concat(quantity.ofOthers ? seriesOf(others, quantity) : []);
    charts.push({
      name: `${name}-${quantity.name}`,
      chart: {
        title: `${what}: ${quantity.title}, ${where}`,
        x: axisOfOrders(series),
        y: quantity.axis,
        series,
        size: own.length > mostInHalfWidth ? "whole" : "half",
      },
    });
  }
  return charts;
}

/** The rates of all versions. */
export function chartOfComparison(comparison: Comparison, where: string): NamedChart {
  const rate = rateIn(unitOf(comparison.versions));
  const versions = seriesOf(comparison.versions, rate);
  const series = versions.concat(seriesOf(comparison.libraries, rate));
  return {
    name: `versions-${comparison.problem}`,
    chart: {
      title: `All versions, each with its fastest block, ${where}`,
      x: axisOfOrders(series),
      // From one block to thousands of GFLOPS: else the slower versions would lie on the ground.
      y: { ...rate.axis, logarithmic: spans(versions, "y", 20) },
      series,
      size: "whole",
    },
  };
}

export function chartsOf(bench: Bench): NamedChart[] {
  const where = whereTaken(bench);
  const charts = ([] as NamedChart[]).concat(...groupsOf(bench).map((group) => chartsOfGroup(group, where)));
  return charts.concat(comparisonsOf(bench).map((comparison) => chartOfComparison(comparison, where)));
}
