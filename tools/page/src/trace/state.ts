// The reader's choices, and how keys and clicks change them.

import { type Block, type Kernel, type Request, type Trace, hasLane, threadsOf } from "../parts/data.ts";

export interface State {
  kernel: number;
  /** Position in the kernel's list of traced blocks. */
  block: number;
  /** The chosen threads in the order of their colours; at least one. */
  threads: number[];
  interval: number;
  /** The step of the loop within the interval; null for all steps. */
  step: number | null;
  /** Shows the interval before this one as well. */
  pair: boolean;
  playing: boolean;
  /** A click adds a thread to the chosen ones, as with Shift. */
  several: boolean;
  /** Shows only the requests of this line. */
  site: { file: string; line: number } | null;
  /** Position in the block's list; null for the first request that is shown. */
  request: number | null;
  help: boolean;
  /** Single characters work as keys; users of speech input turn them off. */
  characters: boolean;
  dark: boolean | null;
}

export const mostThreads = 4;

export const kernelOf = (trace: Trace, state: State): Kernel => trace.kernels[state.kernel];
export const blockOf = (trace: Trace, state: State): Block => kernelOf(trace, state).blocks[state.block];

function usual(kernel: Kernel): number[] {
  const last = threadsOf(kernel) - 1;
  return last > 0 ? [0, last] : [0];
}

export function start(trace: Trace): State {
  return {
    kernel: 0,
    block: 0,
    threads: usual(trace.kernels[0]),
    interval: 0,
    step: null,
    pair: false,
    playing: false,
    several: false,
    site: null,
    request: null,
    help: false,
    characters: true,
    dark: null,
  };
}

export const chooseKernel = (trace: Trace, state: State, kernel: number): State => ({
  ...start(trace),
  kernel,
  threads: usual(trace.kernels[kernel]),
  several: state.several,
  characters: state.characters,
  dark: state.dark,
});

export function chooseBlock(trace: Trace, state: State, block: number): State {
  const { blocks } = kernelOf(trace, state);
  const chosen = (block + blocks.length) % blocks.length;
  return {
    ...state,
    block: chosen,
    interval: Math.min(state.interval, blocks[chosen].intervals - 1),
    request: null,
  };
}

export function chooseInterval(trace: Trace, state: State, interval: number): State {
  const last = blockOf(trace, state).intervals - 1;
  return { ...state, interval: Math.max(0, Math.min(interval, last)), step: null, request: null };
}

/** @param more adds the thread to the others, or removes it if it is among them */
export function chooseThread(state: State, thread: number, more: boolean): State {
  if (!more) return { ...state, threads: [thread], request: null };
  const others = state.threads.filter((one) => one !== thread);
  if (others.length < state.threads.length) {
    return others.length > 0 ? { ...state, threads: others } : state;
  }
  return { ...state, threads: [...state.threads, thread].slice(-mostThreads) };
}

/** The number of steps in the interval's loops. */
export function stepsOf(block: Block, interval: number): number {
  let last = 0;
  for (const request of block.requests) {
    if (request.interval === interval) last = Math.max(last, request.step);
  }
  return last + 1;
}

export function chooseStep(trace: Trace, state: State, by: 1 | -1): State {
  const steps = stepsOf(blockOf(trace, state), state.interval);
  if (state.step === null) return { ...state, step: by > 0 ? 0 : steps - 1, request: null };
  const step = state.step + by;
  return { ...state, step: step < 0 || step >= steps ? null : step, request: null };
}

export const warpOf = (state: State) => Math.floor(state.threads[0] / 32);

/** The requests of the first chosen thread's warp that the choices select. */
export function requestsOf(trace: Trace, state: State): Request[] {
  const { sites } = kernelOf(trace, state);
  return blockOf(trace, state).requests.filter((request) => {
    if (request.interval !== state.interval || request.warp !== warpOf(state)) return false;
    if (state.step !== null && request.step !== state.step) return false;
    const site = sites[request.site];
    return !state.site || (site.line === state.site.line && site.file === state.site.file);
  });
}

