import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { tr } from "../language.ts";
import type { Trace } from "../parts/data.ts";
import { Findings } from "./findings.tsx";
import { Header, Help } from "./header.tsx";
import { Matrices } from "./matrices.tsx";
import { drawPartitions } from "../parts/partitions.tsx";
import { Picture } from "../drawing.tsx";
import { BlockPicker, ThreadPicker } from "./pickers.tsx";
import { Requests } from "./requests.tsx";
import { SharedMemory } from "./shared.tsx";
import { Source } from "./source.tsx";
import { type State, blockOf, chooseInterval, kernelOf, press, start } from "./state.ts";
import { Timeline } from "./timeline.tsx";
import { touched } from "../parts/touched.ts";

/** The properties that every part of the page receives. */
export interface Props {
  trace: Trace;
  state: State;
  change: (next: State) => void;
}

/** Nobody compares more blocks. */
const mostBlocks = 32;

function Partitions({ trace, state }: Props) {
  const blocks = kernelOf(trace, state).partitions?.slice(0, mostBlocks);
  if (!blocks) return null;
  return (
    <section class="card partitions">
      <h2>
        {tr("Partitions")} <small>{tr("bytes of the first {} blocks", blocks.length)}</small>
      </h2>
      <Picture
        of={drawPartitions(blocks, blockOf(trace, state).number)}
        name="plan"
        label={tr("Bytes of the first {} blocks by partition of the memory", blocks.length)}
      />
    </section>
  );
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);

export function App({ trace }: { trace: Trace }) {
  const [state, draw] = useState(() => start(trace));
  // Keys may arrive faster than the page is drawn.
  const latest = useRef(state);
  const change = (next: State) => {
    latest.current = next;
    draw(next);
  };
  const block = blockOf(trace, state);

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // Buttons handle the space bar themselves.
      if (event.key === " " && event.target instanceof HTMLButtonElement) return;
      const next = press(trace, latest.current, event.key, event.shiftKey);
      if (next === null) return;
      event.preventDefault();
      change(next);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [trace]);

  useEffect(() => {
    if (!state.playing) return;
    const last = state.interval >= block.intervals - 1;
    const timer = setTimeout(
      () => change(last ? { ...state, playing: false } : chooseInterval(trace, state, state.interval + 1)),
      900,
    );
    return () => clearTimeout(timer);
  }, [trace, state, block]);

  useEffect(() => {
    const { dataset } = document.documentElement;
    if (state.dark === null) delete dataset.theme;
    else dataset.theme = state.dark ? "dark" : "light";
  }, [state.dark]);

  const first = state.pair ? Math.max(0, state.interval - 1) : state.interval;
  const elements = useMemo(
    () => touched(trace, block, first, state.interval, state.pair ? null : state.step),
    [trace, block, first, state.interval, state.pair, state.step],
  );

  const ever = useMemo(() => touched(trace, block, 0, block.intervals, null), [trace, block]);

  const props = { trace, state, change };
  return (
    <>
      <Header {...props} />
      <Findings {...props} />
      <Timeline {...props} />
      <main>
        <aside aria-label={tr("What to look at")}>
          <BlockPicker {...props} />
          <ThreadPicker {...props} />
        </aside>
        <div class="middle">
          <Matrices {...props} elements={elements} ever={ever} />
          <SharedMemory {...props} first={first} />
          <Partitions {...props} />
        </div>
        <div class="right">
          <Source {...props} />
          <Requests {...props} />
        </div>
      </main>
      {state.help && <Help {...props} />}
    </>
  );
}
