// Rooflines show kernels below the roofs of a GPU: the limits by bandwidth and arithmetic, against operations per
// byte. Williams, Waterman, Patterson: Roofline, CACM 52 (4), 2009.

import { type Plot, type Setting, Axes, Title, colourOf, shapeOf, waitingLast } from "./chart.tsx";
import { type Drawn, At, Refusal, px, shortened } from "./drawing.tsx";
import { tr } from "./language.ts";
import { significant } from "./numbers.ts";
import { scaleBetween, share } from "./scales.ts";

/** The limits of a GPU. */
export interface Roofs {
  gpu: string;
  /** In the precision that the kernels compute in. */
  peak_gflops: number;
  dram_gb_s: number;
  shared_gb_s: number;
}

/** A call, by its operations per second and per byte that its kernels move. */
export interface RoofPoint {
  name: string;
  gflops: number;
  /** Operations per byte of DRAM, and of shared memory; null if nothing moves there. */
  dram: number | null;
  shared: number | null;
  /** Hidden until the reader chooses it; a file leaves it out. */
  waits?: boolean;
}

export interface Roofline {
  title: string;
  roofs: Roofs;
  points: RoofPoint[];
}

/** A roof that rises with the intensity until it meets the peak. */
interface Slope {
  name: string;
  gb_s: number;
  looks: string;
}

const slopesOf = ({ dram_gb_s, shared_gb_s }: Roofs): Slope[] => [
  { name: tr("shared memory, {} GB/s", significant(shared_gb_s)), gb_s: shared_gb_s, looks: "shared-roof" },
  { name: `DRAM, ${significant(dram_gb_s)} GB/s`, gb_s: dram_gb_s, looks: "dram-roof" },
];

/** The lowest roof above a kernel, and the resource that sets it. */
export function limitOf(roofs: Roofs, point: RoofPoint): { gflops: number; by: string } {
  const limits = [
    { gflops: roofs.peak_gflops, by: tr("arithmetic") },
    ...(point.dram === null ? [] : [{ gflops: point.dram * roofs.dram_gb_s, by: "DRAM" }]),
    ...(point.shared === null ? [] : [{ gflops: point.shared * roofs.shared_gb_s, by: tr("shared memory") }]),
  ];
  return limits.reduce((least, one) => (one.gflops < least.gflops ? one : least));
}

export function rooflineInWords({ roofs, points }: Roofline): string {
  const told = points.map((point) => {
    const { gflops, by } = limitOf(roofs, point);
    return tr(" {}: {} GFLOPS of {} that {} allows.", point.name, significant(point.gflops), significant(gflops), by);
  });
  return tr("Chart of GFLOPS against operations a byte, below the roofs of {}.", roofs.gpu) + told.join("");
}


const reachedOf = (roofs: Roofs, point: RoofPoint) => {
  const { gflops, by } = limitOf(roofs, point);
  return tr("{} of {} by {}", significant(point.gflops), significant(gflops), by);
};

/** The height of a name and, below it, the rate that is reached. */
const entry = 38;

/** The symbol of a kernel: full for DRAM, hollow for shared memory. */
const Symbol = ({ i, hollow }: { i: number; hollow?: boolean }) => (
  <path class={hollow ? "mark hollow" : "mark"} d={shapeOf(i)} />
);

/** The points that are drawn, in the order of their symbols. */
export const pointsOf = ({ points }: Roofline, setting: Setting) =>
  setting === "file" ? points.filter((point) => !point.waits) : waitingLast(points);

/** A point as it is drawn, for pages that show its values when the reader points at it. */
export interface Spot {
  /** Position in the list of points. */
  of: number;
  x: number;
  y: number;
  says: string;
  /** The point is of shared memory; otherwise of DRAM. */
  hollow: boolean;
}

export interface DrawnRoofline extends Drawn {
  spots: Spot[];
}

