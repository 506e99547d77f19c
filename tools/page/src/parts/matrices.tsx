// Draws the elements of the matrices that chosen threads load, use and write. A unit is an element.

import type { Drawn } from "../drawing.tsx";
import { tr } from "../language.ts";
import { type Kernel, type Matrix, type Trace, elementName, elementOf, point, threadIndex } from "./data.ts";
import type { Role, Stray, Threads, Touched } from "./touched.ts";

/** Rounds coordinates to a thousandth of an element. */
const fine = (value: number) => Math.round(value * 1000) / 1000;

/**
 * The position of a matrix's first element, which may itself lie outside the picture, and the part of the matrix
 * that is drawn.
 */
interface Place {
  matrix: number;
  x: number;
  y: number;
  part: Part;
}

export interface Part {
  row: number;
  col: number;
  rows: number;
  cols: number;
}

export const whole = (matrix: Matrix): Part => ({ row: 0, col: 0, rows: matrix.rows, cols: matrix.ld });

/** More rows or columns would be too small to be seen all at once. */
const manyElements = 96;

export const isLarge = (matrix: Matrix) => Math.max(matrix.rows, matrix.ld) > manyElements;

/** The part of a matrix around the elements that a block ever touches. */
export function partTouched(trace: Trace, matrix: Matrix, all: Threads[]): Part {
  const rows: number[] = [];
  const cols: number[] = [];
  for (const threads of all) {
    for (const number of threads.keys()) {
      if (number < matrix.first || number >= matrix.first + matrix.rows * matrix.ld) continue;
      const { row, col } = elementOf(trace.matrices, number);
      rows.push(row);
      cols.push(col);
    }
  }
  if (rows.length === 0) return { row: 0, col: 0, rows: 8, cols: 8 };
  const extent = (numbers: number[], end: number) => {
    const least = numbers.reduce((a, b) => Math.min(a, b));
    const most = numbers.reduce((a, b) => Math.max(a, b));
    const first = Math.max(0, least - 2);
    return [first, Math.min(end, most + 3) - first];
  };
  const [row, rowCount] = extent(rows, matrix.rows);
  const [col, colCount] = extent(cols, matrix.ld);
  return { row, col, rows: rowCount, cols: colCount };
}

export interface Layout {
  places: Place[];
  width: number;
  height: number;
}

/** Places C = A * B as on paper: A left of C, B above it. Other matrices stand in a row. */
export function layOut(matrices: Matrix[], parts: Part[]): Layout {
  const longest = Math.max(...parts.map((one) => Math.max(one.rows, one.cols)));
  const gap = Math.max(2, Math.ceil(longest / 8));
  const at = (matrix: number, x: number, y: number): Place => {
    const part = parts[matrix];
    return { matrix, x: x - part.col, y: y - part.row, part };
  };
  const [a, b, c] = matrices;
  const product = matrices.length === 3 && a.cols === b.rows && c.rows === a.rows && c.cols === b.cols;
  if (product) {
    const right = parts[0].cols + gap;
    const below = parts[1].rows + gap;
    return {
      places: [at(0, 0, below), at(1, right, 0), at(2, right, below)],
      width: right + Math.max(parts[1].cols, parts[2].cols),
      height: below + Math.max(parts[0].rows, parts[2].rows),
    };
  }
  return inRows(parts, gap, Infinity);
}

/** Places the parts side by side, in rows that are at most `widest` wide. */
export function inRows(parts: Part[], gap: number, widest: number): Layout {
  const places: Place[] = [];
  let [x, y, width, height] = [0, 0, 0, 0];
  parts.forEach((part, matrix) => {
    if (x > 0 && x + part.cols > widest) [x, y] = [0, height + gap];
    places.push({ matrix, x: x - part.col, y: y - part.row, part });
    x += part.cols;
    width = Math.max(width, x);
    x += gap;
    height = Math.max(height, y + part.rows);
  });
  return { places, width, height };
}

/** One shape for all elements that any thread of the block touches; neighbours in a row are one piece. */
function outline(trace: Trace, place: Place, all: Threads[]): string {
  const matrix = trace.matrices[place.matrix];
  const numbers = new Set<number>();
  for (const threads of all) {
    for (const number of threads.keys()) {
      if (number >= matrix.first && number < matrix.first + matrix.rows * matrix.ld) numbers.add(number);
    }
  }
  const sorted = [...numbers].sort((a, b) => a - b);
  let path = "";
  for (let i = 0; i < sorted.length;) {
    const { row, col } = elementOf(trace.matrices, sorted[i]);
    let length = 1;
    while (sorted[i + length] === sorted[i] + length && col + length < matrix.ld) ++length;
    path += `M${place.x + col} ${place.y + row}h${length}v1h-${length}z`;
    i += length;
  }
  return path;
}

