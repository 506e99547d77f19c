// Draws one request to shared memory: which lane wants which word of which bank.

import { type Drawn, px } from "../drawing.tsx";
import { tr } from "../language.ts";
import { counted } from "../numbers.ts";
import { type Kernel, type Request, type Trace, hasLane, wavefrontsInWords } from "./data.ts";

/** The name of the element at a word, such as "As[3][0]". */
function wordName(kernel: Kernel, word: number): string {
  const byte = word * 4;
  const array = kernel.arrays.filter((one) => one.start <= byte).pop();
  if (!array) return tr("byte {}", byte);
  let index = Math.floor((byte - array.start) / array.element_bytes);
  let name = "";
  for (let i = array.extents.length - 1; i >= 0; --i) {
    const extent = Math.max(1, array.extents[i]);
    name = `[${i === 0 ? index : index % extent}]${name}`;
    index = Math.floor(index / extent);
  }
  return array.name + name;
}

/** The lanes that want each word of memory. */
export function lanesByWord(request: Request, base: number): Map<number, number[]> {
  const lanesOf = new Map<number, number[]>();
  request.at.forEach((at, nth) => {
    for (let byte = base + at; byte < base + at + request.bytes; byte += 4) {
      const word = Math.floor(byte / 4);
      lanesOf.set(word, [...(lanesOf.get(word) ?? []), request.lanes[nth]]);
    }
  });
  return lanesOf;
}

/** The rows of `words` words that are touched, in ascending order. */
export function rowsOf(lanesOf: Map<number, number[]>, words: number): number[] {
  const rows = new Set([...lanesOf.keys()].map((word) => Math.floor(word / words)));
  return [...rows].sort((a, b) => a - b);
}

/**
 * The banks that must deliver several words at once; on compute capability 1.x, to a half-warp.
 * Wide accesses take several turns, but this is no conflict.
 */
function banksInConflict(trace: Trace, request: Request, lanesOf: Map<number, number[]>): Set<number> {
  const busy = new Set<number>();
  if (request.detail === 0) return busy;
  const lanesAtOnce = trace.gpu.half_warps ? 16 : 32;
  for (let first = 0; first < 32; first += lanesAtOnce) {
    const seen = new Set<number>();
    for (const [word, lanes] of lanesOf) {
      if (!lanes.some((lane) => lane >= first && lane < first + lanesAtOnce)) continue;
      const bank = word % trace.gpu.banks;
      if (seen.has(bank)) busy.add(bank);
      seen.add(bank);
    }
  }
  return busy;
}

/** "lane 3", "lanes 3, 4" */
export const namedLanes = (lanes: number[]) =>
  counted(lanes.length, tr("lane {}", lanes.join(", ")), tr("lanes {}", lanes.join(", ")));

/** "1 lane", "32 lanes" */
export const lanesInWords = (count: number) => counted(count, tr("1 lane"), tr("{} lanes", count));

/** The lane that wants a word, or how many share it. */
export const laneText = (lanes: number[]) => (lanes.length > 1 ? `x${lanes.length}` : String(lanes[0]));

/** "x16" needs narrower letters than "x8". */
export const laneLooks = (lanes: number[]) => (lanes.length > 9 ? "mid tight" : "mid");

export const wavefronts = (request: Request) => wavefrontsInWords(request.cost);

export const conflictText = (request: Request) =>
  request.detail > 0 ? tr("{} of them by bank conflicts", request.detail) : tr("no bank conflict");

/** The number of words that the lanes want. */
export const wordsWanted = (request: Request) => lanesByWord(request, 0).size;

/**
 * Draws the banks and their words. A row shows the words that the banks hold at one address.
 * @param threads chosen ones, in the order of their colours
 * @param cell how wide a bank is
 */
export function drawBanks(
  trace: Trace,
  kernel: Kernel,
  request: Request,
  threads: number[],
  cell: number,
): Drawn {
  const { banks } = trace.gpu;
  const lanesOf = lanesByWord(request, 0);
  const rows = rowsOf(lanesOf, banks);
  const busy = banksInConflict(trace, request, lanesOf);
  const size = Math.min(11, px(0.6 * cell));
  const rowHeight = px(size * 1.6);
  const names = rows.map((row) => wordName(kernel, row * banks));
  const left = Math.ceil(0.62 * size * Math.max(4, ...names.map((name) => name.length))) + 10;
  const numbers = Array.from({ length: banks }, (_, bank) => bank);
  const content = (
    <g class="banks" font-size={size}>
      <text class="soft end" x={left - 8} y={size}>
        {tr("bank")}
      </text>
      {numbers.map((bank) => (
        <text
          key={bank}
          class={`bank mid ${busy.has(bank) ? "conflict" : "soft"}`}
          x={px(left + (bank + 0.5) * cell)}
          y={size}
        >
          {bank}
        </text>
      ))}
      {rows.map((row, i) => {
        const y = px(size + 5 + i * rowHeight);
        const baseline = px(y + rowHeight * 0.7);
        return (
          <g key={row}>
            <text class="mono end" x={left - 8} y={baseline}>
              {names[i]}
            </text>
            <rect class="cell" x={left} y={y} width={banks * cell - 1} height={px(rowHeight - 1)} />
            {numbers.map((bank) => {
              const lanes = lanesOf.get(row * banks + bank);
              if (!lanes) return null;
              const colour = threads.findIndex((thread) => lanes.includes(thread - request.warp * 32));
              const racing = lanes.some((lane) => hasLane(request.racing, lane));
              const looks = [
                "word",
                colour >= 0 && `t${colour}`,
                busy.has(bank) && "conflict",
                racing && "at-fault",
              ];
              return (
                <g key={bank} class={looks.filter(Boolean).join(" ")}>
                  <title>{`${wordName(kernel, row * banks + bank)}: ${namedLanes(lanes)}`}</title>
                  <rect x={left + bank * cell} y={y} width={cell - 1} height={px(rowHeight - 1)} />
                  <text class={laneLooks(lanes)} x={px(left + (bank + 0.5) * cell)} y={baseline}>
                    {laneText(lanes)}
                  </text>
                </g>
              );
            })}
          </g>
        );
      })}
    </g>
  );
  return { width: left + banks * cell, height: px(size + 5 + rows.length * rowHeight), content };
}
