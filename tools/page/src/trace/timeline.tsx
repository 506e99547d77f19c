import { useMemo } from "preact/hooks";
import { tr } from "../language.ts";
import type { Props } from "./app.tsx";
import type { Block, Request } from "../parts/data.ts";
import { blockOf, chooseInterval, chooseStep, stepsOf } from "./state.ts";

type Deed = "load" | "put" | "use" | "write";

/** The actions of a block in an interval, and those of them that are faulty. */
interface Deeds {
  done: Set<Deed>;
  atFault: Set<Deed>;
}

function deedOf(request: Request): Deed {
  if (request.shared) return request.action === "store" ? "put" : "use";
  return request.action === "load" ? "load" : "write";
}

/** The actions of a block in each interval. */
function deedsOf(block: Block): Deeds[] {
  const deeds = Array.from({ length: block.intervals }, (): Deeds => ({ done: new Set(), atFault: new Set() }));
  for (const request of block.requests) {
    const here = deeds[request.interval];
    here.done.add(deedOf(request));
    if (request.outside || request.racing) here.atFault.add(deedOf(request));
  }
  return deeds;
}

/** The lanes of the timeline, in the order in which a block acts, with a word for each action. */
const lanes = (): { deed: Deed; name: string; says: string }[] => [
  { deed: "load", name: tr("load"), says: tr("loads from global memory") },
  { deed: "put", name: tr("fill tiles"), says: tr("fills shared memory") },
  { deed: "use", name: tr("use tiles"), says: tr("uses shared memory") },
  { deed: "write", name: tr("write"), says: tr("writes to global memory") },
];

function words(deeds: Deeds): string {
  const said = lanes().filter(({ deed }) => deeds.done.has(deed)).map(({ says }) => says);
  return said.length > 0 ? said.join(", ") : tr("touches no memory");
}

/** A position in words. Barriers lie between intervals: barrier i, from 1, lies between intervals i - 1 and i. */
function whereIs(interval: number, last: number): string {
  if (last === 0) return tr("the kernel has no barrier");
  if (interval === 0) return tr("until the first barrier");
  if (interval === last) return tr("after the last barrier, number {}", last);
  return tr("between barriers {} and {} of {}", interval, interval + 1, last);
}

/** There is no room for the marks of more intervals. */
const mostMarks = 128;

export function Timeline({ trace, state, change }: Props) {
  const block = blockOf(trace, state);
  const deeds = useMemo(() => deedsOf(block), [block]);
  const steps = stepsOf(block, state.interval);
  const last = block.intervals - 1;
  const go = (interval: number) => change(chooseInterval(trace, { ...state, playing: false }, interval));
  return (
    <nav class="timeline" aria-label={tr("Intervals between barriers")}>
      <div class="transport">
        <button aria-label={tr("Interval before")} title={tr("Interval before (←)")} disabled={state.interval === 0} onClick={() => go(state.interval - 1)}>
          ◀
        </button>
        <button
          id="play"
          class="primary"
          aria-pressed={state.playing}
          aria-label={tr("Play")}
          title={tr("Play (space)")}
          onClick={() => change({ ...state, playing: !state.playing })}
        >
          {state.playing ? "❚❚" : "▶"}
        </button>
        <button id="next" aria-label={tr("Interval after")} title={tr("Interval after (→)")} disabled={state.interval === last} onClick={() => go(state.interval + 1)}>
          ▶
        </button>
      </div>
      <div class="track">
        {deeds.length <= mostMarks &&
          lanes()
            .filter(({ deed }) => deeds.some((one) => one.done.has(deed)))
            .map(({ deed, name, says }) => (
              <div class="lane" key={deed} aria-hidden="true">
                <span>{name}</span>
                {deeds.map((one, i) => (
                  <i
                    key={i}
                    class={[
                      "mark",
                      one.done.has(deed) && "done",
                      i === state.interval && "now",
                      one.atFault.has(deed) && "fault",
                    ]
                      .filter(Boolean)
                      .join(" ")}
                    onClick={() => go(i)}
                    title={one.done.has(deed) ? tr("interval {} {}", i, says) : tr("interval {}", i)}
                  />
                ))}
              </div>
            ))}
        <input
          id="interval"
          type="range"
          min={0}
          max={last}
          value={state.interval}
          disabled={last === 0}
          aria-label={tr("Interval")}
          aria-valuetext={`${state.interval}, ${whereIs(state.interval, last)}: ${words(deeds[state.interval])}`}
          onInput={(event) => go(Number(event.currentTarget.value))}
          onKeyDown={(event) => event.stopPropagation()}
        />
      </div>
      <p class="said" aria-live="polite">
        <strong id="now">
          {tr("Interval {}, {}", state.interval, whereIs(state.interval, last))}
        </strong>
        <span>{tr("The block {}.", words(deeds[state.interval]))}</span>
      </p>
      <div class="steps">
        <button aria-label={tr("Step before")} title={tr("Step before (↑)")} disabled={steps < 2} onClick={() => change(chooseStep(trace, state, -1))}>
          ▴
        </button>
        <span id="step">{steps < 2
            ? tr("one step")
            : state.step === null
              ? tr("all {} steps", steps)
              : tr("step {} of {}", state.step + 1, steps)}</span>
        <button aria-label={tr("Step after")} title={tr("Step after (↓)")} disabled={steps < 2} onClick={() => change(chooseStep(trace, state, 1))}>
          ▾
        </button>
        <label>
          <input
            type="checkbox"
            id="pair"
            checked={state.pair}
            onChange={() => change({ ...state, pair: !state.pair })}
          />{" "}
          {tr("with the one before")}
        </label>
      </div>
    </nav>
  );
}
