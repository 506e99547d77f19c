import { useMemo, useState } from "preact/hooks";
import type { Props } from "./app.tsx";
import { type Matrix, type Trace, elementName, elementOf, point, threadIndex } from "./data.ts";
import { chooseThread, kernelOf } from "./state.ts";
import type { Role, Threads, Touched } from "./touched.ts";

/** Where the first element of a matrix is drawn, or would be, and which part of it is. */
interface Place {
  matrix: number;
  x: number;
  y: number;
  part: Part;
}

interface Part {
  row: number;
  col: number;
  rows: number;
  cols: number;
}

const whole = (matrix: Matrix): Part => ({ row: 0, col: 0, rows: matrix.rows, cols: matrix.ld });

/** More rows or columns than that are too small to see all at once. */
const manyElements = 96;

const isLarge = (matrix: Matrix) => Math.max(matrix.rows, matrix.ld) > manyElements;

/** The part of a matrix around the elements that a block ever touches. */
function partTouched(trace: Trace, matrix: Matrix, all: Threads[]): Part {
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

interface Layout {
  places: Place[];
  width: number;
  height: number;
}

/** C = A * B is drawn as one does on paper: A left of C, B above it. All else in a row. */
function layOut(matrices: Matrix[], parts: Part[]): Layout {
  const longest = Math.max(...parts.map((one) => Math.max(one.rows, one.cols)));
  const gap = Math.max(2, longest / 8);
  const at = (matrix: number, x: number, y: number): Place => {
    const part = parts[matrix];
    return { matrix, x: x - part.col, y: y - part.row, part };
  };
  const [a, b, c] = matrices;
  const product =
    matrices.length === 3 && a.cols === b.rows && c.rows === a.rows && c.cols === b.cols;
  if (product) {
    const right = parts[0].cols + gap;
    const below = parts[1].rows + gap;
    return {
      places: [at(0, 0, below), at(1, right, 0), at(2, right, below)],
      width: right + Math.max(parts[1].cols, parts[2].cols),
      height: below + Math.max(parts[0].rows, parts[2].rows),
    };
  }
  let x = 0;
  const places = parts.map((part, matrix) => {
    const place = at(matrix, x, 0);
    x += part.cols + gap;
    return place;
  });
  return { places, width: x - gap, height: Math.max(...parts.map((one) => one.rows)) };
}

/** One shape for all elements that any thread of the block touches. */
function outline(trace: Trace, place: Place, all: Threads[]): string {
  const matrix = trace.matrices[place.matrix];
  const numbers = new Set<number>();
  for (const threads of all) {
    for (const number of threads.keys()) {
      if (number >= matrix.first && number < matrix.first + matrix.rows * matrix.ld) numbers.add(number);
    }
  }
  return [...numbers]
    .map((number) => {
      const { row, col } = elementOf(trace.matrices, number);
      return `M${place.x + col} ${place.y + row}h1v1h-1z`;
    })
    .join("");
}

interface Shape {
  x: number;
  y: number;
  width: number;
  colour: number;
  role: Role;
  thread: number;
  name: string;
}

/** Elements of the chosen threads: those that share one share its cell. */
function shapesOf(
  trace: Trace,
  layout: Layout,
  threads: Threads,
  role: Role,
  chosen: number[],
): Shape[] {
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
      });
    });
  }
  return shapes;
}

const verbs: Record<Role, string> = { load: "loads", use: "uses", write: "writes" };

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
          <title>between the rows of {matrix.name}</title>
        </rect>
      )}
      <text class="name" x={x} y={y - 0.35 * unit} font-size={unit}>
        {matrix.name}
        <tspan class="size">
          {all
            ? ` ${matrix.rows} x ${matrix.cols}`
            : ` from [${part.row}][${part.col}], of ${matrix.rows} x ${matrix.cols}`}
        </tspan>
      </text>
      <path class="lines" d={lines.join("")} />
      <rect class="edge" x={x} y={y} width={part.cols} height={part.rows} />
    </g>
  );
}

interface Drawn extends Props {
  /** What the block touches in the intervals that are shown. */
  elements: Touched;
  /** The same of all intervals together. */
  ever: Touched;
}

