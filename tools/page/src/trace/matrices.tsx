import { useMemo, useState } from "preact/hooks";
import { Picture } from "../drawing.tsx";
import { tr } from "../language.ts";
import { point, threadIndex } from "../parts/data.ts";
import {
  type Shape,
  drawElements,
  isLarge,
  laterResults,
  layOut,
  nameOfThread,
  partTouched,
  saysOfMatrices,
  whole,
} from "../parts/matrices.tsx";
import type { Touched } from "../parts/touched.ts";
import type { Props } from "./app.tsx";
import { chooseThread, kernelOf } from "./state.ts";
import { InWords } from "./words.tsx";

interface Shown extends Props {
  /** The elements that the block touches in the intervals shown. */
  elements: Touched;
  /** The elements that it touches in all intervals together. */
  ever: Touched;
}

export function Matrices({ trace, state, change, elements, ever }: Shown) {
  const kernel = kernelOf(trace, state);
  const large = trace.matrices.some(isLarge);
  const [near, draw] = useState(large);
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
  const unit = Math.max(layout.width, layout.height) / 34;
  const shown = { trace, kernel, layout, threads: state.threads, now: elements, ever, unit };
  // The place that the reader points at changes often, but does not change the picture.
  const picture = useMemo(
    () =>
      drawElements(shown, (shape) => ({
        "data-role": shape.role,
        "data-thread": shape.thread,
        "data-element": shape.name,
        onMouseEnter: () => hover(shape),
        onClick: () => change(chooseThread(state, shape.thread, state.several)),
      })),
    [trace, state, layout, elements, ever],
  );
  const threads = state.threads.map((one) => point(threadIndex(kernel, one)));
  return (
    <section class="card matrices" onMouseLeave={() => hover(null)}>
      <h2>
        {tr("Matrices")}
        <small id="pointed" aria-live="polite">
          {hovered
            ? saysOfMatrices(
                tr("thread {}", point(threadIndex(kernel, hovered.thread))),
                hovered.role,
                hovered.name,
              )
            : ""}
        </small>
        {large && (
          <label class="near">
            <input type="checkbox" id="near" checked={near} onChange={() => draw(!near)} />{" "}
            {tr("near this block only")}
          </label>
        )}
      </h2>
      <Picture
        of={picture}
        name="plan"
        label={tr("Elements that threads {} load, use and write", threads.join(", "))}
      />
      <ul class="legend" aria-label={tr("Legend")}>
        {state.threads.map((thread, i) => (
          <li key={thread}>
            <i class={`swatch t${i}`}>{nameOfThread(state.threads, i)}</i>{" "}
            {tr("thread {}", point(threadIndex(kernel, thread)))}
          </li>
        ))}
        <li>
          <i class="swatch ink" /> {tr("loads or writes, global memory")}
        </li>
        {ever.use.size > 0 && (
          <li>
            <i class="swatch round ink" /> {tr("uses from shared memory")}
          </li>
        )}
        {laterResults(shown).length > 0 && (
          <li>
            <i class="swatch hollow" /> {tr("its results, not written now")}
          </li>
        )}
        <li>
          <i class="swatch others" /> {tr("others of the block")}
        </li>
        {trace.findings.length > 0 && (
          <li>
            <i class="swatch bad" /> {tr("at fault")}
          </li>
        )}
      </ul>
      <InWords trace={trace} kernel={kernel} now={elements} threads={state.threads} />
    </section>
  );
}
