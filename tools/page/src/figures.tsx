// Draws the figures of a trace for the handouts.

import type { ComponentChildren } from "preact";
import { At, type Drawn, Refusal } from "./drawing.tsx";
import { tr } from "./language.ts";
import { fileOf } from "./file.tsx";
import { conflictText, drawBanks, wavefronts, wordsWanted } from "./parts/banks.tsx";
import {
  type Block,
  type Kernel,
  type Request,
  type Trace,
  point,
  threadIndex,
  traceOf,
} from "./parts/data.ts";
import { type Elements, drawElements, laterResults, layOut, whole } from "./parts/matrices.tsx";
import { drawPartitions } from "./parts/partitions.tsx";
import { drawSectors } from "./parts/sectors.tsx";
import { touched } from "./parts/touched.ts";

/**
 * The parts of a trace that a figure shows. By default these are the first block, the first
 * intervals in which the block loads and uses elements, two threads, and the request that costs
 * most.
 */
export interface FigureChoice {
  view: "matrices" | "sectors" | "banks" | "partitions";
  intervals: [number, number] | null;
  /** x, y */
  threads: [number, number][];
  /** The most blocks of a grid whose partitions are known. */
  most_blocks: number;
}

// --- What figures have in common

/** The width of a text in a wide font; pages differ in their fonts. */
const widthOf = (text: string, letter: number) => letter * text.length;

/** Puts two lines at the head, which say what is shown and where, and the parts below each other. */
function stacked(title: string, where: string, parts: Drawn[]): Drawn {
  const placed: ComponentChildren[] = [];
  let y = 50;
  for (const part of parts) {
    placed.push(
      <At x={0} y={y}>
        {part.content}
      </At>,
    );
    y += part.height + 12;
  }
  const content = (
    <>
      <text class="big" y={14}>
        {title}
      </text>
      <text class="soft" y={34}>
        {where}
      </text>
      {placed}
    </>
  );
  const width = Math.max(widthOf(title, 10), widthOf(where, 7), ...parts.map((part) => part.width));
  return { width, height: y - 12, content };
}

const textLine = (text: string, looks: string, letter = 7): Drawn => ({
  width: widthOf(text, letter),
  height: 16,
  content: (
    <text class={looks} y={12}>
      {text}
    </text>
  ),
});

/** A row of symbols with their meanings. */
function legend(entries: [symbol: ComponentChildren, text: string][]): Drawn {
  let x = 0;
  const content = entries.map(([symbol, text]) => {
    const entry = (
      <At x={x} y={0}>
        {symbol}
        <text class="soft" x={20} y={12}>
          {text}
        </text>
      </At>
    );
    x += 20 + widthOf(text, 7) + 16;
    return entry;
  });
  return { width: x, height: 16, content };
}

const square = (looks: string) => <rect class={looks} y={1} width={13} height={13} />;

/** Draws the requests of all lanes in one colour. */
const inColour = (of: Drawn): Drawn => ({ ...of, content: <g class="t0">{of.content}</g> });

/** A request, and where it was found. */
interface Found {
  kernel: Kernel;
  block: Block;
  request: Request;
}

/**
 * Whether `a` is the more interesting request: the one that costs more; at the same cost the load, because threads
 * wait for it; of two loads the one from more places.
 */
function outweighs(a: Request, b: Request): boolean {
  const places = (request: Request) => new Set(request.at).size;
  if (a.cost !== b.cost) return a.cost > b.cost;
  const [loads, others] = [a.action === "load", b.action === "load"];
  return loads !== others ? loads : places(a) > places(b);
}

/**
 * The request to device or shared memory that costs most, in the first kernel that makes any; the first one of
 * several.
 */
function costliest(trace: Trace, choice: FigureChoice, shared: boolean): Found {
  const { intervals } = choice;
  for (const kernel of trace.kernels) {
    let found: Found | undefined;
    for (const block of kernel.blocks) {
      for (const request of block.requests) {
        const wanted = !intervals || (request.interval >= intervals[0] && request.interval <= intervals[1]);
        if (!wanted || request.shared !== shared || (!shared && request.matrix < 0)) continue;
        if (!found || outweighs(request, found.request)) found = { kernel, block, request };
      }
    }
    if (found) return found;
  }
  const when = intervals ? tr(" in these intervals") : "";
  throw new Refusal(
    shared
      ? tr("{} makes no request to shared memory{}; there is nothing to draw.", trace.call, when)
      : tr("{} makes no request to device memory{}; there is nothing to draw.", trace.call, when),
  );
}

