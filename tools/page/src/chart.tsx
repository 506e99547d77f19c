// Lines over one horizontal axis, whose marks stand at the points' own places.

import { type Drawn, At, Refusal, px, shortened } from "./drawing.tsx";
import { significant } from "./numbers.ts";

export interface Point {
  x: number;
  y: number;
}

export interface Series {
  name: string;
  /** By x. */
  points: Point[];
}

export interface Axis {
  /** With its unit: "time (ms)". */
  label: string;
  logarithmic: boolean;
}

export interface Chart {
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
  /** Half as wide as a page, with the names of the lines below, or as wide, with the names beside. */
  size: "half" | "whole";
}

/** An axis as it is drawn: from least to most, with marks. */
interface Scale {
  logarithmic: boolean;
  least: number;
  most: number;
  marks: number[];
}

/** Where a value lies on its axis, from 0 to 1. */
function share(scale: Scale, value: number): number {
  const on = (one: number) => (scale.logarithmic ? Math.log(one) : one);
  return (on(value) - on(scale.least)) / (on(scale.most) - on(scale.least));
}

/** JSON has null for what is not finite. */
const canBeDrawn = (point: { x: number | null; y: number | null }, chart: Chart) =>
  point.x !== null &&
  point.y !== null &&
  (!chart.x.logarithmic || point.x > 0) &&
  (!chart.y.logarithmic || point.y > 0);

/** Lines without the points that cannot be drawn; those that have no others are left out. */
function linesOf(chart: Chart): Series[] {
  const lines = chart.series
    .map(({ name, points }) => ({ name, points: points.filter((point) => canBeDrawn(point, chart)) }))
    .filter((line) => line.points.length > 0);
  if (lines.length === 0) throw new Refusal(`the chart '${chart.title}' has no points`);
  return lines;
}

/** The places whose numbers have room beside each other, from the right: the largest is talked about most. */
export function marksAt(places: number[], logarithmic: boolean): number[] {
  const on = (place: number) => (logarithmic ? Math.log(place) : place);
  const room = 0.1 * (on(places[places.length - 1]) - on(places[0])); // for a number of five digits
  const marks: number[] = [];
  for (const place of places.slice().reverse()) {
    if (marks.length === 0 || on(marks[0]) - on(place) >= room) marks.unshift(place);
  }
  return marks;
}

/** With room beyond the first and the last place. */
function scaleOfPlaces(values: number[], logarithmic: boolean): Scale {
  const places = values.filter((value, i) => values.indexOf(value) === i).sort((a, b) => a - b);
  const [first, last] = [places[0], places[places.length - 1]];
  const margin = first === last ? Math.max(1, 0.1 * Math.abs(first)) : 0.05 * (last - first);
  return {
    logarithmic,
    least: logarithmic ? first / 1.15 : first - margin,
    most: logarithmic ? last * 1.15 : last + margin,
    marks: marksAt(places, logarithmic),
  };
}

/** Marks that people count in: at 1, 2, 2.5 or 5 times a power of ten. */
function scaleOfHeights(values: number[], logarithmic: boolean): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!logarithmic) {
    // From 0 on: heights that start elsewhere exaggerate.
    const top = high > 0 ? high : 1;
    const raw = top / 5;
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = power * [1, 2, 2.5, 5, 10].find((factor) => raw <= factor * power)!;
    const count = Math.ceil((top / step) * (1 - 1e-9));
    const marks = Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
    return { logarithmic, least: 0, most: marks[count], marks };
  }
  const decades = Math.log10(high / low);
  const factors = decades < 2 ? [1, 2, 5] : [1];
  const every = Math.ceil(decades / 8); // more marks than that crowd
  const all: number[] = [];
  const first = Math.floor(Math.log10(low));
  for (let power = first; power <= Math.ceil(Math.log10(high)); power += Math.max(1, every)) {
    for (const factor of factors) all.push(Number(`${factor}e${power}`));
  }
  const below = all.filter((mark) => mark <= low);
  const above = all.filter((mark) => mark >= high);
  const least = below.length > 0 ? below[below.length - 1] : low;
  const most = above.length > 0 ? above[0] : high;
  const marks = all.filter((mark) => mark >= least && mark <= most);
  return { logarithmic, least, most: most > least ? most : least * 10, marks };
}

