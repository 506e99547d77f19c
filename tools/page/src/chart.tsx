// Draws charts of lines over one horizontal axis. The marks of the axis stand at the points' own
// places.

import { type Drawn, At, Refusal, px, shortened } from "./drawing.tsx";
import { tr } from "./language.ts";
import { significant } from "./numbers.ts";
import { type Scale, scaleOfHeights, scaleOfPlaces, share } from "./scales.ts";

export interface Point {
  x: number;
  y: number;
}

export interface Series {
  name: string;
  /** Sorted by x. */
  points: Point[];
  /** Hidden until the reader chooses it; pictures without a choice leave it out. */
  waits?: boolean;
}

export interface Axis {
  /** With the unit: "time (ms)". */
  label: string;
  logarithmic: boolean;
}

export interface Chart {
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
  /**
   * "half" is half as wide as a page, with the names of the lines below; "whole" is as wide as a page, with the
   * names beside.
   */
  size: "half" | "whole";
}

/** Where a picture stands: in a file, with its title and legend, or in a page, which has both around it. */
export type Setting = "file" | "page";

/** JSON has null for a number that is not finite. */
const canBeDrawn = (point: { x: number | null; y: number | null }, chart: Chart) =>
  point.x !== null &&
  point.y !== null &&
  (!chart.x.logarithmic || point.x > 0) &&
  (!chart.y.logarithmic || point.y > 0);

/** Whether nobody could distinguish two lines: they are the same to half a percent at each place. */
function coincide(a: Series, b: Series): boolean {
  if (a.waits !== b.waits || a.points.length !== b.points.length) return false;
  return a.points.every(({ x, y }, i) => {
    const other = b.points[i];
    return x === other.x && Math.abs(y - other.y) <= 0.005 * Math.abs(y);
  });
}

/** Moves the hidden ones to the end, so that those that are shown get the first colours, which differ most. */
export const waitingLast = <One extends { waits?: boolean }>(all: One[]): One[] =>
  all.filter((one) => !one.waits).concat(all.filter((one) => one.waits));

/**
 * The lines of a chart without the points that cannot be drawn. Lines without any other points are left out, and
 * lines that coincide become one line with all of their names.
 */
export function linesOf(chart: Chart): Series[] {
  const lines: Series[] = [];
  for (const { name, points, waits } of chart.series) {
    const line = { name, points: points.filter((point) => canBeDrawn(point, chart)), waits };
    if (line.points.length === 0) continue;
    const same = lines.find((known) => coincide(known, line));
    if (same) same.name += `, ${name}`;
    else lines.push(line);
  }
  if (lines.length === 0) throw new Refusal(tr("the chart '{}' has no points", chart.title));
  return waitingLast(lines);
}

// Lines must differ in print without colours, too: they have dashes and points of different shapes, filled ones
// first.
const dashes = [undefined, "8 4", "3 3", "8 3 2 3"];
const shapes = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
  "M-3.6-3.6h7.2v7.2h-7.2z",
  "M0-4.6 4.4 3.4h-8.8z",
  "M0-5 5 0 0 5-5 0z",
  "M0 4.6-4.4-3.4h8.8z",
];
export const colourOf = (i: number) => `c${i % 7}`;
export const shapeOf = (i: number) => shapes[i % shapes.length];
const markOf = (i: number) => ({
  class: i % 10 < shapes.length ? "mark" : "mark hollow",
  d: shapeOf(i),
});

/** There is no room for more characters: across half a page, and in the name of a line. */
export const roomForTitle = 64;
const roomForName = 34;
const roomBelow = 60;

/** A sample of a line, in 32 x 10 pixels. */
export const LineSample = ({ i }: { i: number }) => (
  <>
    <path class="curve" d="M0 0h32" stroke-dasharray={dashes[i % dashes.length]} />
    <path transform="translate(16 0)" {...markOf(i)} />
  </>
);

function Legend({ lines, columns, width, room }: { lines: Series[]; columns: number; width: number; room: number }) {
  return (
    <>
      {lines.map(({ name }, i) => (
        <g
          key={i}
          class={colourOf(i)}
          transform={`translate(${(i % columns) * px(width / columns)} ${Math.floor(i / columns) * legendRow})`}
        >
          <LineSample i={i} />
          <text class="name" x={40} y={4}>
            {shortened(name, room)}
          </text>
        </g>
      ))}
    </>
  );
}

const legendRow = 20;

/** A chart in words, for those who cannot see it. */
export function inWords(chart: Chart): string {
  const lasts = chart.series
    .filter((line) => line.points.length > 0)
    .map(({ name, points }) => {
      const last = points[points.length - 1];
      return tr(" {}: {} at {}.", name, significant(last.y), last.x);
    });
  return tr("Chart of {} against {}.", chart.y.label, chart.x.label) + lasts.join("");
}

