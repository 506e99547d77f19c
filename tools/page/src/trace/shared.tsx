import { useMemo, useState } from "preact/hooks";
import { Picture } from "../drawing.tsx";
import { tr } from "../language.ts";
import { elementName, elementOf, point, threadIndex } from "../parts/data.ts";
import { type Says, type Shape, drawElements, inRows, whole } from "../parts/matrices.tsx";
import { asTrace, sharedMemoryOf, touchedShared } from "../parts/shared.ts";
import type { Props } from "./app.tsx";
import { blockOf, chooseThread, kernelOf } from "./state.ts";
import { InWords } from "./words.tsx";

/** Wider rows of tiles would make their elements too small. */
const widest = 72;

const says: Says = (thread, role, elements) =>
  role === "load"
    ? tr("{} fills {}", thread, elements)
    : role === "use"
      ? tr("{} uses {}", thread, elements)
      : tr("{} writes {}", thread, elements);

/** Shows the tiles in the block's shared memory as matrices. */
export function SharedMemory({ trace, state, change, first }: Props & { first: number }) {
  const kernel = kernelOf(trace, state);
  const block = blockOf(trace, state);
  const memory = useMemo(() => sharedMemoryOf(kernel, block), [kernel, block]);
  const ever = useMemo(() => touchedShared(memory, block, 0, block.intervals, null), [memory, block]);
  const now = useMemo(
    () => touchedShared(memory, block, first, state.interval, state.pair ? null : state.step),
    [memory, block, first, state.interval, state.pair, state.step],
  );
  const layout = useMemo(() => {
    const longest = Math.max(1, ...memory.layers.map((layer) => Math.max(layer.rows, layer.cols)));
    return inRows(memory.layers.map(whole), Math.max(2, Math.ceil(longest / 8)), widest);
  }, [memory]);
  const [hovered, hover] = useState<Shape | null>(null);
  const shared = useMemo(() => asTrace(trace, memory), [trace, memory]);
  const picture = useMemo(() => {
    const unit = Math.max(layout.width, 16) / 34;
    const elements = { trace: shared, kernel, layout, threads: state.threads, now, ever, unit };
    return drawElements(elements, (shape) => ({
      "data-shared": shape.role === "load" ? "fill" : "use",
      "data-thread": shape.thread,
      "data-element": shape.name,
      onMouseEnter: () => hover(shape),
      onClick: () => change(chooseThread(state, shape.thread, state.several)),
    }));
  }, [shared, state, layout, now, ever]);
  if (memory.layers.length === 0) return null;
  const origin = hovered && memory.origins.get(hovered.number);
  const from = typeof origin === "number" ? `, ${elementName(trace.matrices, elementOf(trace.matrices, origin))}` : "";
  const names = memory.layers.map((layer) => layer.name).join(", ");
  return (
    <section class="card matrices shared" onMouseLeave={() => hover(null)}>
      <h2>
        {tr("Shared memory of the block")}
        <small aria-live="polite">
          {hovered
            ? says(
                tr("thread {}", point(threadIndex(kernel, hovered.thread))),
                hovered.role,
                hovered.name + from,
              )
            : ""}
        </small>
      </h2>
      <Picture of={picture} name="plan" label={tr("Elements of {} that the chosen threads fill and use", names)} />
      <ul class="legend" aria-label={tr("Legend of shared memory")}>
        <li>
          <i class="swatch ink" /> {tr("fills")}
        </li>
        <li>
          <i class="swatch round ink" /> {tr("uses")}
        </li>
        <li>
          <i class="swatch others" /> {tr("others of the block")}
        </li>
        {ever.racing.size > 0 && (
          <li>
            <i class="swatch bad" /> {tr("in a race")}
          </li>
        )}
      </ul>
      <InWords trace={shared} kernel={kernel} now={now} threads={state.threads} says={says} />
    </section>
  );
}