/** The line of source that a request comes from. */
function sourceOf(trace: Trace, { kernel, request }: Found): string {
  const site = kernel.sites[request.site];
  const source = trace.sources.find((one) => one.file === site.file);
  return source?.lines[site.line - 1]?.trim() ?? "";
}

function placeOf({ kernel, block, request }: Found): string {
  const site = kernel.sites[request.site];
  return tr(
    "Warp {} of block {}, interval {}, {}",
    request.warp,
    point(block.index),
    request.interval,
    `${site.file}:${site.line}`,
  );
}

// --- The views

/** The intervals up to the first that uses loaded elements; only the first interval if there is none. */
function tellingIntervals(block: Block): [number, number] {
  const uses = block.requests.find(
    (request) => request.shared && request.action === "load" && request.origins.some((origin) => origin >= 0),
  );
  return [0, uses ? uses.interval : 0];
}

function describeIntervals(block: Block, [first, last]: [number, number]): string {
  if (block.intervals <= 1) return tr("from beginning to end");
  if (first === last) return tr("in interval {}, of {}", first, block.intervals);
  return tr("in intervals {} to {}, of {}", first, last, block.intervals);
}

function chosenThreads(kernel: Kernel, { threads }: FigureChoice): number[] {
  const [x, y] = kernel.block;
  const most = 4; // the number of colours for threads
  for (const [tx, ty] of threads) {
    if (tx >= x || ty >= y) throw new Refusal(tr("there is no thread ({}, {}) in a block of {} x {}", tx, ty, x, y));
  }
  if (threads.length > most) throw new Refusal(tr("a figure has colours for {} threads", most));
  if (threads.length > 0) return threads.map(([tx, ty]) => ty * x + tx);
  return x * y > 1 ? [0, x * y - 1] : [0];
}

/** The meanings of the symbols that a figure of matrices contains. */
function legendsOf(elements: Elements): Drawn[] {
  const { kernel, threads, now } = elements;
  const who = threads.map((thread, i): [ComponentChildren, string] => [
    square(`swatch t${i}`),
    tr("thread {}", point(threadIndex(kernel, thread))),
  ]);
  const what: [ComponentChildren, string][] = [];
  const [loads, writes] = [now.load.size > 0, now.write.size > 0];
  if (loads || writes) {
    const deed =
      loads && writes
        ? tr("loads from, or writes to, global memory")
        : loads
          ? tr("loads from global memory")
          : tr("writes to global memory");
    what.push([square("swatch t0"), deed]);
  }
  if (laterResults(elements).length > 0) {
    what.push([
      <rect class="swatch-line t0" x={1} y={2} width={11} height={11} />,
      tr("its results, written later"),
    ]);
  }
  if (now.use.size > 0) {
    what.push([<circle class="swatch t0" cx={6.5} cy={7.5} r={4} />, tr("uses from shared memory")]);
  }
  return [legend([...who, [square("swatch others"), tr("others of the block")]]), legend(what)];
}

function matricesFigure(trace: Trace, choice: FigureChoice): string {
  const kernel = trace.kernels.find((one) => one.blocks.length > 0);
  if (!kernel) throw new Refusal(tr("{} has left nothing to draw.", trace.call));
  const [block] = kernel.blocks;
  const threads = chosenThreads(kernel, choice);
  const intervals = choice.intervals ?? tellingIntervals(block);
  const layout = layOut(trace.matrices, trace.matrices.map(whole));
  const longest = Math.max(...trace.matrices.map((matrix) => Math.max(matrix.rows, matrix.cols)));
  const cell = Math.max(6, Math.min(Math.floor(384 / longest), 24));
  const elements: Elements = {
    trace,
    kernel,
    layout,
    threads,
    now: touched(trace, block, intervals[0], intervals[1], null),
    ever: touched(trace, block, 0, block.intervals, null),
    unit: 13 / cell,
  };
  const { width, height, content } = drawElements(elements);
  const plan: Drawn = {
    width: width * cell,
    height: (height - 1) * cell,
    content: <g transform={`scale(${cell})`}>{content}</g>,
  };
  const where = tr(
    "{} {}, block {} of {} x {}",
    kernel.name,
    describeIntervals(block, intervals),
    point(block.index),
    kernel.grid[0],
    kernel.grid[1],
  );
  return fileOf(
    stacked(trace.call, where, [plan, ...legendsOf(elements)]),
    tr("{}: elements that threads load, use and write. {}", trace.call, where),
  );
}

