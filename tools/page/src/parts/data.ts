// The document tilewise/trace/v1 in the form that pictures are drawn from. grading/trace/trace_json.hpp describes
// its schema.

import { tr } from "../language.ts";
import { counted } from "../numbers.ts";

export interface Matrix {
  name: string;
  rows: number;
  cols: number;
  ld: number;
  element_bytes: number;
  read_only: boolean;
  place: number;
  /** The number of its first element among the elements of all matrices. */
  first: number;
  /** The array has one dimension, and has rows only in the picture. */
  flat?: boolean;
}

export interface Finding {
  kind: string;
  message: string;
  file: string;
  line: number;
  other_file: string;
  other_line: number;
}

export type Action = "load" | "store" | "atomic";

export interface Request {
  /** Position in its block's list. */
  index: number;
  action: Action;
  shared: boolean;
  interval: number;
  step: number;
  warp: number;
  site: number;
  bytes: number;
  /** The lanes that take part, in order; `at` and `origins` are in the same order. */
  lanes: number[];
  cost: number;
  detail: number;
  matrix: number;
  at: number[];
  origins: number[];
  outside: number;
  racing: number;
}

export interface Block {
  number: number;
  index: number[];
  intervals: number;
  cut: boolean;
  requests: Request[];
}

export interface SharedArray {
  name: string;
  start: number;
  element_bytes: number;
  extents: number[];
}

export interface Site {
  file: string;
  line: number;
}

export interface Kernel {
  name: string;
  file: string;
  line: number;
  grid: number[];
  block: number[];
  sites: Site[];
  arrays: SharedArray[];
  partitions: number[][][] | null;
  blocks: Block[];
}

export interface Trace {
  stage: string;
  call: string;
  gpu: {
    id: string;
    name: string;
    compute: string;
    banks: number;
    half_warps: boolean;
    partitions: number;
  };
  matrices: Matrix[];
  sources: { file: string; lines: string[] }[];
  findings: Finding[];
  launches: number;
  kernels: Kernel[];
}

const actions: Action[] = ["load", "store", "atomic"];

/** Expands [first, step, count, ...] into the numbers that it stands for. */
export function unrolled(runs: number[] | 0): number[] {
  const numbers: number[] = [];
  if (runs === 0) return numbers;
  for (let i = 0; i < runs.length; i += 3) {
    for (let k = 0; k < runs[i + 2]; ++k) numbers.push(runs[i] + k * runs[i + 1]);
  }
  return numbers;
}

function lanesIn(bits: number): number[] {
  const lanes = [];
  for (let lane = 0; lane < 32; ++lane) if ((bits >>> lane) & 1) lanes.push(lane);
  return lanes;
}

export const hasLane = (bits: number, lane: number) => ((bits >>> lane) & 1) === 1;

function request(list: any[], index: number): Request {
  return {
    index,
    action: actions[list[0]],
    shared: list[1] === 1,
    interval: list[2],
    step: list[3],
    warp: list[4],
    site: list[5],
    bytes: list[6],
    lanes: lanesIn(list[7]),
    cost: list[8],
    detail: list[9],
    matrix: list[10],
    at: unrolled(list[11]),
    origins: unrolled(list[12]),
    outside: list[13],
    racing: list[14],
  };
}

/** Throws if the document is no trace. */
export function traceOf(json: any): Trace {
  if (json.schema !== "tilewise/trace/v1") throw new Error(tr("this page holds no trace"));
  let first = 0;
  for (const matrix of json.matrices) {
    matrix.first = first;
    first += matrix.rows * matrix.ld;
  }
  for (const kernel of json.kernels) {
    for (const block of kernel.blocks) {
      const [x, y, z] = block.index;
      block.number = (z * kernel.grid[1] + y) * kernel.grid[0] + x;
      block.requests = block.requests.map(request);
    }
  }
  return json;
}

/** The matrix that holds all the bytes from `byte` of device memory on. */
export const matrixAt = (trace: Trace, byte: number, bytes: number): Matrix | undefined =>
  trace.matrices.find(
    ({ place, rows, ld, element_bytes }) => byte >= place && byte + bytes <= place + rows * ld * element_bytes,
  );

export interface Element {
  matrix: number;
  row: number;
  col: number;
}

export function elementOf(matrices: Matrix[], number: number): Element {
  let matrix = matrices.length - 1;
  while (matrix > 0 && matrices[matrix].first > number) --matrix;
  const index = number - matrices[matrix].first;
  const { ld } = matrices[matrix];
  return { matrix, row: Math.floor(index / ld), col: index % ld };
}

export function elementName(matrices: Matrix[], { matrix, row, col }: Element): string {
  const { name, ld, flat } = matrices[matrix];
  return flat ? `${name}[${row * ld + col}]` : `${name}[${row}][${col}]`;
}

export const point = (index: number[]) => `(${index.slice(0, index[2] ? 3 : 2).join(", ")})`;

export function threadIndex(kernel: Kernel, thread: number): number[] {
  const [x, y] = kernel.block;
  return [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))];
}

export const threadsOf = (kernel: Kernel) => kernel.block[0] * kernel.block[1] * kernel.block[2];
export const blocksOf = (kernel: Kernel) => kernel.grid[0] * kernel.grid[1] * kernel.grid[2];

/** A request in words: "load from A", "store to shared memory". */
export function deed(trace: Trace, request: Request): string {
  const place = trace.matrices[request.matrix]?.place ?? 0;
  const touched = new Set(request.at.map((at) => matrixAt(trace, place + at, request.bytes)?.name ?? ""));
  const names = trace.matrices.map(({ name }) => name).filter((name) => touched.has(name));
  if (names.length === 0 && request.matrix >= 0) names.push(trace.matrices[request.matrix].name);
  const where = request.shared ? tr("shared memory") : names.join(tr(" and ")) || tr("memory");
  if (request.action === "load") return tr("load from {}", where);
  return request.action === "store" ? tr("store to {}", where) : tr("update of {}", where);
}

/** The share of the bytes moved that the threads asked for; null for shared memory. */
export const usedShare = (request: Request) =>
  request.shared || request.cost === 0 ? null : request.detail / (request.cost * 32);

export const wavefrontsInWords = (count: number) => counted(count, tr("1 wavefront"), tr("{} wavefronts", count));

export function costText(request: Request): string {
  if (request.shared) {
    const wavefronts = wavefrontsInWords(request.cost);
    return request.detail > 0 ? tr("{}, {} by conflicts", wavefronts, request.detail) : wavefronts;
  }
  const share = Math.round(1000 * (usedShare(request) ?? 0)) / 10;
  return tr("{}, {}% used", counted(request.cost, tr("1 sector"), tr("{} sectors", request.cost)), share);
}