export function Matrices({ trace, state, change, elements, ever }: Drawn) {
  const kernel = kernelOf(trace, state);
  const large = trace.matrices.some(isLarge);
  const [near, draw] = useState(large);
  const results = ever.write;
  const layout = useMemo(
    () =>
      layOut(
        trace.matrices,
        trace.matrices.map((one) =>
          near ? partTouched(trace, one, [ever.load, ever.use, ever.write]) : whole(one),
        ),
      ),
    [trace, near, ever],
  );
  const [hovered, hover] = useState<Shape | null>(null);
  const { load, use, write } = elements;
  const block = useMemo(
    () => layout.places.map((place) => outline(trace, place, [load, use, write])),
    [trace, layout, load, use, write],
  );
  const solid = [
    ...shapesOf(trace, layout, load, "load", state.threads),
    ...shapesOf(trace, layout, write, "write", state.threads),
  ];
  const later = new Map([...results].filter(([number]) => !write.has(number)));
  const outlines = shapesOf(trace, layout, later, "write", state.threads);
  const dots = shapesOf(trace, layout, use, "use", state.threads);
  const longest = Math.max(layout.width, layout.height);
  const unit = longest / 34; // a line of text
  const margin = Math.max(0.4, unit / 2);
  const dot = longest > 70 ? 0.42 : 0.27; // small ones are lost among small elements
  const describe = (shape: Shape) =>
    `thread ${point(threadIndex(kernel, shape.thread))} ${verbs[shape.role]} ${shape.name}`;
  return (
    <section class="card matrices">
      <h2>
        Matrices
        <small id="pointed" aria-live="polite">
          {hovered ? describe(hovered) : ""}
        </small>
        {large && (
          <label class="near">
            <input type="checkbox" id="near" checked={near} onChange={() => draw(!near)} /> near this
            block only
          </label>
        )}
      </h2>
      <svg
        role="img"
        aria-label={`Elements that threads ${state.threads.map((one) => point(threadIndex(kernel, one))).join(", ")} load, use and write`}
        viewBox={`${-margin} ${-1.6 * unit} ${layout.width + 2 * margin} ${layout.height + 1.6 * unit + margin + 1}`}
        onMouseLeave={() => hover(null)}
      >
        {layout.places.map((place) => (
          <Grid key={place.matrix} matrix={trace.matrices[place.matrix]} place={place} unit={unit} />
        ))}
        {block.map((path, i) => (
          <path key={i} class="others" d={path} />
        ))}
        {solid.map((shape) => (
          <rect
            key={`${shape.role}${shape.thread}${shape.name}`}
            class={`touch ${shape.role} t${shape.colour}`}
            data-role={shape.role}
            data-thread={shape.thread}
            data-element={shape.name}
            x={shape.x}
            y={shape.y}
            width={shape.width}
            height={1}
            onMouseEnter={() => hover(shape)}
            onClick={() => change(chooseThread(state, shape.thread, false))}
          />
        ))}
        {outlines.map((shape) => (
          <rect
            key={`${shape.thread}${shape.name}`}
            class={`result t${shape.colour}`}
            x={shape.x + 0.08}
            y={shape.y + 0.08}
            width={shape.width - 0.16}
            height={0.84}
          />
        ))}
        {dots.map((shape) => (
          <circle
            key={`${shape.thread}${shape.name}`}
            class={`touch use t${shape.colour}`}
            data-role="use"
            data-thread={shape.thread}
            data-element={shape.name}
            cx={shape.x + shape.width / 2}
            cy={shape.y + 0.5}
            r={shape.width < 1 ? 0.8 * (shape.width / 2) : dot}
            onMouseEnter={() => hover(shape)}
            onClick={() => change(chooseThread(state, shape.thread, false))}
          />
        ))}
        {[...elements.racing].map((number) => {
          const element = elementOf(trace.matrices, number);
          const place = layout.places[element.matrix];
          return (
            <rect
              key={number}
              class="bad"
              data-race={elementName(trace.matrices, element)}
              x={place.x + element.col}
              y={place.y + element.row}
              width={1}
              height={1}
            >
              <title>in a race: {elementName(trace.matrices, element)}</title>
            </rect>
          );
        })}
        {elements.strays.map((stray, i) => {
          const matrix = trace.matrices[stray.matrix];
          const place = layout.places[stray.matrix];
          const row = Math.floor(stray.element / matrix.ld);
          const col = stray.element - row * matrix.ld;
          // Far ones are drawn at the edge: where they went is in their name.
          const x = place.x + col;
          const y = place.y + Math.max(place.part.row - 1, Math.min(row, place.part.row + place.part.rows));
          return (
            <g key={i} class="stray" data-stray={`${matrix.name}[${row}][${col}]`} data-thread={stray.thread}>
              <rect x={x} y={y} width={1} height={1} />
              <path d={`M${x + 0.2} ${y + 0.2}l.6 .6m0 -.6l-.6 .6`} />
              <title>
                thread {point(threadIndex(kernel, stray.thread))} is outside of {matrix.name}: [{row}][{col}]
              </title>
            </g>
          );
        })}
      </svg>
      <ul class="legend" aria-label="Legend">
        {state.threads.map((thread, i) => (
          <li key={thread}>
            <i class={`swatch t${i}`} /> thread {point(threadIndex(kernel, thread))}
          </li>
        ))}
        <li>
          <i class="swatch ink" /> loads or writes, global memory
        </li>
        {ever.use.size > 0 && (
          <li>
            <i class="swatch round ink" /> uses from shared memory
          </li>
        )}
        {outlines.length > 0 && (
          <li>
            <i class="swatch hollow" /> its results, not written now
          </li>
        )}
        <li>
          <i class="swatch others" /> others of the block
        </li>
        {trace.findings.length > 0 && (
          <li>
            <i class="swatch bad" /> at fault
          </li>
        )}
      </ul>
    </section>
  );
}
