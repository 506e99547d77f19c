import { type Request, type Trace, costText, elementName, elementOf, hasLane } from "./data.ts";
import type { State } from "./state.ts";

const sectorBytes = 32;
const wordBytes = 4;
const wordsASector = sectorBytes / wordBytes;

/** One request to device memory: its sectors, and which lane asked for which words of them. */
export function Sectors({ trace, state, request }: { trace: Trace; state: State; request: Request }) {
  const matrix = request.matrix >= 0 ? trace.matrices[request.matrix] : null;
  const base = matrix?.place ?? 0;
  const lanesOfWord = new Map<number, number[]>();
  request.at.forEach((at, nth) => {
    for (let byte = base + at; byte < base + at + request.bytes; byte += wordBytes) {
      const word = Math.floor(byte / wordBytes);
      lanesOfWord.set(word, [...(lanesOfWord.get(word) ?? []), request.lanes[nth]]);
    }
  });
  const sectors = [...new Set([...lanesOfWord.keys()].map((word) => Math.floor(word / wordsASector)))];
  sectors.sort((a, b) => a - b);
  const name = (sector: number) => {
    if (!matrix) return `byte ${sector * sectorBytes}`;
    const element = Math.floor((sector * sectorBytes - base) / matrix.element_bytes);
    if (element < 0 || element >= matrix.rows * matrix.ld) return "outside";
    return elementName(trace.matrices, elementOf(trace.matrices, matrix.first + element));
  };
  return (
    <figure class="sectors">
      <figcaption>
        {request.lanes.length} lanes ask for {request.detail} bytes: {costText(request)}.
        {trace.gpu.half_warps && " Half-warps are served one after the other, in segments of 32, 64 or 128 bytes."}
      </figcaption>
      <div class="row">
        {sectors.map((sector) => (
          <div key={sector} class="sector" data-sector={name(sector)}>
            <small>{name(sector)}</small>
            <div class="words">
              {Array.from({ length: wordsASector }, (_, i) => {
                const lanes = lanesOfWord.get(sector * wordsASector + i) ?? [];
                const colour = state.threads.findIndex((thread) => lanes.includes(thread - request.warp * 32));
                const outside = lanes.some((lane) => hasLane(request.outside, lane));
                const racing = lanes.some((lane) => hasLane(request.racing, lane));
                const classes = [
                  lanes.length > 0 ? "used" : "wasted",
                  colour >= 0 && `t${colour}`,
                  (outside || racing) && "bad",
                ];
                return (
                  <span
                    key={i}
                    class={classes.filter(Boolean).join(" ")}
                    title={lanes.length > 0 ? `lane${lanes.length > 1 ? "s" : ""} ${lanes.join(", ")}` : "moved for nothing"}
                  >
                    {lanes.length > 1 ? `x${lanes.length}` : (lanes[0] ?? "")}
                  </span>
                );
              })}
            </div>
          </div>
        ))}
      </div>
      <p class="hint">A box is a sector of 32 bytes; a number is the lane that asked; grey moves for nothing.</p>
    </figure>
  );
}
