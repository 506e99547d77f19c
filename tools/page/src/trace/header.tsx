import { useLayoutEffect, useRef } from "preact/hooks";
import { tr } from "../language.ts";
import type { Props } from "./app.tsx";
import { blocksOf } from "../parts/data.ts";
import { chooseKernel, kernelOf } from "./state.ts";

const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

export function Header({ trace, state, change }: Props) {
  const kernel = kernelOf(trace, state);
  const cut = kernel.blocks.some((block) => block.cut);
  const blocks = blocksOf(kernel);
  return (
    <header>
      <div class="title">
        <h1>{trace.call}</h1>
        <p>
          {trace.stage} · {kernel.name} ·{" "}
          {tr(
            "grid {} of blocks of {} · {}, simulated",
            kernel.grid.slice(0, 2).join(" x "),
            kernel.block.slice(0, kernel.block[2] > 1 ? 3 : 2).join(" x "),
            trace.gpu.name,
          )}
        </p>
      </div>
      {(kernel.blocks.length < blocks || cut) && (
        <p class="note" role="note">
          {kernel.blocks.length < blocks &&
            `${tr("{} of {} blocks are shown: corners, edges and an inner one.", kernel.blocks.length, blocks)} `}
          {cut && `${tr("Of long blocks the beginning only.")} `}
          {tr("A smaller call shows all.")}
        </p>
      )}
      {trace.kernels.length > 1 && (
        <label class="kernel">
          {tr("Launch")}{" "}
          <select
            value={state.kernel}
            onChange={(event) => change(chooseKernel(trace, state, Number(event.currentTarget.value)))}
          >
            {trace.kernels.map((one, i) => (
              <option key={i} value={i}>
                {tr("{} of {}: {}", i + 1, trace.launches, one.name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <button
        class="round"
        id="theme"
        aria-label={tr("Light or dark")}
        title={tr("Light or dark")}
        onClick={() => change({ ...state, dark: !(state.dark ?? isDark()) })}
      >
        ◐
      </button>
      <button
        class="round"
        id="help"
        aria-label={tr("Keys")}
        title={tr("Keys (?)")}
        onClick={() => change({ ...state, help: true })}
      >
        ?
      </button>
    </header>
  );
}

const keys = () => [
  ["← →", tr("interval before, after")],
  ["↑ ↓", tr("step of the loop within it")],
  [tr("Home End"), tr("first, last interval")],
  [tr("Space"), tr("play")],
  ["2", tr("with the interval before")],
  ["T, Shift T", tr("next thread, the one before")],
  ["B, Shift B", tr("next block, the one before")],
  ["R, Shift R", tr("next request of the warp, the one before")],
  ["Esc", tr("all lines again")],
  [tr("Shift click"), tr("one more thread, up to four")],
];

/** Uses the browser's dialog, which keeps the focus inside and gives it back at the end. */
export function Help({ state, change }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The dialog must open before anything else takes the focus, or it could not give the focus back.
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close();
  }, []);
  const close = () => change({ ...state, help: false });
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="keys"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <section class="card">
        <h2 id="keys">{tr("Keys")}</h2>
        <dl>
          {keys().map(([key, what]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <label>
          <input
            type="checkbox"
            id="characters"
            checked={state.characters}
            onChange={() => change({ ...state, characters: !state.characters })}
          />{" "}
          {tr("letters, digits and ? are keys")}
        </label>
        <p>
          {tr(
            "An interval is what a block does between two barriers. A filled square is an element that a thread loads from, or stores to, global memory; a dot is one that it uses from shared memory, where perhaps another thread has put it.",
          )}
        </p>
        <button autofocus onClick={close}>
          {tr("Close")}
        </button>
      </section>
    </dialog>
  );
}
