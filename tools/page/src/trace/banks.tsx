import { type Kernel, type Request, type Trace, hasLane } from "./data.ts";
import { type State, kernelOf } from "./state.ts";

/** "As[3][0]", the element at a word. */
function wordName(kernel: Kernel, word: number): string {
  const byte = word * 4;
  const array = kernel.arrays.findLast((one) => one.start <= byte);
  if (!array) return `byte ${byte}`;
  let index = Math.floor((byte - array.start) / array.element_bytes);
  let name = "";
  for (let i = array.extents.length - 1; i >= 0; --i) {
    const extent = Math.max(1, array.extents[i]);
    name = `[${i === 0 ? index : index % extent}]${name}`;
    index = Math.floor(index / extent);
  }
  return array.name + name;
}

/** One request to shared memory: which lane wants which word of which bank. */
export function Banks({ trace, state, request }: { trace: Trace; state: State; request: Request }) {
  const kernel = kernelOf(trace, state);
  const { banks } = trace.gpu;
  const lanesOfWord = new Map<number, number[]>();
  request.at.forEach((at, nth) => {
    for (let byte = at; byte < at + request.bytes; byte += 4) {
      const word = Math.floor(byte / 4);
      lanesOfWord.set(word, [...(lanesOfWord.get(word) ?? []), request.lanes[nth]]);
    }
  });
  const rows = [...new Set([...lanesOfWord.keys()].map((word) => Math.floor(word / banks)))];
  rows.sort((a, b) => a - b);
  // Words that a bank has to give at once: on 1.x a half-warp's, and wide accesses take turns anyway.
  const wordsOfBank = Array.from({ length: banks }, () => 0);
  for (const inTurn of trace.gpu.half_warps ? [0, 1] : [null]) {
    const words = Array.from({ length: banks }, () => 0);
    for (const [word, lanes] of lanesOfWord) {
      if (inTurn === null || lanes.some((lane) => Math.floor(lane / 16) === inTurn)) ++words[word % banks];
    }
    words.forEach((count, bank) => (wordsOfBank[bank] = Math.max(wordsOfBank[bank], count)));
  }
  const conflict = (bank: number) => request.detail > 0 && wordsOfBank[bank] > 1;
  return (
    <figure class="banks">
      <figcaption class={request.detail > 0 ? "conflict" : ""}>
        {request.lanes.length} lanes want {lanesOfWord.size} words:{" "}
        <strong>
          {request.cost} wavefront{request.cost === 1 ? "" : "s"}
        </strong>
        {request.detail > 0 ? `, ${request.detail} of them by bank conflicts.` : ", no bank conflict."}
      </figcaption>
      <div class="scroll">
        <table style={{ "--banks": banks }}>
          <thead>
            <tr>
              <th scope="col">bank</th>
              {wordsOfBank.map((_, bank) => (
                <th key={bank} scope="col" class={conflict(bank) ? "conflict" : ""}>
                  {bank}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row">{wordName(kernel, row * banks)}</th>
                {wordsOfBank.map((_, bank) => {
                  const lanes = lanesOfWord.get(row * banks + bank);
                  if (!lanes) return <td key={bank} />;
                  const colour = state.threads.findIndex((thread) => lanes.includes(thread - request.warp * 32));
                  const racing = lanes.some((lane) => hasLane(request.racing, lane));
                  const classes = ["used", conflict(bank) && "conflict", colour >= 0 && `t${colour}`, racing && "bad"];
                  return (
                    <td
                      key={bank}
                      class={classes.filter(Boolean).join(" ")}
                      title={`${wordName(kernel, row * banks + bank)}: lane${lanes.length > 1 ? "s" : ""} ${lanes.join(", ")}`}
                    >
                      {lanes.length > 1 ? `x${lanes.length}` : lanes[0]}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">A number is the lane that wants the word, x8 that eight lanes share it.</p>
    </figure>
  );
}