export function drawRoofline(roofline: Roofline, setting: Setting): DrawnRoofline {
  const { roofs } = roofline;
  const points = pointsOf(roofline, setting);
  const intensities = ([] as (number | null)[])
    .concat(...points.map(({ dram, shared }) => [dram, shared]))
    .filter((one): one is number => one !== null);
  if (intensities.length === 0) {
    throw new Refusal(tr("'{}' has no kernel that computes, so there is no roofline to draw", roofline.title));
  }
  const inFile = setting === "file";
  // The picture is as wide as half a page; a file also has room for the names beside it.
  const width = inFile ? 820 : 480;
  const left = 74;
  const plot: Plot = { left, top: inFile ? 36 : 10, width: width - left - (inFile ? 296 : 12), height: 300 };
  // The scales cover all roofs and kernels, with some room around them.
  const ridges = slopesOf(roofs).map(({ gb_s }) => roofs.peak_gflops / gb_s);
  const across = scaleBetween(Math.min(...intensities, ...ridges) / 3, Math.max(...intensities, ...ridges) * 3);
  const rates = points.map((one) => one.gflops);
  const up = scaleBetween(
    Math.min(roofs.peak_gflops / 10, ...rates) / 2,
    1.6 * Math.max(roofs.peak_gflops, ...rates),
  );
  const below = plot.top + plot.height;
  const x = (value: number) => px(plot.left + plot.width * share(across, value));
  const y = (value: number) => px(below - plot.height * share(up, value));
  const peak = y(roofs.peak_gflops);

  const slopes = slopesOf(roofs).map(({ name, gb_s, looks }) => {
    // The roof runs from where it enters the picture to where it meets the peak.
    const from = Math.max(across.least, up.least / gb_s);
    const to = Math.min(across.most, roofs.peak_gflops / gb_s);
    const [x1, y1, x2, y2] = [x(from), y(from * gb_s), x(to), y(to * gb_s)];
    const angle = px((Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI);
    // The name stands along a long roof, but beside a short one.
    const isLong = Math.hypot(x2 - x1, y2 - y1) > 7.5 * name.length;
    return (
      <g key={name} class={looks}>
        <path class="roof" d={`M${x1} ${y1}L${x2} ${y2}`} />
        {isLong ? (
          <text class="small mid" transform={`translate(${px((x1 + x2) / 2)} ${px((y1 + y2) / 2)}) rotate(${angle})`} y={-6}>
            {name}
          </text>
        ) : (
          <text class="small" x={px((x1 + x2) / 2 + 10)} y={px((y1 + y2) / 2 + 10)}>
            {name}
          </text>
        )}
      </g>
    );
  });
  const flatFrom = x(Math.max(across.least, roofs.peak_gflops / Math.max(roofs.shared_gb_s, roofs.dram_gb_s)));
  const spots: Spot[] = [];
  const marks = points.map((point, i) => {
    const at = y(point.gflops);
    const places = [point.dram, point.shared];
    places.forEach((intensity, k) => {
      if (intensity === null) return;
      const memory = k === 0 ? "DRAM" : tr("shared memory");
      const says = tr(
        "{}: {} GFLOPS at {} operations a byte of {}",
        point.name,
        significant(point.gflops),
        significant(intensity),
        memory,
      );
      spots.push({ of: i, x: x(intensity), y: at, says, hollow: k === 1 });
    });
    const own = spots.filter((spot) => spot.of === i);
    return (
      <g key={i} class={`${colourOf(i)} s${i}`}>
        {own.length === 2 && <path class="between" d={`M${own[0].x} ${at}H${own[1].x}`} />}
        {own.map((spot) => (
          <g key={spot.x} transform={`translate(${spot.x} ${spot.y})`}>
            <title>{spot.says}</title>
            <Symbol i={i} hollow={spot.hollow} />
          </g>
        ))}
      </g>
    );
  });
  const names = plot.left + plot.width + 24;
  const content = (
    <g class="chart roofline">
      {inFile && roofline.title !== "" && <Title of={roofline.title} width={width} />}
      <Axes plot={plot} across={across} up={up} x={tr("operations a byte (FLOP/B)")} y="GFLOPS" />
      {slopes}
      <path class="roof" d={`M${flatFrom} ${peak}H${plot.left + plot.width}`} />
      <text class="small end" x={plot.left + plot.width - 4} y={peak - 6}>
        {tr("peak, {} GFLOPS", significant(roofs.peak_gflops))}
      </text>
      {marks}
      {inFile && (
        <At x={names} y={plot.top + 10}>
          {points.map((point, i) => (
            <g key={i} class={colourOf(i)} transform={`translate(6 ${i * entry})`}>
              <Symbol i={i} />
              <text class="name" x={16} y={4}>
                {shortened(point.name, 34)}
              </text>
              <text class="small soft" x={16} y={19}>
                {reachedOf(roofs, point)}
              </text>
            </g>
          ))}
          <text class="small soft" y={points.length * entry + 10}>
            {tr("full: by bytes of DRAM,")}
          </text>
          <text class="small soft" y={points.length * entry + 25}>
            {tr("hollow: by bytes of shared memory")}
          </text>
        </At>
      )}
    </g>
  );
  return { width, height: Math.max(below + 46, inFile ? plot.top + 44 + points.length * entry : 0), content, spots };
}
