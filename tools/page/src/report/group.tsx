// Draws the tables and charts of a group of kernels, and of versions that are compared.

import { chartsOfComparison, chartsOfGroup } from "../bench/charts.ts";
import {
  type Comparison,
  type Line,
  type LineGroup,
  type Row,
  type Traffic,
  hasFigures,
  lastOf,
  ordersOf,
  rowAt,
  whereTaken,
} from "../bench/views.ts";
import { inLanguage, tr } from "../language.ts";
import { brief, percent, significant, withCommas } from "../numbers.ts";
import { Figures } from "./figures.tsx";
import type { Report } from "./page.tsx";
import { type Cell, type Column, Table, noFigure } from "./table.tsx";

const orNone = (value: number | null | undefined, text: (value: number) => string) =>
  value === null || value === undefined ? noFigure : text(value);

/** The first column of a group's tables. */
const subjectColumn = (group: LineGroup): Column => ({
  heading: group.function === "" ? tr("function") : tr("block"),
  text: true,
});

/** The GPU's peak in the unit of a row's rate; null if its profile does not give it. */
function peakOf(report: Report, row: Row): number | null {
  const inDoubles = report.stages.some(
    (stage) => stage.id === row.stage && stage.doubles.includes(row.function),
  );
  const { gpu } = report;
  const peak = row.unit === "GB/s" ? gpu.dram_gb_s : inDoubles ? gpu.peak_fp64_gflops : gpu.peak_fp32_gflops;
  return peak > 0 ? peak : null;
}

const shareOfPeak = (report: Report, row: Row) =>
  orNone(peakOf(report, row), (peak) => percent(row.rate / peak));

// --- What limits how many blocks an SM holds

const unlimited = 2147483647;

/** The names of all other resources also head columns, so they are in the catalogue already. */
const resourceInLanguage = (name: string) => (name === "the grid's size" ? tr("the grid's size") : inLanguage(name));

function OccupancyTable({ group }: { group: LineGroup }) {
  const lines = group.lines
    .map((line) => ({ name: line.name, row: lastOf(line, (row) => row.occupancy !== null) }))
    .filter(({ row }) => row !== undefined);
  const blocks = (limit: number) => (limit === unlimited ? tr("any") : withCommas(limit));
  const rows = lines.map(({ name, row }) => {
    const figures = row!.occupancy!;
    const warps = Math.ceil(figures.threads_per_block / 32);
    return [
      name,
      withCommas(figures.threads_per_block),
      withCommas(warps),
      withCommas(figures.shared_bytes_per_block),
      (figures.registers_from_nvcc ? "" : "~") + figures.registers_per_thread,
      blocks(figures.blocks_by_warps),
      blocks(figures.blocks_by_blocks),
      blocks(figures.blocks_by_registers),
      blocks(figures.blocks_by_shared),
      withCommas(figures.active_blocks),
      withCommas(figures.active_blocks * warps),
      `${brief(figures.percent)}%`,
      figures.limited_by.split(" and ").map(resourceInLanguage).join(tr(" and ")),
    ];
  });
  const holds = tr("blocks that an SM holds by its");
  const has = tr("a block has");
  const active = tr("active");
  return (
    <>
      <Table
        caption={
          group.function === ""
            ? tr("Theoretical occupancy, and what limits it")
            : tr("Theoretical occupancy of {}, and what limits it", group.function)
        }
        columns={[
          subjectColumn(group),
          { heading: tr("threads"), group: has },
          { heading: tr("warps"), group: has },
          { heading: tr("shared bytes"), group: has },
          { heading: tr("registers a thread") },
          { heading: tr("warps"), group: holds },
          { heading: tr("slots for blocks"), group: holds },
          { heading: tr("registers"), group: holds },
          { heading: tr("shared memory"), group: holds },
          { heading: tr("blocks"), group: active },
          { heading: tr("warps"), group: active },
          { heading: tr("occupancy") },
          { heading: tr("limited by"), text: true },
        ]}
        rows={rows}
        width="wide"
        joins
      />
      {lines.some(({ row }) => !row!.occupancy!.registers_from_nvcc) && (
        <p class="note">{tr("Registers with ~ are estimated, since there was no nvcc to ask.")}</p>
      )}
    </>
  );
}

