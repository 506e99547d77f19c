import { useEffect, useRef } from "preact/hooks";
import type { Props } from "./app.tsx";
import { Picture } from "../drawing.tsx";
import { told, tr } from "../language.ts";
import { counted } from "../numbers.ts";
import { conflictText, drawBanks, lanesInWords, wavefronts, wordsWanted } from "../parts/banks.tsx";
import { type Request, costText, deed } from "../parts/data.ts";
import { drawSectors } from "../parts/sectors.tsx";
import { keepInSight } from "./source.tsx";
import { chooseNextRequest, chosenRequest, kernelOf, requestsOf, warpOf } from "./state.ts";

const mostListed = 200;

function Banks({ trace, state, request }: Props & { request: Request }) {
  const words = wordsWanted(request);
  const picture = drawBanks(trace, kernelOf(trace, state), request, state.threads, 14);
  return (
    <figure class="banks">
      <figcaption class={request.detail > 0 ? "conflict" : ""}>
        {told(
          "{} want {}: {}, {}.",
          lanesInWords(request.lanes.length),
          counted(words, tr("1 word"), tr("{} words", words)),
          <strong>{wavefronts(request)}</strong>,
          conflictText(request),
        )}
      </figcaption>
      <div class="scroll" tabIndex={0} role="group" aria-label={tr("Banks")}>
        <Picture of={picture} name="plan" label={tr("Words of each bank, and the lanes that want them")} />
      </div>
      <p class="hint">{tr("A number is the lane that wants the word, x8 that eight lanes share it.")}</p>
    </figure>
  );
}

function Sectors({ trace, state, request }: Props & { request: Request }) {
  return (
    <figure class="sectors">
      <figcaption>
        {tr("{} ask for {} bytes: {}.", lanesInWords(request.lanes.length), request.detail, costText(request))}
        {trace.gpu.half_warps &&
          ` ${tr("Half-warps are served one after the other, in segments of 32, 64 or 128 bytes.")}`}
      </figcaption>
      <div class="scroll" tabIndex={0} role="group" aria-label={tr("Sectors")}>
        <Picture
          of={drawSectors(trace, request, state.threads, innerWidth < 600 ? 2 : 4)}
          name="plan sectors"
          label={tr("Sectors that move, and the words of them that lanes asked for")}
        />
      </div>
      <p class="hint">
        {tr("A box is a sector of 32 bytes; a number is the lane that asked; grey moves for nothing.")}
      </p>
    </figure>
  );
}

export function Requests({ trace, state, change }: Props) {
  const kernel = kernelOf(trace, state);
  const requests = requestsOf(trace, state);
  const chosen = chosenRequest(trace, state);
  const lineOf = (request: Request) => kernel.sites[request.site].line;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => keepInSight(list.current, list.current?.querySelector("[aria-selected=true]")), [chosen]);
  return (
    <section class="card requests">
      <h2>
        {tr("Requests")}
        <small>
          {state.site
            ? tr("warp {}, interval {}, line {}: {}", warpOf(state), state.interval, state.site.line, requests.length)
            : tr("warp {}, interval {}: {}", warpOf(state), state.interval, requests.length)}
        </small>
      </h2>
      {chosen ? (
        <>
          <div
            class="list"
            ref={list}
            role="listbox"
            aria-label={tr("Requests of the warp")}
            aria-activedescendant={`request-${chosen.index}`}
            tabIndex={0}
            onKeyDown={(event) => {
              if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
              event.preventDefault();
              event.stopPropagation();
              change(chooseNextRequest(trace, state, event.key === "ArrowDown" ? 1 : -1));
            }}
          >
            {requests.slice(0, mostListed).map((request) => {
              const bad = request.outside !== 0 || request.racing !== 0;
              return (
                <div
                  key={request.index}
                  role="option"
                  id={`request-${request.index}`}
                  data-request={request.index}
                  aria-selected={request === chosen}
                  class={bad ? "fault" : ""}
                  onClick={() => change({ ...state, request: request.index })}
                >
                  <span class="mono">{lineOf(request)}</span>
                  <span>
                    {deed(trace, request)}
                    {request.outside !== 0 && tr(", out of bounds")}
                    {request.racing !== 0 && tr(", in a race")}
                  </span>
                  <span>{costText(request)}</span>
                </div>
              );
            })}
            {requests.length > mostListed && (
              <p class="hint">{tr("and {} more: choose a step or a line", requests.length - mostListed)}</p>
            )}
          </div>
          {chosen.shared ? (
            <Banks trace={trace} state={state} change={change} request={chosen} />
          ) : (
            <Sectors trace={trace} state={state} change={change} request={chosen} />
          )}
        </>
      ) : (
        <p class="hint">{tr("This warp touches no memory here.")}</p>
      )}
    </section>
  );
}