function sectorsFigure(trace: Trace, choice: FigureChoice): string {
  const found = costliest(trace, choice, false);
  const { request } = found;
  const moved = 32 * request.cost;
  const values = [
    request.lanes.length,
    request.detail,
    trace.matrices[request.matrix].name,
    request.cost,
    ((100 * request.detail) / moved).toFixed(1),
    moved,
  ];
  const told =
    request.action === "load"
      ? tr("{} lanes load {} bytes of {}; {} sectors of 32 bytes move: {}% of {} bytes are used.", ...values)
      : tr("{} lanes store {} bytes of {}; {} sectors of 32 bytes move: {}% of {} bytes are used.", ...values);
  const parts = [
    textLine(sourceOf(trace, found), "mono", 8),
    textLine(told, "bold", 8),
    inColour(drawSectors(trace, request, [], 6)),
    legend([
      [<g class="sectors t0">{square("used")}</g>, tr("4 bytes that this lane asked for")],
      [<g class="sectors">{square("wasted")}</g>, tr("4 bytes moved for nothing")],
    ]),
  ];
  return fileOf(
    stacked(trace.call, placeOf(found), parts),
    tr("{}: {} sectors moved by one request", trace.call, request.cost),
  );
}

function banksFigure(trace: Trace, choice: FigureChoice): string {
  const found = costliest(trace, choice, true);
  const { request } = found;
  const values = [request.lanes.length, wordsWanted(request), wavefronts(request), conflictText(request)];
  const told =
    request.action === "load"
      ? tr("{} lanes load {} words: {}, {}.", ...values)
      : tr("{} lanes store {} words: {}, {}.", ...values);
  const parts = [
    textLine(sourceOf(trace, found), "mono", 8),
    textLine(told, request.detail > 0 ? "bold conflict" : "bold", 8),
    inColour(drawBanks(trace, found.kernel, request, [], 22)),
    textLine(
      tr(
        "A number is the lane that wants the word, x8 that eight lanes share it. A row is what the banks hold at one address.",
      ),
      "soft",
    ),
  ];
  return fileOf(
    stacked(trace.call, placeOf(found), parts),
    tr("{}: {} wavefronts for one request to shared memory", trace.call, request.cost),
  );
}

function partitionsFigure(trace: Trace, choice: FigureChoice): string {
  const mostBlocks = 16;
  const all = trace.kernels
    .map((kernel) => kernel.partitions)
    .find((partitions) => partitions !== null && partitions.length > 0);
  if (!all) {
    throw new Refusal(
      tr(
        "{} spreads addresses over its memory in a way that is not known, or the grid of {} is too large; partitions are drawn with --gpu gtx280, for grids of at most {} blocks.",
        trace.gpu.name,
        trace.call,
        choice.most_blocks,
      ),
    );
  }
  const blocks = all.slice(0, mostBlocks);
  const where = tr("{}: bytes by DRAM partition, the first {} of {} blocks", trace.gpu.name, blocks.length, all.length);
  return fileOf(
    stacked(trace.call, where, [drawPartitions(blocks)]),
    tr("{}: bytes that the first blocks move from and to each partition", trace.call),
  );
}

/** The text of a figure's file. */
export function figureFile(document: { trace: unknown; choice: FigureChoice }): string {
  const trace = traceOf(document.trace);
  const { choice } = document;
  switch (choice.view) {
    case "sectors":
      return sectorsFigure(trace, choice);
    case "banks":
      return banksFigure(trace, choice);
    case "partitions":
      return partitionsFigure(trace, choice);
    default:
      return matricesFigure(trace, choice);
  }
}
