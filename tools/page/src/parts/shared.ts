// Shows a block's shared memory as matrices: the form in which the arrays of a kernel are drawn,
// and the threads that touch their elements.

import { tr } from "../language.ts";
import { type Block, type Kernel, type Matrix, type SharedArray, type Trace, hasLane } from "./data.ts";
import { type Touched, add } from "./touched.ts";

/** An array without rows of its own is drawn in rows of this many words, as many as there are banks. */
const wordsARow = 32;

const wordBytes = 4;

/** There is no room for more arrays, or layers of one array, beside each other. */
const mostLayers = 8;

export interface SharedMemory {
  /** The layers of the arrays, as matrices; `place` is their offset in shared memory, in bytes. */
  layers: Matrix[];
  /** The element of device memory that an element came from, by its number among the elements of the layers. */
  origins: Map<number, number>;
}

/**
 * The array as it is used: an array that is declared in bytes or in pairs, but accessed in words, is drawn in
 * words. `accesses` is the number of bytes of the narrowest access.
 */
function inWords(array: SharedArray, accesses: number): SharedArray {
  const isFlat = array.extents.length < 2;
  const apart = array.element_bytes > accesses || (array.element_bytes < wordBytes && accesses >= wordBytes);
  if (!isFlat || !apart || accesses < wordBytes) return array;
  const extents = array.extents.map((extent) => (extent * array.element_bytes) / wordBytes);
  return { ...array, name: tr("{} in words", array.name), element_bytes: wordBytes, extents };
}

/** The names of the array's layers, and the rows and columns that each of them has. */
function shapeOf(array: SharedArray, bytes: number): { layers: string[]; rows: number; cols: number } {
  const extents = array.extents.filter((extent) => extent > 0);
  if (extents.length < 2) {
    const elements = extents[0] ?? Math.ceil(bytes / array.element_bytes);
    return { layers: [""], rows: Math.ceil(elements / wordsARow), cols: Math.min(elements, wordsARow) };
  }
  const [cols, rows] = [extents[extents.length - 1], extents[extents.length - 2]];
  let layers = [""];
  for (const extent of extents.slice(0, -2)) {
    layers = layers.flatMap((layer) => Array.from({ length: extent }, (_, i) => `${layer}[${i}]`));
  }
  return { layers: layers.slice(0, mostLayers), rows, cols };
}

/** The arrays of a kernel. An array without extents is drawn as far as the block touches it. */
export function sharedMemoryOf(kernel: Kernel, block: Block): SharedMemory {
  const requests = block.requests.filter((request) => request.shared);
  const end = requests.reduce((most, one) => Math.max(most, ...one.at.map((at) => at + one.bytes)), 0);
  const layers: Matrix[] = [];
  let first = 0;
  // The arrays are sorted by name, As before Bs, because the order in which compilers place them means nothing to a
  // reader.
  const byName = [...kernel.arrays].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.start - b.start));
  for (const declared of byName) {
    if (declared.start >= end) continue;
    const beyond = kernel.arrays.map(({ start }) => start).filter((start) => start > declared.start);
    const behind = Math.min(end, ...beyond);
    const own = requests.filter(({ at }) => at.some((byte) => byte >= declared.start && byte < behind));
    const array = inWords(declared, Math.min(...own.map(({ bytes }) => bytes)));
    const { layers: names, rows, cols } = shapeOf(array, behind - array.start);
    const { element_bytes } = array;
    const flat = array.extents.length < 2;
    names.forEach((name, layer) => {
      const place = array.start + layer * rows * cols * element_bytes;
      layers.push({ name: array.name + name, rows, cols, ld: cols, element_bytes, read_only: false, place, first, flat });
      first += rows * cols;
    });
  }
  return { layers, origins: new Map() };
}

/** The number of the element at a byte of shared memory; -1 if there is none. */
function elementAt(layers: Matrix[], byte: number): number {
  for (const layer of layers) {
    const element = Math.floor((byte - layer.place) / layer.element_bytes);
    if (element >= 0 && element < layer.rows * layer.cols) return layer.first + element;
  }
  return -1;
}

/**
 * The threads that fill elements of shared memory (`load`: they bring something there) and those that use them, in
 * the intervals from first to last; only in the given step, unless it is null. Records in `memory` where elements
 * came from.
 */
export function touchedShared(
  memory: SharedMemory,
  block: Block,
  first: number,
  last: number,
  step: number | null,
): Touched {
  const found: Touched = { load: new Map(), use: new Map(), write: new Map(), strays: [], racing: new Set() };
  const finest = memory.layers.reduce((least, layer) => Math.min(least, layer.element_bytes), 4);
  for (const request of block.requests) {
    if (!request.shared || request.interval < first || request.interval > last) continue;
    if (step !== null && request.step !== step) continue;
    const words = request.origins.length / request.lanes.length;
    request.lanes.forEach((lane, nth) => {
      const thread = request.warp * 32 + lane;
      for (let byte = 0; byte < request.bytes; byte += finest) {
        const element = elementAt(memory.layers, request.at[nth] + byte);
        if (element < 0) continue;
        if (request.action !== "load") add(found.load, element, thread);
        if (request.action !== "store") add(found.use, element, thread);
        if (hasLane(request.racing, lane)) found.racing.add(element);
        const origin = request.origins[nth * words + Math.min(Math.floor(byte / 4), words - 1)];
        if (origin >= 0) memory.origins.set(element, origin);
      }
    });
  }
  return found;
}

/** A trace whose matrices are the layers, for functions that draw matrices. */
export const asTrace = (trace: Trace, memory: SharedMemory): Trace => ({ ...trace, matrices: memory.layers });
