// The leaderboard, a page that shows a class whose kernels are fastest.

import drawingStyles from "./drawing.css";
import { tr } from "./language.ts";
import { significant } from "./numbers.ts";
import { Paper, textOf } from "./paper.tsx";
import { Figures } from "./report/figures.tsx";
import reportStyles from "./report/report.css";
import { Table } from "./report/table.tsx";

interface Leaderboard {
  /** The settings of the grading, in words. */
  settings: string;
  boards: {
    title: string;
    measurement: string;
    unit: string;
    places: { rank: number; name: string; rate: number }[];
  }[];
}

/** A picture with more bars would be hard to read. */
const mostBars = 20;

const titleOfPage = () => tr("Leaderboard");

const Page = ({ settings, boards }: Leaderboard) => (
  <Paper title={titleOfPage()} styles={drawingStyles + reportStyles}>
    <header>
      <h1>{titleOfPage()}</h1>
      <p>
        {tr(
          "Of those who have passed a stage and want to be shown, under the names that they have chosen. {}.",
          settings,
        )}
      </p>
    </header>
    {boards.length === 0 && <p class="missing">{tr("Nobody is shown yet.")}</p>}
    {boards.map(({ title, measurement, unit, places }) => (
      <section>
        <h2>{title}</h2>
        <Figures
          charts={[
            {
              name: `${title}-${measurement}`,
              chart: {
                kind: "ladder",
                title: measurement,
                unit,
                rungs: places
                  .slice(0, mostBars)
                  .map(({ rank, name, rate }) => ({ name, value: rate, note: tr("place {}", rank), aside: false })),
              },
            },
          ]}
        />
        <Table
          caption={`${title}, ${measurement}`}
          columns={[{ heading: tr("name"), text: true }, { heading: tr("place") }, { heading: unit }]}
          rows={places.map(({ rank, name, rate }) => [name, String(rank), significant(rate)])}
          width="narrow"
        />
      </section>
    ))}
  </Paper>
);

export const leaderboardPage = (board: Leaderboard) => textOf(<Page {...board} />);