export interface Shape {
  x: number;
  y: number;
  width: number;
  colour: number;
  role: Role;
  thread: number;
  name: string;
  /** The element's number among the elements of all matrices. */
  number: number;
}

/** The shapes of the chosen threads' elements. Threads that touch the same element share its cell. */
function shapesOf(trace: Trace, layout: Layout, threads: Threads, role: Role, chosen: number[]): Shape[] {
  const shapes: Shape[] = [];
  for (const [number, touching] of threads) {
    const here = chosen.filter((thread) => touching.has(thread));
    if (here.length === 0) continue;
    const element = elementOf(trace.matrices, number);
    const place = layout.places[element.matrix];
    here.forEach((thread, i) => {
      shapes.push({
        x: place.x + element.col + i / here.length,
        y: place.y + element.row,
        width: 1 / here.length,
        colour: chosen.indexOf(thread),
        role,
        thread,
        name: elementName(trace.matrices, element),
        number,
      });
    });
  }
  return shapes;
}

/** What threads do to an element, in words. */
export type Says = (thread: string, role: Role, elements: string) => string;

export const saysOfMatrices: Says = (thread, role, elements) =>
  role === "load"
    ? tr("{} loads {}", thread, elements)
    : role === "use"
      ? tr("{} uses {}", thread, elements)
      : tr("{} writes {}", thread, elements);

/** A chosen thread's number, which distinguishes its elements from another's, beside their colour. */
export const nameOfThread = (threads: number[], colour: number) =>
  threads.length > 1 ? String(colour + 1) : "";

/** The name of a stray access's element, as if its matrix went on beyond its bounds. */
export function strayName(trace: Trace, { matrix, element }: Stray): string {
  const { name, ld } = trace.matrices[matrix];
  const row = Math.floor(element / ld);
  return `${name}[${row}][${element - row * ld}]`;
}

function Grid({ matrix, place, unit }: { matrix: Matrix; place: Place; unit: number }) {
  const { part } = place;
  const x = place.x + part.col;
  const y = place.y + part.row;
  const lines = [];
  if (Math.max(part.rows, part.cols) <= manyElements) {
    for (let col = 1; col < part.cols; ++col) lines.push(`M${x + col} ${y}v${part.rows}`);
    for (let row = 1; row < part.rows; ++row) lines.push(`M${x} ${y + row}h${part.cols}`);
  }
  const gap = part.col + part.cols - matrix.cols;
  const all = part.rows === matrix.rows && part.cols === matrix.ld;
  return (
    <g>
      <rect class="cell" x={x} y={y} width={part.cols} height={part.rows} />
      {gap > 0 && (
        <rect class="gap" x={x + part.cols - gap} y={y} width={gap} height={part.rows}>
          <title>{tr("between the rows of {}", matrix.name)}</title>
        </rect>
      )}
      <text class="name" x={x} y={fine(y - 0.35 * unit)} font-size={fine(unit)}>
        {matrix.name}
        <tspan class="size">
          {all
            ? ` ${matrix.flat ? matrix.rows * matrix.cols : `${matrix.rows} x ${matrix.cols}`}`
            : tr(" from [{}][{}], of {} x {}", part.row, part.col, matrix.rows, matrix.cols)}
        </tspan>
      </text>
      {lines.length > 0 && <path class="lines" d={lines.join("")} />}
      <rect class="edge" x={x} y={y} width={part.cols} height={part.rows} />
    </g>
  );
}

/** The data of a block that a picture is drawn from. */
export interface Elements {
  trace: Trace;
  kernel: Kernel;
  layout: Layout;
  /** The chosen threads, in the order of their colours. */
  threads: number[];
  /** The elements that the block touches in the intervals shown. */
  now: Touched;
  /** The elements that it touches in all intervals together. */
  ever: Touched;
  /** The height of a line of text. */
  unit: number;
}

/** The attributes of a shape in a page, where the reader can point at it. */
export type OnShape = (shape: Shape) => { [attribute: string]: unknown };

/** The results of the chosen threads that they write in other intervals than those shown. */
export function laterResults({ trace, layout, threads, now, ever }: Elements): Shape[] {
  const later = new Map([...ever.write].filter(([number]) => !now.write.has(number)));
  return shapesOf(trace, layout, later, "write", threads);
}

