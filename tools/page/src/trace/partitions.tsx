import type { Props } from "./app.tsx";
import { blockOf, kernelOf } from "./state.ts";

const mostBlocks = 32;

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

interface Half {
  name: string;
  kind: 0 | 1;
  blocks: number[][][];
  /** The block that is looked at elsewhere on the page. */
  chosen: number;
}

function Half({ name, kind, blocks, chosen }: Half) {
  const totals = blocks[0][kind].map((_, partition) => sum(blocks.map((block) => block[kind][partition])));
  const busiest = Math.max(1, ...totals);
  const busy = sum(totals) / busiest;
  return (
    <div class="half">
      <h3>{name}</h3>
      <table>
        <thead>
          <tr>
            <th scope="col">block</th>
            {totals.map((_, partition) => (
              <th key={partition} scope="col">
                {partition}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {blocks.map((block, i) => (
            <tr key={i} class={i === chosen ? "chosen" : ""}>
              <th scope="row">{i}</th>
              {block[kind].map((bytes, partition) => (
                <td key={partition} title={`${bytes} bytes`}>
                  <i
                    class={`p${partition}`}
                    style={{ width: `${(100 * bytes) / Math.max(1, sum(block[kind]))}%` }}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">all</th>
            {totals.map((bytes, partition) => (
              <td key={partition} title={`${bytes} bytes`}>
                <i class={`p${partition}`} style={{ height: `${(100 * bytes) / busiest}%` }} />
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
      <p class={busy < totals.length / 2 ? "conflict" : ""}>
        as fast as {busy.toFixed(1)} of {totals.length} partitions
      </p>
    </div>
  );
}

/** GT200's DRAM: partitions that take turns every 256 bytes. */
export function Partitions({ trace, state }: Props) {
  const blocks = kernelOf(trace, state).partitions!.slice(0, mostBlocks);
  const chosen = blockOf(trace, state).number;
  return (
    <section class="card partitions">
      <h2>
        Partitions <small>bytes of the first {blocks.length} blocks</small>
      </h2>
      <div class="halves">
        <Half name="loads" kind={0} blocks={blocks} chosen={chosen} />
        <Half name="stores" kind={1} blocks={blocks} chosen={chosen} />
      </div>
    </section>
  );
}
