import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { tr } from "../language.ts";
import type { Props } from "./app.tsx";
import { type Request, costText } from "../parts/data.ts";
import { blockOf, chooseLine, chosenRequest, kernelOf, warpOf } from "./state.ts";

/** The most expensive requests of a line, by sectors and by wavefronts. */
interface Costs {
  global?: Request;
  shared?: Request;
}

function costliest(requests: Request[], lineOf: (request: Request) => string): Map<string, Costs> {
  const found = new Map<string, Costs>();
  for (const request of requests) {
    const line = lineOf(request);
    const known = found.get(line) ?? {};
    const memory = request.shared ? "shared" : "global";
    if (request.cost > (known[memory]?.cost ?? 0)) known[memory] = request;
    found.set(line, known);
  }
  return found;
}

/** Whether a request moves more than twice the bytes that it needs, or has bank conflicts. */
const isWasteful = (request: Request) =>
  request.shared ? request.detail > 0 : request.detail < request.cost * 32 * 0.5;

const Cost = ({ of }: { of?: Request }) => (
  <span class={`cost ${of && isWasteful(of) ? "wasteful" : ""}`}>{of?.cost ?? ""}</span>
);

/** Scrolls a box, but not the page, to one of its lines. */
export function keepInSight(box: HTMLElement | null, line?: HTMLElement | null) {
  if (!box || !line) return;
  const top = line.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}

export function Source({ trace, state, change }: Props) {
  const kernel = kernelOf(trace, state);
  const block = blockOf(trace, state);
  const used = trace.sources.filter((source) => kernel.sites.some((site) => site.file === source.file));
  const [tab, choose] = useState("");
  const source = used.find((one) => one.file === tab) ?? used[0];
  const list = useRef<HTMLOListElement>(null);

  const lineOf = (request: Request) => {
    const site = kernel.sites[request.site];
    return `${site.file}:${site.line}`;
  };
  const costs = useMemo(() => costliest(block.requests, lineOf), [block, kernel]);
  const active = new Set(
    block.requests
      .filter((one) => one.interval === state.interval && one.warp === warpOf(state))
      .filter((one) => state.step === null || one.step === state.step)
      .map(lineOf),
  );
  const request = chosenRequest(trace, state);
  const chosen = request ? lineOf(request) : "";
  const faults = new Set(trace.findings.flatMap((one) => [`${one.file}:${one.line}`, `${one.other_file}:${one.other_line}`]));

  useEffect(() => {
    const box = list.current;
    keepInSight(box, box?.querySelector(".now") ?? box?.querySelector(".active"));
  }, [chosen, source]);

  if (!source) {
    return (
      <section class="card source">
        <h2>{tr("Source")}</h2>
        <p>{tr("The lines are not known.")}</p>
      </section>
    );
  }
  return (
    <section class="card source">
      <h2>
        {tr("Source")}
        {used.length > 1 ? (
          <select value={source.file} aria-label={tr("File")} onChange={(event) => choose(event.currentTarget.value)}>
            {used.map((one) => (
              <option key={one.file}>{one.file}</option>
            ))}
          </select>
        ) : (
          <small>{source.file}</small>
        )}
      </h2>
      <p class="hint">
        {tr("A request of a line takes at most so many sectors of global memory, and wavefronts of shared memory.")}
      </p>
      <div class="gutters" aria-hidden="true">
        <span>{tr("line")}</span>
        <span>{tr("sectors")}</span>
        <span>{tr("wavefr.")}</span>
      </div>
      <ol class="code" ref={list} tabIndex={0} aria-label={tr("Lines of {}", source.file)}>
        {source.lines.map((text, i) => {
          const name = `${source.file}:${i + 1}`;
          const cost = costs.get(name);
          const filtered = state.site?.line === i + 1 && state.site.file === source.file;
          const classes = [
            active.has(name) && "active",
            name === chosen && active.has(name) && "now",
            faults.has(name) && "fault",
            filtered && "filtered",
          ];
          const told = [cost?.global, cost?.shared].flatMap((one) => (one ? [costText(one)] : []));
          return (
            <li
              key={i}
              data-line={i + 1}
              class={classes.filter(Boolean).join(" ")}
              aria-current={active.has(name) ? "step" : undefined}
            >
              {cost ? (
                <button
                  aria-pressed={filtered}
                  title={tr("at most {} a request; click for its requests", told.join(tr(" and ")))}
                  onClick={() => change(chooseLine(trace, state, source.file, i + 1))}
                >
                  <span class="gutter">
                    <Cost of={cost.global} />
                    <Cost of={cost.shared} />
                  </span>
                  <code>{text}</code>
                </button>
              ) : (
                <>
                  <span class="gutter" />
                  <code>{text || " "}</code>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
