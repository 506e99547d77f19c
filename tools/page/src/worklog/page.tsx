// The worklog as a page to hand in. For each stage it shows the gradings, one on each line, and the course of the
// rates.

import { type Series } from "../chart.tsx";
import drawingStyles from "../drawing.css";
import { tr } from "../language.ts";
import { counted, linesInWords, significant } from "../numbers.ts";
import { Blanks, Paper, textOf } from "../paper.tsx";
import { Figures, choiceStyles } from "../report/figures.tsx";
import reportStyles from "../report/report.css";
import { noFigure } from "../report/table.tsx";

interface Entry {
  time: string;
  changes: { file: string; added: number; removed: number; diff: string }[];
  status: string;
  score: number;
  max_score: number;
  message: string;
  device: string;
  /** Rates by test and measurement. */
  rates: { [test: string]: { [measurement: string]: number } };
}

interface Worklog {
  /** The number of lines of the log that could not be read. */
  damaged: number;
  stages: { id: string; title: string; entries: Entry[] }[];
}

const titleOfPage = () => tr("Worklog: what was tried, and what it gave");

const unitOf = (measurement: string) => (measurement.indexOf("gb_s") === 0 ? "GB/s" : "GFLOPS");

/**
 * A test's name without its suite, and with the part of the measurement's name after its unit:
 * "ReachesMinimumGflops, n1024".
 */
function nameOf(test: string, measurement: string): string {
  const part = measurement.replace(/^(gflops|gb_s)_?/, "");
  return test.replace(/^.*\./, "") + (part === "" ? "" : `, ${part}`);
}

/** The rates by unit and name, over the gradings, which are numbered from 1. */
function ratesOf(entries: Entry[]): [unit: string, series: Series[]][] {
  const found = new Map<string, Series[]>();
  entries.forEach((entry, i) => {
    for (const [test, measured] of Object.entries(entry.rates)) {
      for (const [measurement, value] of Object.entries(measured)) {
        const unit = unitOf(measurement);
        const lines = found.get(unit) ?? [];
        found.set(unit, lines);
        const name = nameOf(test, measurement);
        let line = lines.find((one) => one.name === name);
        if (!line) lines.push((line = { name, points: [] }));
        line.points.push({ x: i + 1, y: value });
      }
    }
  });
  return Array.from(found.entries());
}

function Changes({ of }: { of: Entry["changes"] }) {
  if (of.length === 0) return <>{tr("no change")}</>;
  return (
    <>
      {of.map(({ file, added, removed, diff }) =>
        diff === "" ? (
          <div>
            {file}, {linesInWords(added)}
          </div>
        ) : (
          <details>
            <summary>
              {file} +{added} −{removed}
            </summary>
            <pre>{diff}</pre>
          </details>
        ),
      )}
    </>
  );
}

function Rates({ of }: { of: Entry["rates"] }) {
  const rates = Object.values(of).reduce((all: [string, number][], one) => all.concat(Object.entries(one)), []);
  if (rates.length === 0) return <>{noFigure}</>;
  return (
    <>
      {rates.map(([measurement, value]) => (
        <div>
          {significant(value)} {unitOf(measurement)}
        </div>
      ))}
    </>
  );
}

function Stage({ id, title, entries }: Worklog["stages"][0]) {
  const charts = ratesOf(entries)
    .filter(([, series]) => series.some((line) => line.points.length > 1))
    .map(([unit, series]) => ({
      name: `${id}-${unit}`,
      chart: {
        kind: "lines" as const,
        title: tr("{} by grading", unit),
        x: { label: tr("grading"), logarithmic: false },
        y: { label: unit, logarithmic: false },
        series,
        size: "half" as const,
      },
    }));
  return (
    <section>
      <h2>{title}</h2>
      {charts.length > 0 && <Figures charts={charts} />}
      <div class="table" tabIndex={0} role="group" aria-label={tr("gradings of {}", title)}>
        <table>
          <caption>{tr("Gradings on {}", entries[entries.length - 1].device)}</caption>
          <thead>
            <tr>
              <th scope="col">{tr("grading")}</th>
              <th scope="col">{tr("time (UTC)")}</th>
              <th scope="col" class="text">
                {tr("changed")}
              </th>
              <th scope="col" class="text">
                {tr("verdict")}
              </th>
              <th scope="col">{tr("points")}</th>
              <th scope="col">{tr("rate")}</th>
              <th scope="col" class="text">
                {tr("said first")}
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, i) => (
              <tr>
                <th scope="row">{i + 1}</th>
                <td>{entry.time}</td>
                <td class="text">
                  <Changes of={entry.changes} />
                </td>
                <td class="text">{entry.status}</td>
                <td>
                  {entry.score}/{entry.max_score}
                </td>
                <td>
                  <Rates of={entry.rates} />
                </td>
                <td class="text">{entry.message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const Page = ({ damaged, stages }: Worklog) => (
  <Paper title={titleOfPage()} styles={drawingStyles + reportStyles + choiceStyles}>
    <header>
      <h1>{titleOfPage()}</h1>
      <Blanks />
      <p class="hint">{tr("Type into the lines, then print, also to PDF. What has changed unfolds.")}</p>
      {damaged > 0 && (
        <p class="wrong">
          {counted(
            damaged,
            tr("1 line of the log could not be read."),
            tr("{} lines of the log could not be read.", damaged),
          )}
        </p>
      )}
    </header>
    {stages.map((stage) => (
      <Stage {...stage} />
    ))}
  </Paper>
);

export const worklogPage = (log: Worklog) => textOf(<Page {...log} />);