// Lines differ in print without colours, too: by dashes and by the shapes of their points, filled ones first.
const dashes = [undefined, "8 4", "3 3", "8 3 2 3"];
const shapes = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
  "M-3.6-3.6h7.2v7.2h-7.2z",
  "M0-4.6 4.4 3.4h-8.8z",
  "M0-5 5 0 0 5-5 0z",
  "M0 4.6-4.4-3.4h8.8z",
];
const colourOf = (i: number) => `c${i % 7}`;
const markOf = (i: number) => ({
  class: i % 10 < shapes.length ? "mark" : "mark hollow",
  d: shapes[i % shapes.length],
});

/** More characters have no room: across half a page, and as the name of a line. */
const roomForTitle = 64;
const roomForName = 34;

function Legend({ lines, columns, width }: { lines: Series[]; columns: number; width: number }) {
  return (
    <>
      {lines.map(({ name }, i) => (
        <g
          key={i}
          class={colourOf(i)}
          transform={`translate(${(i % columns) * px(width / columns)} ${Math.floor(i / columns) * legendRow})`}
        >
          <path class="curve" d="M0 0h32" stroke-dasharray={dashes[i % dashes.length]} />
          <path transform="translate(16 0)" {...markOf(i)} />
          <text class="name" x={40} y={4}>
            {shortened(name, roomForName)}
          </text>
        </g>
      ))}
    </>
  );
}

const legendRow = 20;

/** What a chart tells, for those who cannot see it. */
export function inWords(chart: Chart): string {
  const lasts = chart.series
    .filter((line) => line.points.length > 0)
    .map(({ name, points }) => {
      const last = points[points.length - 1];
      return ` ${name}: ${significant(last.y)} at ${last.x}.`;
    });
  return `Chart of ${chart.y.label} against ${chart.x.label}.${lasts.join("")}`;
}

/** The chart, without its title where a caption says it. */
export function drawChart(chart: Chart, titled: boolean): Drawn {
  const lines = linesOf(chart);
  const points = ([] as Point[]).concat(...lines.map((line) => line.points));
  const across = scaleOfPlaces(
    points.map((point) => point.x),
    chart.x.logarithmic,
  );
  const up = scaleOfHeights(
    points.map((point) => point.y),
    chart.y.logarithmic,
  );
  const half = chart.size === "half";
  const width = half ? 480 : 960;
  const left = 74;
  const top = titled ? 36 : 10;
  const plotWidth = half ? width - left - 12 : 590;
  const plotHeight = half ? 230 : 320;
  const below = top + plotHeight;
  const columns = half && lines.every((line) => line.name.length <= 18) ? 2 : 1;
  const rows = Math.ceil(lines.length / columns);
  const x = (value: number) => px(left + plotWidth * share(across, value));
  const y = (value: number) => px(below - plotHeight * share(up, value));
  const tell = (name: string, point: Point) => `${name}: ${significant(point.y)} at ${point.x}`;
  const content = (
    <g class="chart">
      {titled && chart.title !== "" && (
        <text class="bold mid" x={width / 2} y={16}>
          {shortened(chart.title, half ? roomForTitle : 2 * roomForTitle)}
        </text>
      )}
      {up.marks.map((mark) => (
        <g key={mark}>
          <path class="rule" d={`M${left} ${y(mark)}h${plotWidth}`} />
          <text class="soft small end" x={left - 7} y={y(mark) + 4}>
            {String(mark)}
          </text>
        </g>
      ))}
      {across.marks.map((mark) => (
        <g key={mark}>
          <path class="axis" d={`M${x(mark)} ${below}v5`} />
          <text class="soft small mid" x={x(mark)} y={below + 18}>
            {String(mark)}
          </text>
        </g>
      ))}
      <path class="axis" d={`M${left} ${top}V${below}h${plotWidth}`} />
      <text class="mid" x={left + plotWidth / 2} y={below + 38}>
        {shortened(chart.x.label, roomForTitle)}
      </text>
      <text class="mid" transform={`translate(14 ${top + plotHeight / 2}) rotate(-90)`}>
        {shortened(chart.y.label, roomForTitle)}
      </text>
      {lines.map((line, i) => (
        <g key={i} class={colourOf(i)}>
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
      <At x={half ? left - 50 : left + plotWidth + 24} y={half ? below + 62 : top + 10}>
        <Legend lines={lines} columns={columns} width={width - left + 50} />
      </At>
    </g>
  );
  const legendBelow = half ? below + 62 + rows * legendRow - 8 : top + 10 + rows * legendRow;
  return { width, height: Math.max(below + 46, legendBelow), content };
}