/** The picture, with room for names above the matrices. */
export function drawElements(elements: Elements, onShape: OnShape = () => ({})): Drawn {
  const { trace, kernel, layout, threads, now, unit } = elements;
  const { load, use, write } = now;
  const solid = [
    ...shapesOf(trace, layout, load, "load", threads),
    ...shapesOf(trace, layout, write, "write", threads),
  ];
  const results = laterResults(elements);
  const used = shapesOf(trace, layout, use, "use", threads);
  const longest = Math.max(layout.width, layout.height);
  const dot = longest > 70 ? 0.42 : 0.27; // smaller dots are hard to see among small elements
  const content = (
    <g class="elements" transform={`translate(${margin} ${fine(1.6 * unit)})`}>
      {layout.places.map((place) => (
        <Grid key={place.matrix} matrix={trace.matrices[place.matrix]} place={place} unit={unit} />
      ))}
      {layout.places.map((place) => {
        const path = outline(trace, place, [load, use, write]);
        return path !== "" && <path key={place.matrix} class="others" d={path} />;
      })}
      {solid.map((shape) => (
        <rect
          key={`${shape.role}${shape.thread}${shape.name}`}
          class={`touch ${shape.role} t${shape.colour}`}
          x={fine(shape.x)}
          y={shape.y}
          width={fine(shape.width)}
          height={1}
          {...onShape(shape)}
        />
      ))}
      {results.map((shape) => (
        <rect
          key={`${shape.thread}${shape.name}`}
          class={`result t${shape.colour}`}
          x={fine(shape.x + 0.08)}
          y={fine(shape.y + 0.08)}
          width={fine(shape.width - 0.16)}
          height={0.84}
        />
      ))}
      {used.map((shape) => (
        <circle
          key={`${shape.thread}${shape.name}`}
          class={`touch use t${shape.colour}`}
          cx={fine(shape.x + shape.width / 2)}
          cy={shape.y + 0.5}
          r={shape.width < 1 ? fine(0.4 * shape.width) : dot}
          {...onShape(shape)}
        />
      ))}
      {[...solid, ...results, ...used].map((shape) => {
        const size = fine(Math.min(0.62, 0.9 * shape.width) * (shape.role === "use" ? 0.62 : 1));
        return (
          threads.length > 1 && (
            <text
              key={`${shape.role}${shape.thread}${shape.name}`}
              class={results.includes(shape) ? `whose later t${shape.colour}` : "whose"}
              x={fine(shape.x + shape.width / 2)}
              y={fine(shape.y + 0.5 + 0.36 * size)}
              font-size={size}
            >
              {nameOfThread(threads, shape.colour)}
            </text>
          )
        );
      })}
      <Faults trace={trace} kernel={kernel} layout={layout} now={now} />
    </g>
  );
  // There is room below for accesses that lie outside.
  return { width: layout.width + 2 * margin, height: fine(layout.height + 1.6 * unit + 1), content };
}

/** Room for half the width of a line beside the matrices. */
const margin = 0.1;

/** Draws elements in a race, and accesses outside of their matrix. */
function Faults({
  trace,
  kernel,
  layout,
  now,
}: {
  trace: Trace;
  kernel: Kernel;
  layout: Layout;
  now: Touched;
}) {
  return (
    <>
      {[...now.racing].map((number) => {
        const element = elementOf(trace.matrices, number);
        const place = layout.places[element.matrix];
        return (
          <rect
            key={number}
            class="racing"
            data-race={elementName(trace.matrices, element)}
            x={place.x + element.col}
            y={place.y + element.row}
            width={1}
            height={1}
          >
            <title>{tr("in a race: {}", elementName(trace.matrices, element))}</title>
          </rect>
        );
      })}
      {now.strays.map((stray, i) => {
        const matrix = trace.matrices[stray.matrix];
        const place = layout.places[stray.matrix];
        const row = Math.floor(stray.element / matrix.ld);
        const col = stray.element - row * matrix.ld;
        // Far accesses are drawn at the edge; their names show where they went.
        const x = place.x + col;
        const y = place.y + Math.max(place.part.row - 1, Math.min(row, place.part.row + place.part.rows));
        return (
          <g key={i} class="stray" data-stray={strayName(trace, stray)} data-thread={stray.thread}>
            <rect x={x} y={y} width={1} height={1} />
            <path d={`M${x + 0.2} ${y + 0.2}l.6 .6m0 -.6l-.6 .6`} />
            <title>
              {tr(
                "thread {} is outside of {}: [{}][{}]",
                point(threadIndex(kernel, stray.thread)),
                matrix.name,
                row,
                col,
              )}
            </title>
          </g>
        );
      })}
    </>
  );
}
