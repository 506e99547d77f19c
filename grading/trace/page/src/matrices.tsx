import { useMemo, useState } from "preact/hooks";
import type { Props } from "./app.tsx";
import { type Matrix, type Trace, elementName, elementOf, point, threadIndex } from "./data.ts";
import { chooseThread, kernelOf } from "./state.ts";
import type { Role, Threads, Touched } from "./touched.ts";

/** Where a matrix is drawn, in elements. */
interface Place {
  matrix: number;
  x: number;
  y: number;
}

interface Layout {
  places: Place[];
  width: number;
  height: number;
}

/** C = A * B is drawn as one does on paper: A left of C, B above it. All else in a row. */
function layOut(matrices: Matrix[]): Layout {
  const longest = Math.max(...matrices.map((one) => Math.max(one.rows, one.ld)));
  const gap = Math.max(2, longest / 8);
  const [a, b, c] = matrices;
  const product =
    matrices.length === 3 && a.cols === b.rows && c.rows === a.rows && c.cols === b.cols;
  if (product) {
    const right = a.ld + gap;
    const below = b.rows + gap;
    return {
      places: [
        { matrix: 0, x: 0, y: below },
        { matrix: 1, x: right, y: 0 },
        { matrix: 2, x: right, y: below },
      ],
      width: right + Math.max(b.ld, c.ld),
      height: below + Math.max(a.rows, c.rows),
    };
  }
  let x = 0;
  const places = matrices.map((one, matrix) => {
    const place = { matrix, x, y: 0 };
    x += one.ld + gap;
    return place;
  });
  return { places, width: x - gap, height: Math.max(...matrices.map((one) => one.rows)) };
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
  const lines = [];
  if (Math.max(matrix.rows, matrix.ld) <= 96) {
    for (let col = 1; col < matrix.ld; ++col) lines.push(`M${place.x + col} ${place.y}v${matrix.rows}`);
    for (let row = 1; row < matrix.rows; ++row) lines.push(`M${place.x} ${place.y + row}h${matrix.ld}`);
  }
  return (
    <g>
      <rect class="cell" x={place.x} y={place.y} width={matrix.ld} height={matrix.rows} />
      {matrix.ld > matrix.cols && (
        <rect
          class="gap"
          x={place.x + matrix.cols}
          y={place.y}
          width={matrix.ld - matrix.cols}
          height={matrix.rows}
        >
          <title>between the rows of {matrix.name}</title>
        </rect>
      )}
      <text class="name" x={place.x} y={place.y - 0.35 * unit} font-size={unit}>
        {matrix.name}
        <tspan class="size"> {matrix.rows} x {matrix.cols}</tspan>
      </text>
      <path class="lines" d={lines.join("")} />
      <rect class="edge" x={place.x} y={place.y} width={matrix.ld} height={matrix.rows} />
    </g>
  );
}

export function Matrices({ trace, state, change, elements }: Props & { elements: Touched }) {
  const kernel = kernelOf(trace, state);
  const layout = useMemo(() => layOut(trace.matrices), [trace]);
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
  const dots = shapesOf(trace, layout, use, "use", state.threads);
  const longest = Math.max(layout.width, layout.height);
  const unit = longest / 34; // a line of text
  const margin = Math.max(0.4, unit / 2);
  const thin = longest / 600;
  const describe = (shape: Shape) =>
    `thread ${point(threadIndex(kernel, shape.thread))} ${verbs[shape.role]} ${shape.name}`;
  return (
    <section class="card matrices">
      <h2>
        Matrices
        <small id="pointed" aria-live="polite">
          {hovered ? describe(hovered) : ""}
        </small>
      </h2>
      <svg
        role="img"
        aria-label={`Elements that threads ${state.threads.map((one) => point(threadIndex(kernel, one))).join(", ")} load, use and write`}
        viewBox={`${-margin} ${-1.6 * unit} ${layout.width + 2 * margin} ${layout.height + 1.6 * unit + margin + 1}`}
        style={{ "--thin": thin }}
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
        {dots.map((shape) => (
          <circle
            key={`${shape.thread}${shape.name}`}
            class={`touch use t${shape.colour}`}
            data-role="use"
            data-thread={shape.thread}
            data-element={shape.name}
            cx={shape.x + shape.width / 2}
            cy={shape.y + 0.5}
            r={shape.width < 1 ? 0.8 * (shape.width / 2) : 0.27}
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
          const y = place.y + Math.max(-1, Math.min(row, matrix.rows));
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
        <li>
          <i class="swatch round ink" /> uses from shared memory
        </li>
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
