import { useMemo } from "preact/hooks";
import type { Props } from "./app.tsx";
import type { Block } from "../parts/data.ts";
import { blockOf, chooseInterval, chooseStep, stepsOf } from "./state.ts";

interface Deeds {
  load: boolean;
  use: boolean;
  put: boolean;
  write: boolean;
  fault: boolean;
}

/** What a block does in each interval. */
function deedsOf(block: Block): Deeds[] {
  const deeds = Array.from({ length: block.intervals }, () => ({
    load: false,
    use: false,
    put: false,
    write: false,
    fault: false,
  }));
  for (const request of block.requests) {
    const here = deeds[request.interval];
    if (request.outside || request.racing) here.fault = true;
    if (request.shared) {
      if (request.action === "store") here.put = true;
      else here.use = true;
    } else if (request.action === "load") here.load = true;
    else here.write = true;
  }
  return deeds;
}

function words(deeds: Deeds): string {
  const said = [
    deeds.load && "loads from global memory",
    deeds.put && "fills shared memory",
    deeds.use && "uses shared memory",
    deeds.write && "writes to global memory",
  ].filter(Boolean);
  return said.length > 0 ? said.join(", ") : "touches no memory";
}

export function Timeline({ trace, state, change }: Props) {
  const block = blockOf(trace, state);
  const deeds = useMemo(() => deedsOf(block), [block]);
  const steps = stepsOf(block, state.interval);
  const last = block.intervals - 1;
  const go = (interval: number) => change(chooseInterval(trace, { ...state, playing: false }, interval));
  return (
    <nav class="timeline" aria-label="Intervals between barriers">
      <div class="transport">
        <button aria-label="Interval before" title="Interval before (←)" disabled={state.interval === 0} onClick={() => go(state.interval - 1)}>
          ◀
        </button>
        <button
          id="play"
          class="primary"
          aria-pressed={state.playing}
          aria-label="Play"
          title="Play (space)"
          onClick={() => change({ ...state, playing: !state.playing })}
        >
          {state.playing ? "❚❚" : "▶"}
        </button>
        <button id="next" aria-label="Interval after" title="Interval after (→)" disabled={state.interval === last} onClick={() => go(state.interval + 1)}>
          ▶
        </button>
      </div>
      <div class="track">
        <div class="marks" aria-hidden="true">
          {deeds.length <= 128 &&
            deeds.map((one, i) => (
              <span
                key={i}
                class={`mark ${i === state.interval ? "now" : ""} ${one.fault ? "fault" : ""}`}
                onClick={() => go(i)}
                title={`${i}: ${words(one)}`}
              >
                {deeds.length <= 20 && (
                  <small>
                    {[one.load && "load", one.put && !one.load && "fill", one.use && "use", one.write && "write"].filter(Boolean).join(" ") || "-"}
                  </small>
                )}
              </span>
            ))}
        </div>
        <input
          id="interval"
          type="range"
          min={0}
          max={last}
          value={state.interval}
          disabled={last === 0}
          aria-label="Interval"
          aria-valuetext={`${state.interval} of ${last}: ${words(deeds[state.interval])}`}
          onInput={(event) => go(Number(event.currentTarget.value))}
          onKeyDown={(event) => event.stopPropagation()}
        />
      </div>
      <p class="said" aria-live="polite">
        <strong id="now">
          interval {state.interval} of 0 to {last}
        </strong>
        <span>the block {words(deeds[state.interval])}</span>
      </p>
      <div class="steps">
        <button aria-label="Step before" title="Step before (↑)" disabled={steps < 2} onClick={() => change(chooseStep(trace, state, -1))}>
          ▴
        </button>
        <span id="step">{steps < 2 ? "one step" : state.step === null ? `all ${steps} steps` : `step ${state.step + 1} of ${steps}`}</span>
        <button aria-label="Step after" title="Step after (↓)" disabled={steps < 2} onClick={() => change(chooseStep(trace, state, 1))}>
          ▾
        </button>
        <label>
          <input
            type="checkbox"
            id="pair"
            checked={state.pair}
            onChange={() => change({ ...state, pair: !state.pair })}
          />{" "}
          with the one before
        </label>
      </div>
    </nav>
  );
}
