// Draws the partitions of GT200's DRAM, which take turns every 256 bytes, and the bytes that the
// first blocks of a launch move from and to each of them.

import { At, type Drawn, px } from "../drawing.tsx";
import { tr } from "../language.ts";

const partitionWidth = 26;
const blockHeight = 20;
const highest = 70;
const names = 80;
const between = 30;

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

/** Draws loads or stores: a row for each block, and the total of each partition. */
function drawHalf(name: string, blocks: number[][]): Drawn {
  const totals = blocks[0].map((_, partition) => sum(blocks.map((block) => block[partition])));
  const busiest = Math.max(1, ...totals);
  const busy = sum(totals) / busiest;
  const below = 42 + blocks.length * blockHeight + 12;
  const bar = (
    partition: number,
    bytes: number,
    y: number,
    height: number,
    part: { width?: number; height?: number },
  ) => {
    const width = partitionWidth - 2;
    const [wide, high] = [px(width * (part.width ?? 1)), px(height * (part.height ?? 1))];
    return (
      <g key={partition}>
        <title>{tr("{} bytes", bytes)}</title>
        <rect class="cell" x={partition * partitionWidth} y={y} width={width} height={height} />
        {bytes > 0 && (
          <rect
            class={`p${partition}`}
            x={partition * partitionWidth}
            y={px(y + height - high)}
            width={wide}
            height={high}
          />
        )}
      </g>
    );
  };
  const content = (
    <g class="half">
      <text class="bold" y={14}>
        {name}
      </text>
      {totals.map((_, partition) => (
        <text key={partition} class="small mid soft" x={(partition + 0.5) * partitionWidth - 1} y={35}>
          {partition}
        </text>
      ))}
      {blocks.map((block, i) => (
        <g key={i}>
          {block.map((bytes, partition) =>
            bar(partition, bytes, 42 + i * blockHeight, blockHeight - 2, {
              width: bytes / Math.max(1, sum(block)),
            }),
          )}
        </g>
      ))}
      {totals.map((bytes, partition) => bar(partition, bytes, below, highest, { height: bytes / busiest }))}
      <text class={`busy bold ${busy < totals.length / 2 ? "conflict" : ""}`} y={below + highest + 20}>
        {tr("as fast as {} of {} partitions", busy.toFixed(1), totals.length)}
      </text>
    </g>
  );
  return { width: totals.length * partitionWidth, height: below + highest + 26, content };
}

/**
 * @param blocks for each block, the bytes of its loads and of its stores, by partition
 * @param chosen the block that the rest of the page shows
 */
export function drawPartitions(blocks: number[][][], chosen?: number): Drawn {
  const loads = drawHalf(
    tr("loads from partition"),
    blocks.map(([bytes]) => bytes),
  );
  const stores = drawHalf(
    tr("stores to partition"),
    blocks.map(([, bytes]) => bytes),
  );
  const content = (
    <g class="partitions">
      {blocks.map((_, i) => (
        <text
          key={i}
          class={`small end ${i === chosen ? "chosen" : "soft"}`}
          x={names - 10}
          y={42 + i * blockHeight + 13}
        >
          {tr("block {}", i)}
        </text>
      ))}
      <text class="small end soft" x={names - 10} y={42 + blocks.length * blockHeight + 12 + highest / 2}>
        {tr("together")}
      </text>
      <At x={names} y={0}>
        {loads.content}
      </At>
      <At x={names + loads.width + between} y={0}>
        {stores.content}
      </At>
    </g>
  );
  return { width: names + loads.width + between + stores.width, height: loads.height, content };
}
