// What a picture of matrices shows, without a picture and a pointer.

import { type Kernel, type Trace, elementName, elementOf, point, threadIndex } from "../parts/data.ts";
import { strayName, verbs } from "../parts/matrices.tsx";
import type { Role, Touched } from "../parts/touched.ts";

interface Told {
  trace: Trace;
  kernel: Kernel;
  now: Touched;
  says?: Record<Role, string>;
}

/** More elements than that nobody reads. */
const mostTold = 32;

/** What the picture shows of a thread, in words: "thread (1, 0) loads A[0][1], B[0][1]; uses A[0][0]". */
function inWords({ trace, kernel, now, says = verbs }: Told, thread: number): string {
  const roles: Role[] = ["load", "use", "write"];
  const told = roles.flatMap((role) => {
    const numbers = [...now[role]].filter(([, threads]) => threads.has(thread)).map(([number]) => number);
    if (numbers.length === 0) return [];
    const names = numbers.slice(0, mostTold).map((number) => {
      const name = elementName(trace.matrices, elementOf(trace.matrices, number));
      return now.racing.has(number) ? `${name} (in a race)` : name;
    });
    const more = numbers.length > mostTold ? ` and ${numbers.length - mostTold} more` : "";
    return [`${says[role]} ${names.join(", ")}${more}`];
  });
  const strays = now.strays.filter((stray) => stray.thread === thread);
  if (strays.length > 0) {
    const names = strays.slice(0, mostTold).map((stray) => strayName(trace, stray));
    told.push(`reaches for ${names.join(", ")}, which is outside`);
  }
  const name = `thread ${point(threadIndex(kernel, thread))}`;
  return `${name} ${told.length > 0 ? told.join("; ") : "touches none of them"}`;
}

export const InWords = ({ threads, ...told }: Told & { threads: number[] }) => (
  <details class="words">
    <summary>In words</summary>
    <ul>
      {threads.map((thread) => (
        <li key={thread}>{inWords(told, thread)}</li>
      ))}
    </ul>
  </details>
);
