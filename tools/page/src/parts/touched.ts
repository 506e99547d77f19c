// Finds which threads of a block load, use and write which elements.

import { type Block, type Trace, hasLane, matrixAt } from "./data.ts";

export type Role = "load" | "use" | "write";

/** The threads that touch each element, by its number. */
export type Threads = Map<number, Set<number>>;

/** An access outside of its matrix; `element` counts from the matrix's first element. */
export interface Stray {
  matrix: number;
  element: number;
  thread: number;
}

export interface Touched {
  load: Threads;
  use: Threads;
  write: Threads;
  strays: Stray[];
  /** Elements that are in a race, either themselves or by their copy in shared memory. */
  racing: Set<number>;
}

export function add(threads: Threads, element: number, thread: number) {
  const known = threads.get(element);
  if (known) known.add(thread);
  else threads.set(element, new Set([thread]));
}

/** The elements touched in the intervals from first to last; only in the given step, unless it is null. */
export function touched(
  trace: Trace,
  block: Block,
  first: number,
  last: number,
  step: number | null,
): Touched {
  const found: Touched = { load: new Map(), use: new Map(), write: new Map(), strays: [], racing: new Set() };
  for (const request of block.requests) {
    if (request.interval < first || request.interval > last) continue;
    if (step !== null && request.step !== step) continue;
    request.lanes.forEach((lane, nth) => {
      const thread = request.warp * 32 + lane;
      if (request.shared) {
        const words = request.origins.length / request.lanes.length;
        for (let i = 0; i < words; ++i) {
          const origin = request.origins[nth * words + i];
          if (origin < 0) continue;
          if (request.action !== "store") add(found.use, origin, thread);
          if (hasLane(request.racing, lane)) found.racing.add(origin);
        }
        return;
      }
      if (request.matrix < 0) return;
      const known = trace.matrices[request.matrix];
      const byte = known.place + request.at[nth];
      const strays = hasLane(request.outside, lane);
      const matrix = (strays ? undefined : matrixAt(trace, byte, request.bytes)) ?? known;
      const begin = byte - matrix.place;
      for (let at = begin; at < begin + request.bytes; at += matrix.element_bytes) {
        const element = Math.floor(at / matrix.element_bytes);
        if (strays) {
          found.strays.push({ matrix: request.matrix, element, thread });
          continue;
        }
        if (request.action !== "store") add(found.load, matrix.first + element, thread);
        if (request.action !== "load") add(found.write, matrix.first + element, thread);
        if (hasLane(request.racing, lane)) found.racing.add(matrix.first + element);
      }
    });
  }
  return found;
}