export function chosenRequest(trace: Trace, state: State): Request | null {
  const requests = requestsOf(trace, state);
  return requests.find((one) => one.index === state.request) ?? requests[0] ?? null;
}

export function chooseNextRequest(trace: Trace, state: State, by: 1 | -1): State {
  const requests = requestsOf(trace, state);
  if (requests.length === 0) return state;
  const now = requests.indexOf(chosenRequest(trace, state)!);
  return { ...state, request: requests[(now + by + requests.length) % requests.length].index };
}

/**
 * Chooses a line's requests. If the warp makes none in this interval, goes to the line's first request of this
 * warp, or else of any warp.
 */
export function chooseLine(trace: Trace, state: State, file: string, line: number): State {
  if (state.site?.file === file && state.site.line === line) {
    return { ...state, site: null, request: null };
  }
  const chosen = { ...state, site: { file, line }, request: null };
  if (requestsOf(trace, chosen).length > 0) return chosen;
  const { sites } = kernelOf(trace, state);
  const block = blockOf(trace, state);
  const here = block.requests.filter((request) => {
    const site = sites[request.site];
    return site.file === file && site.line === line;
  });
  const found = here.find((request) => request.warp === warpOf(state)) ?? here[0];
  if (!found) return state;
  const threads = found.warp === warpOf(state) ? state.threads : [found.warp * 32 + found.lanes[0]];
  return { ...chosen, threads, interval: found.interval, step: null };
}

/** Goes to the first faulty access on a finding's lines, in whichever kernel and block it is. */
export function showFinding(trace: Trace, state: State, lines: number[]): State {
  for (const [k, kernel] of trace.kernels.entries()) {
    for (const [b, block] of kernel.blocks.entries()) {
      for (const request of block.requests) {
        const marked = request.outside | request.racing;
        if (marked === 0 || !lines.includes(kernel.sites[request.site].line)) continue;
        const lane = request.lanes.find((one) => hasLane(marked, one))!;
        return {
          ...state,
          kernel: k,
          block: b,
          threads: [request.warp * 32 + lane],
          interval: request.interval,
          step: null,
          site: null,
          request: request.index,
          playing: false,
        };
      }
    }
  }
  return state;
}

/** @returns the state after a key, or null if the key means nothing */
export function press(trace: Trace, state: State, key: string, shift: boolean): State | null {
  if (!state.characters && key.length === 1 && key !== " ") return null;
  if (state.help && key !== "?" && key !== "Escape") return null;
  const threads = threadsOf(kernelOf(trace, state));
  const still = { ...state, playing: false };
  switch (key) {
    case "ArrowRight":
      return chooseInterval(trace, still, state.interval + 1);
    case "ArrowLeft":
      return chooseInterval(trace, still, state.interval - 1);
    case "Home":
      return chooseInterval(trace, still, 0);
    case "End":
      return chooseInterval(trace, still, blockOf(trace, state).intervals - 1);
    case "ArrowDown":
      return chooseStep(trace, still, 1);
    case "ArrowUp":
      return chooseStep(trace, still, -1);
    case " ":
      return { ...state, playing: !state.playing };
    case "2":
      return { ...state, pair: !state.pair };
    case "b":
    case "B":
      return chooseBlock(trace, state, state.block + (shift ? -1 : 1));
    case "t":
    case "T":
      return chooseThread(state, (state.threads[0] + (shift ? threads - 1 : 1)) % threads, false);
    case "r":
    case "R":
      return chooseNextRequest(trace, state, shift ? -1 : 1);
    case "?":
      return { ...state, help: !state.help };
    case "Escape":
      return state.help ? { ...state, help: false } : { ...state, site: null, request: null };
    default:
      return null;
  }
}
