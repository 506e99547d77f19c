// Draws one request to device memory: its sectors, and which lane asked for which words of them.

import type { Drawn } from "../drawing.tsx";
import { tr } from "../language.ts";
import { laneLooks, laneText, lanesByWord, namedLanes, rowsOf } from "./banks.tsx";
import { type Request, type Trace, elementName, elementOf, hasLane, matrixAt } from "./data.ts";

const sectorBytes = 32;
const wordsASector = sectorBytes / 4;
const wordWidth = 14;
const wordHeight = 18;
const sectorWidth = wordsASector * wordWidth;
const across = sectorWidth + 12;
const down = wordHeight + 26;

/** The element that a sector begins with. */
function sectorName(trace: Trace, request: Request, sector: number): string {
  const matrix = matrixAt(trace, sector * sectorBytes, 1) ?? trace.matrices[request.matrix];
  if (!matrix) return tr("byte {}", sector * sectorBytes);
  const element = Math.floor((sector * sectorBytes - matrix.place) / matrix.element_bytes);
  if (element < 0 || element >= matrix.rows * matrix.ld) return tr("outside of {}", matrix.name);
  return elementName(trace.matrices, elementOf(trace.matrices, matrix.first + element));
}

/** @param threads chosen ones, in the order of their colours */
export function drawSectors(trace: Trace, request: Request, threads: number[], sectorsARow: number): Drawn {
  const lanesOf = lanesByWord(request, trace.matrices[request.matrix]?.place ?? 0);
  const sectors = rowsOf(lanesOf, wordsASector);
  const word = (sector: number, i: number) => {
    const lanes = lanesOf.get(sector * wordsASector + i) ?? [];
    const colour = threads.findIndex((thread) => lanes.includes(thread - request.warp * 32));
    const atFault = lanes.some((lane) => hasLane(request.outside | request.racing, lane));
    const looks = [
      "word",
      lanes.length > 0 ? "used" : "wasted",
      colour >= 0 && `t${colour}`,
      atFault && "at-fault",
    ];
    return (
      <g key={i} class={looks.filter(Boolean).join(" ")} transform={`translate(${i * wordWidth} 0)`}>
        <title>
          {lanes.length > 0 ? namedLanes(lanes) : tr("moved for nothing")}
        </title>
        <rect width={wordWidth - 1} height={wordHeight} />
        {lanes.length > 0 && (
          <text class={laneLooks(lanes)} x={(wordWidth - 1) / 2} y={13}>
            {laneText(lanes)}
          </text>
        )}
      </g>
    );
  };
  const content = (
    <g class="sectors">
      {sectors.map((sector, nth) => {
        const name = sectorName(trace, request, sector);
        const [x, y] = [2 + (nth % sectorsARow) * across, Math.floor(nth / sectorsARow) * down];
        return (
          <g key={sector} class="sector" data-sector={name} transform={`translate(${x} ${y})`}>
            <text class="small soft" y={11}>
              {name}
            </text>
            <g transform="translate(0 17)">
              {Array.from({ length: wordsASector }, (_, i) => word(sector, i))}
              <rect class="frame" x={-2} y={-2} width={sectorWidth + 3} height={wordHeight + 4} rx={3} />
            </g>
          </g>
        );
      })}
    </g>
  );
  return {
    width: sectorsARow * across, // so that a few sectors are drawn no larger than many
    height: Math.ceil(sectors.length / sectorsARow) * down,
    content,
  };
}
