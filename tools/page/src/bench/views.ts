// The results of `lab bench` (schema tilewise/bench/v1, grading/bench/bench_report.hpp), and views of them that
// charts and the lab report share.

import { inLanguage, marked, tr } from "../language.ts";

export interface Traffic {
  loads: number;
  stores: number;
}

export interface Occupancy {
  threads_per_block: number;
  registers_per_thread: number;
  registers_from_nvcc: boolean;
  shared_bytes_per_block: number;
  blocks_by_warps: number;
  blocks_by_blocks: number;
  blocks_by_registers: number;
  blocks_by_shared: number;
  active_blocks: number;
  percent: number;
  limited_by: string;
}

/** The part of a profiler's metrics (common/model/kernel_metrics.hpp) that pictures need. */
export interface Metrics {
  flop_count_dp: number;
  dram_read_bytes: number;
  dram_write_bytes: number;
  shared_bytes_moved: number;
}

export type Contender = "student" | "solution" | "previous" | "cublas" | "openblas" | "copy";

export interface Row {
  stage: string;
  function: string;
  block: string;
  contender: Contender;
  n: number;
  call: string;
  problem: string;
  not_written: boolean;
  /** The median time of a call. */
  ms: number;
  /** How far this time may be from the true median; only for calls on the CPU. */
  uncertainty_pct: number | null;
  rate: number;
  unit: string;
  right: boolean | null;
  gips: number | null;
  gips_measured: boolean;
  limiter: string;
  counted: Traffic | null;
  by_formula: Traffic | null;
  cgma: number | null;
  cgma_by_formula: number | null;
  occupancy: Occupancy | null;
  metrics: Metrics | null;
}

export interface Bench {
  modelled: boolean;
  device: string;
  command: string;
  date: string;
  inputs: string;
  rows: Row[];
}

/** Rows that belong together, one for each order, sorted by order. */
export interface Line {
  /** "tile 16", "transpose_naive", "cuBLAS" */
  name: string;
  rows: Row[];
}

/**
 * Lines that are shown together: the blocks of one function, if it has a choice of blocks; or the functions of one
 * stage that have no choice.
 */
export interface LineGroup {
  stage: string;
  /** Empty if the lines are several functions. */
  function: string;
  /** The subject's lines, including rows without figures. */
  lines: Line[];
  /** The fastest blocks of each other contender; only rows with figures. */
  others: Line[];
}

/** The versions of one problem, each with its fastest block; only rows with figures. */
export interface Comparison {
  /** "matmul" */
  problem: string;
  /** "matmul_shared tile 32" */
  versions: Line[];
  /** cuBLAS or a copy. */
  libraries: Line[];
}

const names: [Contender, string][] = [
  ["solution", marked("solution")],
  ["previous", marked("previous stage")],
  ["cublas", "cuBLAS"],
  ["openblas", marked("CPU, measured")],
  ["copy", marked("a copy")],
];

/** Whether a row says how fast a kernel is; a row with a wrong result does not. */
export const hasFigures = (row: Row) => row.problem === "" && row.right !== false && row.ms > 0;

/** Whose kernels the report is about: the student's, or the solutions if there are none of the student's. */
export const subjectOf = (bench: Bench): Contender =>
  bench.rows.some((row) => row.contender === "student") ? "student" : "solution";

/** "gtx1080 (modelled)", "NVIDIA H200 (measured)". */
export const whereTaken = (bench: Bench) => (bench.modelled ? bench.device : tr("{} (measured)", bench.device));

/** The row of an order. */
export const rowAt = (line: Line, n: number) => line.rows.find((row) => row.n === n);

/** The row of the largest order for which `has` holds. */
export function lastOf(line: Line, has: (row: Row) => boolean): Row | undefined {
  return line.rows.filter(has).pop();
}

/** The orders for which any line has a row, sorted. */
export function ordersOf(lines: Line[]): number[] {
  const orders = new Set<number>();
  for (const line of lines) for (const row of line.rows) orders.add(row.n);
  return [...orders].sort((a, b) => a - b);
}

/**
 * Sorts lines by their speed at their own largest order with figures, the fastest first. Lines whose largest order
 * is smaller come after the others.
 */
export function byRate(lines: Line[]): Line[] {
  const last = (line: Line) => lastOf(line, hasFigures);
  return lines
    .filter(last)
    .map((line, place) => ({ line, place, row: last(line)! }))
    .sort((a, b) => b.row.n - a.row.n || a.row.ms - b.row.ms || a.place - b.place)
    .map(({ line }) => line);
}