/** The place of a picture's axes, in its own pixels. */
export interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Two axes with their marks, horizontal rules and names. */
export function Axes(of: { plot: Plot; across: Scale; up: Scale; x: string; y: string }) {
  const { left, top, width, height } = of.plot;
  const below = top + height;
  const x = (value: number) => px(left + width * share(of.across, value));
  const y = (value: number) => px(below - height * share(of.up, value));
  return (
    <>
      {of.up.marks.map((mark) => (
        <g key={mark}>
          <path class="rule" d={`M${left} ${y(mark)}h${width}`} />
          <text class="soft small end" x={left - 7} y={y(mark) + 4}>
            {String(mark)}
          </text>
        </g>
      ))}
      {of.across.marks.map((mark) => (
        <g key={mark}>
          <path class="axis" d={`M${x(mark)} ${below}v5`} />
          <text class="soft small mid" x={x(mark)} y={below + 18}>
            {String(mark)}
          </text>
        </g>
      ))}
      <path class="axis" d={`M${left} ${top}V${below}h${width}`} />
      <text class="mid" x={left + width / 2} y={below + 38}>
        {shortened(of.x, roomForTitle)}
      </text>
      <text class="mid" transform={`translate(14 ${top + height / 2}) rotate(-90)`}>
        {shortened(of.y, roomForTitle)}
      </text>
    </>
  );
}

/** The title of a picture in a file. */
export const Title = ({ of, width }: { of: string; width: number }) => (
  <text class="bold mid" x={width / 2} y={16}>
    {shortened(of, Math.floor(width / 7.5))}
  </text>
);

/** A chart as drawn, with the horizontal positions of its values of x. */
export interface DrawnChart extends Drawn {
  lines: Series[];
  plot: Plot;
  places: { value: number; x: number }[];
}

export function drawChart(chart: Chart, setting: Setting): DrawnChart {
  const inFile = setting === "file";
  const all = linesOf(chart);
  const lines = inFile ? all.filter((line) => !line.waits) : all;
  const points = ([] as Point[]).concat(...lines.map((line) => line.points));
  const xs = points.map((point) => point.x);
  const across = scaleOfPlaces(xs, chart.x.logarithmic);
  const up = scaleOfHeights(
    points.map((point) => point.y),
    chart.y.logarithmic,
  );
  const half = chart.size === "half";
  const width = half ? 480 : 960;
  const left = 74;
  const beside = half || !inFile ? 12 : 296; // a whole page has room for the names there
  const top = inFile ? 36 : 10;
  const plot = { left, top, width: width - left - beside, height: half ? 230 : 320 };
  const below = plot.top + plot.height;
  const columns = half && lines.every((line) => line.name.length <= 18) ? 2 : 1;
  const rows = Math.ceil(lines.length / columns);
  const x = (value: number) => px(left + plot.width * share(across, value));
  const y = (value: number) => px(below - plot.height * share(up, value));
  const tell = (name: string, point: Point) => tr("{}: {} at {}", name, significant(point.y), point.x);
  const content = (
    <g class="chart">
      {inFile && chart.title !== "" && <Title of={chart.title} width={width} />}
      <Axes plot={plot} across={across} up={up} x={chart.x.label} y={chart.y.label} />
      {lines.map((line, i) => (
        <g key={i} class={`${colourOf(i)} s${i}`}>
          <path
            class="curve"
            stroke-dasharray={dashes[i % dashes.length]}
            d={line.points.map((point, k) => `${k === 0 ? "M" : "L"}${x(point.x)} ${y(point.y)}`).join("")}
          />
          {line.points.map((point) => (
            <path key={point.x} transform={`translate(${x(point.x)} ${y(point.y)})`} {...markOf(i)}>
              <title>{tell(line.name, point)}</title>
            </path>
          ))}
        </g>
      ))}
      {inFile && (
        <At x={half ? left - 50 : left + plot.width + 24} y={half ? below + 62 : top + 10}>
          <Legend
            lines={lines}
            columns={columns}
            width={width - left + 50}
            room={half && columns === 1 ? roomBelow : roomForName}
          />
        </At>
      )}
    </g>
  );
  const legendBelow = half ? below + 62 + rows * legendRow - 8 : top + 10 + rows * legendRow;
  const height = Math.max(below + 46, inFile ? legendBelow : 0);
  const places = [...new Set(xs)].sort((a, b) => a - b).map((value) => ({ value, x: x(value) }));
  return { width, height, content, lines, plot, places };
}
