// Draws the charts in the report. They show the values of the place that the reader points at, and
// the reader can choose their lines, all without a script.

import type { ComponentChildren } from "preact";
import { type AnyChart, type NamedChart, orderAxis } from "../bench/charts.ts";
import { type Chart, LineSample, colourOf, drawChart, inWords, shapeOf } from "../chart.tsx";
import { type Drawn, Picture, px } from "../drawing.tsx";
import { drawLadder, ladderInWords } from "../ladder.tsx";
import { tr } from "../language.ts";
import { significant } from "../numbers.ts";
import { type Roofline, drawRoofline, limitOf, pointsOf, rooflineInWords } from "../roofline.tsx";

/**
 * A place in a picture that shows values when the reader points at it; all positions are in pixels of the picture.
 */
interface Answering {
  left: number;
  top: number;
  width: number;
  height: number;
  /** The position of the values. */
  x: number;
  /** The heading above the values. */
  head: string;
  /** The lines, by number and name, and their values. */
  values: { i: number; name: string; value: string }[];
}

/** A length in percent of the picture, because a page shows the picture in any size. */
const share = (part: number, whole: number) => `${px((100 * part) / whole)}%`;

/**
 * A picture and, below it, where they cover nothing, the values of one place: the one that the reader points at, or
 * else the one that was chosen last, by a click or by keys.
 */
function Telling({ of, label, places, name }: { of: Drawn; label: string; places: Answering[]; name: string }) {
  return (
    <div class="telling">
      <Picture of={of} name="plot" label={label} />
      {places.map(({ left, top, width, height, x, head, values }, nth) => (
        <label class="at">
          <input
            type="radio"
            name={name}
            checked={nth === places.length - 1}
            autocomplete="off"
            aria-label={`${head}: ${values.map((one) => `${one.name} ${one.value}`).join(", ")}`}
          />
          <span
            class="place"
            style={`--x:${share(x - left, width)};left:${share(left, of.width)};top:${share(top, of.height)};width:${share(width, of.width)};height:${share(height, of.height)}`}
          />
          <span class="tip">
            <strong>{head}</strong>
            {values.map(({ i, name, value }) => (
              <span class={`value ${colourOf(i)} s${i}`}>
                <span>
                  {name} <b>{value}</b>
                </span>
              </span>
            ))}
          </span>
        </label>
      ))}
    </div>
  );
}

/** The names of the lines, each with a box that shows or hides the line. */
function Choice({ names, sample }: { names: { name: string; waits?: boolean }[]; sample: (i: number) => ComponentChildren }) {
  return (
    <ul class="choice">
      {names.map(({ name, waits }, i) => (
        <li class={colourOf(i)}>
          <label>
            <input type="checkbox" class={`k${i}`} checked={!waits} autocomplete="off" />
            {sample(i)}
            <span>{name}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

function Lines({ chart, name }: { chart: Chart; name: string }) {
  const of = drawChart(chart, "page");
  const { plot, places, lines } = of;
  const across = chart.x.label === orderAxis() ? "n =" : chart.x.label;
  const answering = places.map(({ value, x }, nth): Answering => {
    const from = nth > 0 ? (places[nth - 1].x + x) / 2 : plot.left;
    const to = nth + 1 < places.length ? (places[nth + 1].x + x) / 2 : plot.left + plot.width;
    const values = lines
      .map(({ name, points }, i) => ({ i, name, point: points.find((one) => one.x === value) }))
      .filter(({ point }) => point !== undefined)
      .sort((a, b) => b.point!.y - a.point!.y)
      .map(({ i, name, point }) => ({ i, name, value: significant(point!.y) }));
    return { left: from, top: plot.top, width: to - from, height: plot.height, x, head: `${across} ${value}`, values };
  });
  return (
    <>
      <Telling of={of} label={inWords(chart)} places={answering} name={name} />
      <Choice
        names={lines}
        sample={(i) => (
          <svg class="chart" viewBox="0 -6 32 12" width="32" height="12" aria-hidden="true">
            <LineSample i={i} />
          </svg>
        )}
      />
    </>
  );
}

/** How close the pointer must come to a symbol, in pixels of the picture. */
const near = 9;

function RooflineFigure({ chart, name }: { chart: Roofline; name: string }) {
  const of = drawRoofline(chart, "page");
  const points = pointsOf(chart, "page");
  const answering = of.spots.map((spot): Answering => {
    const point = points[spot.of];
    const { gflops, by } = limitOf(chart.roofs, point);
    const intensity = (value: number | null) => (value === null ? tr("none") : `${significant(value)} FLOP/B`);
    const values = [
      { i: spot.of, name: tr("reaches"), value: `${significant(point.gflops)} GFLOPS` },
      { i: spot.of, name: tr("{} allows", by), value: `${significant(gflops)} GFLOPS` },
      { i: spot.of, name: "DRAM", value: intensity(point.dram) },
      { i: spot.of, name: tr("shared memory"), value: intensity(point.shared) },
    ];
    const side = 2 * near;
    const { x, y } = spot;
    return { left: x - near, top: y - near, width: side, height: side, x, head: point.name, values };
  });
  return (
    <>
      <Telling of={of} label={rooflineInWords(chart)} places={answering} name={name} />
      <Choice
        names={points}
        sample={(i) => (
          <svg class="chart" viewBox="-7 -6 14 12" width="14" height="12" aria-hidden="true">
            <path class="mark" d={shapeOf(i)} />
          </svg>
        )}
      />
    </>
  );
}

function Content({ chart, name }: { chart: AnyChart; name: string }) {
  switch (chart.kind) {
    case "lines":
      return <Lines chart={chart} name={name} />;
    case "roofline":
      return <RooflineFigure chart={chart} name={name} />;
    case "ladder":
      return <Telling of={drawLadder(chart, "page")} label={ladderInWords(chart)} places={[]} name={name} />;
  }
}

const captionOf = (chart: AnyChart) =>
  chart.kind === "roofline"
    ? tr("{}. Full symbols: operations a byte of DRAM; hollow ones: of shared memory.", chart.title)
    : chart.title;

/** Charts with their titles as captions; those half as wide as the page stand side by side. */
export function Figures({ charts }: { charts: NamedChart[] }) {
  return (
    <div class="figures">
      {charts.map(({ name, chart }) => (
        <figure>
          <Content chart={chart} name={name} />
          <figcaption>{captionOf(chart)}</figcaption>
        </figure>
      ))}
    </div>
  );
}

/** No chart has more lines. */
const mostChoices = 40;

/** Hides the lines that are not chosen in a figure. */
export const choiceStyles = Array.from(
  { length: mostChoices },
  (_, i) => `figure:has(.k${i}:not(:checked)) .s${i}`,
).join(",") + "{display:none}";