/** A contract function and all rows about it. */
interface Version {
  stage: string;
  function: string;
  rows: Row[];
}

function versionsOf(bench: Bench): Version[] {
  const versions: Version[] = [];
  for (const row of bench.rows) {
    if (row.n === 0 || row.call === "") continue;
    let version = versions.find((known) => known.stage === row.stage && known.function === row.function);
    if (!version) versions.push((version = { stage: row.stage, function: row.function, rows: [] }));
    version.rows.push(row);
  }
  return versions;
}

/** One line for each block that the contender chose among. */
function linesByBlock(version: Version, contender: Contender): Line[] {
  const lines: Line[] = [];
  for (const row of version.rows) {
    if (row.contender !== contender) continue;
    let line = lines.find((known) => known.name === row.block);
    if (!line) lines.push((line = { name: row.block, rows: [] }));
    if (!rowAt(line, row.n)) line.rows.push(row);
  }
  for (const line of lines) line.rows.sort((a, b) => a.n - b.n);
  return lines;
}

/** The fastest of a contender's blocks at each order. */
function lineOfBest(version: Version, contender: Contender, name: string): Line {
  const best = new Map<number, Row>();
  for (const row of version.rows) {
    if (row.contender !== contender || !hasFigures(row)) continue;
    const known = best.get(row.n);
    if (!known || row.ms < known.ms) best.set(row.n, row);
  }
  return { name, rows: [...best.values()].sort((a, b) => a.n - b.n) };
}

function linesOfOthers(version: Version, subject: Contender, nameFunction: boolean): Line[] {
  return names
    .filter(([contender]) => contender !== subject)
    .map(([contender, name]) => {
      const isVersion = contender === "solution" || contender === "previous";
      return lineOfBest(
        version,
        contender,
        nameFunction && isVersion ? tr("{} of {}", inLanguage(name), version.function) : inLanguage(name),
      );
    })
    .filter((line) => line.rows.length > 0);
}

/** The groups in the order of the report. Rows without a call are left out. */
export function groupsOf(bench: Bench): LineGroup[] {
  const subject = subjectOf(bench);
  const versions = versionsOf(bench);
  const groups: LineGroup[] = [];
  for (let begin = 0; begin < versions.length;) {
    const { stage } = versions[begin];
    let end = begin;
    while (end < versions.length && versions[end].stage === stage) ++end;
    const single: { version: Version; line: Line }[] = [];
    for (const version of versions.slice(begin, end)) {
      const lines = linesByBlock(version, subject);
      if (lines.length > 1) {
        groups.push({
          stage,
          function: version.function,
          lines,
          others: linesOfOthers(version, subject, false),
        });
      } else if (lines.length === 1) {
        single.push({ version, line: { name: version.function, rows: lines[0].rows } });
      }
    }
    if (single.length > 0) {
      const several = single.length > 1;
      const { version } = single[single.length - 1];
      groups.push({
        stage,
        function: several ? "" : version.function,
        lines: single.map(({ line }) => line),
        others: linesOfOthers(version, subject, several),
      });
    }
    begin = end;
  }
  return groups;
}

/** What a function computes, whatever the version: "matmul" for "matmul_shared". */
const problemOf = (name: string) => name.split("_")[0];

/** The problems that have several versions. */
export function comparisonsOf(bench: Bench): Comparison[] {
  const subject = subjectOf(bench);
  const comparisons: Comparison[] = [];
  for (const version of versionsOf(bench)) {
    const problem = problemOf(version.function);
    let comparison = comparisons.find((known) => known.problem === problem);
    if (!comparison) comparisons.push((comparison = { problem, versions: [], libraries: [] }));
    const [fastest] = byRate(linesByBlock(version, subject));
    if (fastest) {
      comparison.versions.push({
        name: version.function + (fastest.name === "" ? "" : ` ${fastest.name}`),
        rows: fastest.rows.filter(hasFigures),
      });
    }
    for (const [library, name] of names) {
      if (library !== "cublas" && library !== "copy") continue;
      const line = lineOfBest(version, library, inLanguage(name));
      if (line.rows.length === 0) continue;
      comparison.libraries = comparison.libraries.filter((known) => known.name !== line.name).concat(line);
    }
  }
  return comparisons.filter((one) => one.versions.length > 1);
}
