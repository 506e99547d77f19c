// Tells a picture of matrices in words, for readers who do not see it or have no pointer.

import { tr } from "../language.ts";
import { type Kernel, type Trace, elementName, elementOf, point, threadIndex } from "../parts/data.ts";
import { type Says, saysOfMatrices, strayName } from "../parts/matrices.tsx";
import type { Role, Touched } from "../parts/touched.ts";

interface Told {
  trace: Trace;
  kernel: Kernel;
  now: Touched;
  says?: Says;
}

/** Nobody reads longer lists of elements. */
const mostTold = 32;

/** The elements of a thread in words: "thread (1, 0) loads A[0][1], B[0][1]; uses A[0][0]". */
function inWords({ trace, kernel, now, says = saysOfMatrices }: Told, thread: number): string {
  const roles: Role[] = ["load", "use", "write"];
  const told = roles.flatMap((role) => {
    const numbers = [...now[role]].filter(([, threads]) => threads.has(thread)).map(([number]) => number);
    if (numbers.length === 0) return [];
    const names = numbers.slice(0, mostTold).map((number) => {
      const name = elementName(trace.matrices, elementOf(trace.matrices, number));
      return now.racing.has(number) ? tr("{} (in a race)", name) : name;
    });
    const more = numbers.length > mostTold ? tr(" and {} more", numbers.length - mostTold) : "";
    return [says("", role, names.join(", ") + more).trim()];
  });
  const strays = now.strays.filter((stray) => stray.thread === thread);
  if (strays.length > 0) {
    const names = strays.slice(0, mostTold).map((stray) => strayName(trace, stray));
    told.push(tr("reaches for {}, which is outside", names.join(", ")));
  }
  const name = tr("thread {}", point(threadIndex(kernel, thread)));
  return told.length > 0 ? `${name} ${told.join("; ")}` : tr("{} touches none of them", name);
}

export const InWords = ({ threads, ...told }: Told & { threads: number[] }) => (
  <details class="words">
    <summary>{tr("In words")}</summary>
    <ul>
      {threads.map((thread) => (
        <li key={thread}>{inWords(told, thread)}</li>
      ))}
    </ul>
  </details>
);