// --- How often threads go to global memory

function AccessTable({ group }: { group: LineGroup }) {
  const elements = (traffic: Traffic | null, which: "loads" | "stores") =>
    orNone(traffic && Math.floor(traffic[which]), withCommas);
  const rows: Cell[][] = [];
  for (const line of group.lines) {
    const row = lastOf(line, (one) => one.counted !== null || one.by_formula !== null);
    if (!row) continue;
    const { counted, by_formula } = row;
    const comparable = counted && by_formula && by_formula.loads > 0;
    rows.push([
      line.name,
      withCommas(row.n),
      elements(by_formula, "loads"),
      elements(counted, "loads"),
      comparable ? (counted.loads / by_formula.loads).toFixed(2) : noFigure,
      elements(by_formula, "stores"),
      elements(counted, "stores"),
      orNone(row.cgma_by_formula, significant),
      orNone(row.cgma, significant),
    ]);
  }
  return (
    <Table
      caption={tr(
        "Elements of global memory that the threads load and store, by formula and as the simulator counts them; CGMA: operations an element",
      )}
      columns={[
        subjectColumn(group),
        { heading: "n" },
        { heading: tr("by formula"), group: tr("loads") },
        { heading: tr("counted"), group: tr("loads") },
        { heading: tr("ratio"), group: tr("loads") },
        { heading: tr("by formula"), group: tr("stores") },
        { heading: tr("counted"), group: tr("stores") },
        { heading: tr("by formula"), group: "CGMA" },
        { heading: tr("counted"), group: "CGMA" },
      ]}
      rows={rows}
      joins
    />
  );
}

// --- What came of it, over the orders

type Figure = (row: Row) => number | null;

function fastestAt(lines: Line[], n: number): Row | undefined {
  let best: Row | undefined;
  for (const line of lines) {
    const row = rowAt(line, n);
    if (row && hasFigures(row) && (!best || row.ms < best.ms)) best = row;
  }
  return best;
}

/** The uncertainty of a median that was measured while other programs ran: " ± 3%". */
const spreadOf = (row: Row) =>
  typeof row.uncertainty_pct === "number" ? ` ±\u00a0${brief(Number(row.uncertainty_pct.toPrecision(2)))}%` : "";

function cellOf(row: Row | undefined, figure: Figure, best: Row | undefined): Cell {
  if (!row) return noFigure;
  if (row.problem !== "") return { text: tr("failed"), mark: "wrong" };
  if (row.right === false) return { text: tr("wrong"), mark: "wrong" };
  const value = figure(row);
  if (value === null) return noFigure;
  const text = significant(value) + spreadOf(row);
  return row === best ? { text, mark: "best" } : text;
}

interface OverOrders {
  group: LineGroup;
  lines: Line[];
  caption: string;
  figure: Figure;
  /** Whether the figure of the fastest line at each order is highlighted. */
  markBest?: boolean;
  /** Additional columns, and their cell for a line. */
  more?: { column: Column; cell: (line: Line) => string }[];
}

function OverOrders({ group, lines, caption, figure, markBest = false, more = [] }: OverOrders) {
  const orders = ordersOf(group.lines);
  const best = orders.map((n) => (markBest ? fastestAt(group.lines, n) : undefined));
  return (
    <Table
      caption={caption}
      columns={[
        subjectColumn(group),
        ...orders.map((n) => ({ heading: `n\u00a0=\u00a0${n}` })),
        ...more.map((one) => one.column),
      ]}
      rows={lines.map((line) => [
        line.name as Cell,
        ...orders.map((n, i) => cellOf(rowAt(line, n), figure, best[i])),
        ...more.map((one) => one.cell(line)),
      ])}
      width={more.length > 0 ? undefined : "narrow"}
      joins
    />
  );
}

const anyHas = (lines: Line[], figure: Figure) =>
  lines.some((line) => line.rows.some((row) => hasFigures(row) && figure(row) !== null));

