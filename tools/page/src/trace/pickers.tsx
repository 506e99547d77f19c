import { tr } from "../language.ts";
import type { Props } from "./app.tsx";
import { point, threadIndex, threadsOf } from "../parts/data.ts";
import { nameOfThread } from "../parts/matrices.tsx";
import { chooseBlock, chooseThread, kernelOf, warpOf } from "./state.ts";

/**
 * Moves the focus among the buttons of a grid, so that arrow keys choose a button there instead of moving through
 * the intervals. The Tab key stops at one of the buttons.
 */
function walk(event: KeyboardEvent, columns: number) {
  const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
  const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons[now + by]?.focus();
}

export function BlockPicker({ trace, state, change }: Props) {
  const kernel = kernelOf(trace, state);
  // If only some blocks left a trace, those are shown next to each other.
  const columns = new Set(kernel.blocks.map((block) => block.index[0])).size;
  return (
    <section class="card">
      <h2>
        {tr("Block")} <small>{point(kernel.blocks[state.block].index)}</small>
      </h2>
      <div
        class="grid blocks"
        role="group"
        aria-label={tr("Blocks")}
        style={{ "--columns": columns }}
        onKeyDown={(event) => walk(event, columns)}
      >
        {kernel.blocks.map((block, i) => {
          const strays = block.requests.some((request) => request.outside || request.racing);
          return (
            <button
              key={i}
              data-block={point(block.index)}
              class={strays ? "fault" : ""}
              aria-pressed={i === state.block}
              tabIndex={i === state.block ? 0 : -1}
              title={strays ? tr("block {}, at fault", point(block.index)) : tr("block {}", point(block.index))}
              onClick={() => change(chooseBlock(trace, state, i))}
            >
              {block.index.slice(0, 2).join(", ")}
              {strays && " !"}
            </button>
          );
        })}
      </div>
    </section>
  );
}

export function ThreadPicker({ trace, state, change }: Props) {
  const kernel = kernelOf(trace, state);
  const columns = kernel.block[0];
  // Up to 32 rows and columns fit at once; for larger blocks each row is a warp.
  const rows = threadsOf(kernel) / columns;
  const narrow = columns > 32 || rows > 32 ? 32 : columns;
  return (
    <section class="card">
      <h2>
        {tr("Threads")} <small>{state.threads.map((one) => point(threadIndex(kernel, one))).join(" ")}</small>
      </h2>
      <div
        class="grid threads"
        role="group"
        aria-label={tr("Threads of the block")}
        style={{ "--columns": narrow }}
        onKeyDown={(event) => walk(event, narrow)}
      >
        {Array.from({ length: threadsOf(kernel) }, (_, thread) => {
          const colour = state.threads.indexOf(thread);
          const name = point(threadIndex(kernel, thread));
          const odd = Math.floor(thread / 32) % 2 === 1;
          return (
            <button
              key={thread}
              data-thread={thread}
              class={`${colour >= 0 ? `t${colour}` : ""} ${odd ? "odd" : ""}`}
              aria-pressed={colour >= 0}
              tabIndex={colour === 0 ? 0 : -1}
              aria-label={`${colour >= 0 ? nameOfThread(state.threads, colour) : ""} ${tr("thread {}", name)}`.trim()}
              title={tr("thread {}, warp {}", name, Math.floor(thread / 32))}
              onClick={(event) =>
                change(
                  chooseThread(state, thread, state.several || event.shiftKey || event.ctrlKey || event.metaKey),
                )
              }
            >
              {colour >= 0 && nameOfThread(state.threads, colour)}
            </button>
          );
        })}
      </div>
      <label class="several">
        <input
          type="checkbox"
          id="several"
          checked={state.several}
          onChange={() => change({ ...state, several: !state.several })}
        />{" "}
        {tr("several, up to four")}
      </label>
      <p class="hint">
        {narrow !== columns && `${tr("A row is a warp.")} `}
        {tr("Requests are those of warp {}.", warpOf(state))}
      </p>
    </section>
  );
}
