// The script that the engine in the C++ tools runs (grading/page/render.hpp): it takes JSON and returns the text of
// a file.

import "./library.ts";
import { type Chart, drawChart } from "./chart.tsx";
import { type AnyChart, chartsOf } from "./bench/charts.ts";
import { figureFile } from "./figures.tsx";
import { reportPage } from "./report/page.tsx";
import type { Refusal } from "./drawing.tsx";
import { fileOf } from "./file.tsx";
import { type Spoken, speak } from "./language.ts";
import { drawLadder } from "./ladder.tsx";
import { leaderboardPage } from "./leaderboard.tsx";
import { type Roofline, drawRoofline } from "./roofline.tsx";
import { worklogPage } from "./worklog/page.tsx";

const chartFile = (chart: Chart) => fileOf(drawChart(chart, "file"), chart.title);
const rooflineFile = (chart: Roofline) => fileOf(drawRoofline(chart, "file"), chart.title);

function fileOfAny(chart: AnyChart): string {
  switch (chart.kind) {
    case "lines":
      return chartFile(chart);
    case "roofline":
      return rooflineFile(chart);
    case "ladder":
      return fileOf(drawLadder(chart, "file"), chart.title);
  }
}

/** The functions that draw each kind of document. */
const kinds: { [kind: string]: (document: any) => string } = {
  chart: chartFile,
  roofline: rooflineFile,
  /** @returns JSON: the text of each chart's file, by its name */
  charts: (measured) => JSON.stringify(chartsOf(measured).map(({ name, chart }) => [name, fileOfAny(chart)])),
  /** The document is a trace with a choice. */
  figure: figureFile,
  /** @returns one HTML file */
  report: reportPage,
  worklog: worklogPage,
  leaderboard: leaderboardPage,
};

/** @returns JSON: {text} or {refusal} */
function rendered(kind: string, document: string, words: string): string {
  const spoken: Spoken | null = JSON.parse(words);
  if (spoken) speak(spoken);
  try {
    return JSON.stringify({ text: kinds[kind](JSON.parse(document)) });
  } catch (error) {
    if ((error as Refusal).refused) return JSON.stringify({ refusal: (error as Error).message });
    throw error;
  }
}

(globalThis as any).rendered = rendered;