function ResultTables({ group, report }: { group: LineGroup; report: Report }) {
  const where = whereTaken(report.bench);
  const all = [...group.lines, ...group.others];
  const last = (line: Line) => lastOf(line, hasFigures);
  const unit = group.lines.map(last).find((row) => row)?.unit ?? tr("rate");
  const measured = group.lines.some((line) => line.rows.some((row) => row.gips_measured));
  return (
    <>
      <OverOrders
        group={group}
        lines={all}
        caption={tr("{}, {}; the fastest of each order in bold", unit, where)}
        figure={(row) => row.rate}
        markBest
        more={[
          {
            column: { heading: tr("of the peak") },
            cell: (line) => {
              const row = last(line);
              return row && row.contender !== "openblas" ? shareOfPeak(report, row) : noFigure;
            },
          },
          {
            column: { heading: tr("limited by (modelled)"), text: true },
            cell: (line) => last(line)?.limiter || noFigure,
          },
        ]}
      />
      <div class="tables">
        <OverOrders
          group={group}
          lines={all}
          caption={tr("Time of a call in ms, {}", where)}
          figure={(row) => row.ms}
          markBest
        />
        {anyHas(group.lines, (row) => row.gips) && (
          <OverOrders
            group={group}
            lines={group.lines}
            caption={
              measured
                ? tr("GIPS: 10⁹ instructions of warps a second, by Nsight Compute")
                : tr("GIPS: 10⁹ instructions of warps a second, modelled")
            }
            figure={(row) => row.gips}
          />
        )}
        {anyHas(group.lines, (row) => row.cgma) && (
          <OverOrders
            group={group}
            lines={group.lines}
            caption={tr("CGMA as counted: operations an element of global memory")}
            figure={(row) => row.cgma}
          />
        )}
      </div>
    </>
  );
}

export function Group({ group, report }: { group: LineGroup; report: Report }) {
  return (
    <>
      {group.function !== "" && (
        <h3>
          <code>{group.function}</code>
        </h3>
      )}
      <Figures charts={chartsOfGroup(group, report.gpu, whereTaken(report.bench))} />
      <ResultTables group={group} report={report} />
      <AccessTable group={group} />
      <OccupancyTable group={group} />
    </>
  );
}

// --- Versions side by side

const times = (rate: number, other: Row | undefined) =>
  other && other.rate > 0 ? significant(rate / other.rate) : noFigure;

function VersionsTable({ comparison, n, report }: { comparison: Comparison; n: number; report: Report }) {
  const rows = comparison.versions.map((line) => rowAt(line, n)!);
  return (
    <Table
      caption={tr(
        "Versions of {} at n = {}, each with its fastest block, {}",
        comparison.problem,
        n,
        whereTaken(report.bench),
      )}
      columns={[
        { heading: tr("version"), text: true },
        { heading: tr("block"), text: true },
        { heading: tr("time, ms") },
        { heading: rows[0].unit },
        { heading: tr("times the one before") },
        { heading: tr("times the first") },
        { heading: tr("of the peak") },
        ...comparison.libraries.map((library) => ({ heading: tr("of {}", library.name) })),
      ]}
      rows={rows.map((row, i) => [
        row.function,
        row.block || noFigure,
        significant(row.ms),
        significant(row.rate),
        times(row.rate, rows[i - 1]),
        times(row.rate, i > 0 ? rows[0] : undefined),
        shareOfPeak(report, row),
        ...comparison.libraries.map((library) => {
          const other = rowAt(library, n);
          return other && other.rate > 0 ? percent(row.rate / other.rate) : noFigure;
        }),
      ])}
    />
  );
}

export function Versions({ comparison, report }: { comparison: Comparison; report: Report }) {
  const { versions } = comparison;
  // The largest order that every version has figures for.
  const n = ordersOf(versions)
    .filter((order) => versions.every((line) => rowAt(line, order)))
    .pop();
  return (
    <>
      <h3>
        <code>{comparison.problem}</code>
      </h3>
      <Figures charts={chartsOfComparison(comparison, report.gpu, whereTaken(report.bench))} />
      {n === undefined ? (
        <p>{tr("The versions have no order in common, so each has its bar at its own largest one.")}</p>
      ) : (
        <VersionsTable comparison={comparison} n={n} report={report} />
      )}
    </>
  );
}
