import type { Props } from "./app.tsx";
import { Banks } from "./banks.tsx";
import { type Request, costText, deed } from "./data.ts";
import { Sectors } from "./sectors.tsx";
import { chosenRequest, kernelOf, requestsOf, warpOf } from "./state.ts";

const mostListed = 200;

export function Requests({ trace, state, change }: Props) {
  const kernel = kernelOf(trace, state);
  const requests = requestsOf(trace, state);
  const chosen = chosenRequest(trace, state);
  const lineOf = (request: Request) => kernel.sites[request.site].line;
  return (
    <section class="card requests">
      <h2>
        Requests
        <small>
          warp {warpOf(state)}, interval {state.interval}
          {state.site ? `, line ${state.site.line}` : ""}: {requests.length}
        </small>
      </h2>
      {chosen ? (
        <>
          <div class="list" role="listbox" aria-label="Requests of the warp" tabIndex={0}>
            {requests.slice(0, mostListed).map((request) => {
              const bad = request.outside !== 0 || request.racing !== 0;
              return (
                <div
                  key={request.index}
                  role="option"
                  data-request={request.index}
                  aria-selected={request === chosen}
                  class={bad ? "fault" : ""}
                  onClick={() => change({ ...state, request: request.index })}
                >
                  <span class="mono">{lineOf(request)}</span>
                  <span>
                    {deed(trace, request)}
                    {request.outside !== 0 && ", out of bounds"}
                    {request.racing !== 0 && ", in a race"}
                  </span>
                  <span>{costText(request)}</span>
                </div>
              );
            })}
            {requests.length > mostListed && <p class="hint">and {requests.length - mostListed} more: choose a step or a line</p>}
          </div>
          {chosen.shared ? (
            <Banks trace={trace} state={state} request={chosen} />
          ) : (
            <Sectors trace={trace} state={state} request={chosen} />
          )}
        </>
      ) : (
        <p class="hint">This warp touches no memory here.</p>
      )}
    </section>
  );
}
