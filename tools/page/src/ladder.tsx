// Draws charts with a bar for each version, one below the other. As lines, many versions would hide
// one another.

import { type Setting, Title, colourOf, roomForTitle } from "./chart.tsx";
import { type Drawn, px, shortened } from "./drawing.tsx";
import { tr } from "./language.ts";
import { significant } from "./numbers.ts";
import { scaleOfHeights, share } from "./scales.ts";

export interface Rung {
  name: string;
  value: number;
  /** Shown beside the value: "n = 128". */
  note: string;
  /** Whether the others are compared with it: cuBLAS, a copy. */
  aside: boolean;
}

export interface Ladder {
  title: string;
  unit: string;
  rungs: Rung[];
}

const width = 480;
const left = 4;
/** The height of a rung: its name, its bar and the gap. */
const step = 38;
const bar = 14;
/** Room for a value and its note after the longest bar. */
const values = 120;

export function ladderInWords({ unit, rungs }: Ladder): string {
  const told = rungs.map(({ name, value, note }) => ` ${name}: ${significant(value)}, ${note}.`);
  return tr("Chart of {} by version.", unit) + told.join("");
}

export function drawLadder({ title, unit, rungs }: Ladder, setting: Setting): Drawn {
  const top = setting === "file" ? 36 : 4;
  const scale = scaleOfHeights(
    rungs.map((rung) => rung.value),
    false,
  );
  const room = width - left - values;
  const below = top + rungs.length * step;
  const x = (value: number) => px(left + room * share(scale, value));
  const content = (
    <g class="chart ladder">
      {setting === "file" && <Title of={title} width={width} />}
      {scale.marks.map((mark) => (
        <g key={mark}>
          <path class="rule" d={`M${x(mark)} ${top}V${below}`} />
          <text class="soft small mid" x={x(mark)} y={below + 16}>
            {String(mark)}
          </text>
        </g>
      ))}
      {rungs.map(({ name, value, note, aside }, i) => {
        const y = top + i * step;
        return (
          <g key={i} class={aside ? "aside" : colourOf(0)}>
            <title>{`${name}: ${significant(value)} ${unit}, ${note}`}</title>
            <text class="name" x={left + 2} y={y + 14}>
              {shortened(name, roomForTitle)}
            </text>
            <rect class="rung" x={left} y={y + 19} width={px(Math.max(1, x(value) - left))} height={bar} rx={2} />
            <text class="bold" x={x(value) + 8} y={y + 30}>
              {significant(value)}
              <tspan class="soft small" dx={6}>
                {note}
              </tspan>
            </text>
          </g>
        );
      })}
      <path class="axis" d={`M${left} ${top}V${below}`} />
      <text class="mid" x={left + room / 2} y={below + 36}>
        {unit}
      </text>
    </g>
  );
  return { width, height: below + 44, content };
}
