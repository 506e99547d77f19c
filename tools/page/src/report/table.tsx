// Draws a table with a caption, and headings of columns and rows. It stands in a frame that scrolls
// if the page is too narrow.

import type { ComponentChildren } from "preact";
import { tr } from "../language.ts";

export interface Column {
  heading: string;
  /** The column holds text; otherwise it holds figures, which are aligned to the right. */
  text?: boolean;
  /** A heading over neighbouring columns of the same group. */
  group?: string;
}

/** A cell, which may be highlighted. */
export type Cell = string | { text: string; mark: "best" | "wrong" };

export interface TableContent {
  caption: string;
  columns: Column[];
  /** Each row begins with the name of its subject. */
  rows: Cell[][];
  /** Narrow tables stand beside others. */
  width?: "narrow" | "wide";
  /** Rows with the same cells are joined into one, with all of their names. */
  joins?: boolean;
}

/** The cell where there is nothing to show. */
export const noFigure = "–";

/** The number of rows that fit on one page, so that the table need not be split. */
const rowsOfAPage = 26;

/** A name that may be broken after each "_" if it does not fit on one line. */
function breakable(name: string): ComponentChildren {
  const words = name.split("_");
  return words.map((word, i) => (i < words.length - 1 ? [`${word}_`, <wbr />] : word));
}

/** The table without the columns that have nothing to show in any row. */
function withoutEmptyColumns(table: TableContent): TableContent {
  const shows = (i: number) => table.rows.some((row) => row[i] !== noFigure);
  return {
    ...table,
    columns: table.columns.filter((_, i) => shows(i)),
    rows: table.rows.map((row) => row.filter((_, i) => shows(i))),
  };
}

/** Headings in two rows if columns have groups; the headings of other columns are as high as both. */
function Heading({ columns }: { columns: Column[] }) {
  const grouped = columns.some((column) => column.group);
  const heading = (column: Column, rows?: number) => (
    <th class={column.text ? "text" : undefined} scope="col" rowspan={rows}>
      {column.heading}
    </th>
  );
  const upper = columns.map((column, i) => {
    if (!column.group) return heading(column, grouped ? 2 : undefined);
    if (i > 0 && columns[i - 1].group === column.group) return null;
    const end = columns.findIndex((other, k) => k > i && other.group !== column.group);
    return (
      <th class="group" scope="colgroup" colspan={(end < 0 ? columns.length : end) - i}>
        {column.group}
      </th>
    );
  });
  return (
    <thead>
      <tr>{upper}</tr>
      {grouped && <tr>{columns.filter((column) => column.group).map((column) => heading(column))}</tr>}
    </thead>
  );
}

function Content({ cell }: { cell: Cell }) {
  if (typeof cell === "string") return <>{cell}</>;
  return cell.mark === "best" ? <strong>{cell.text}</strong> : <span class="wrong">{cell.text}</span>;
}

/** A row's cells and its name; rows with the same cells are one with several names. */
interface Told {
  names: string[];
  cells: Cell[];
}

const textOf = (cell: Cell) => (typeof cell === "string" ? cell : cell.text);

function toldBy({ rows, joins }: TableContent): Told[] {
  const told: Told[] = [];
  for (const [name, ...cells] of rows) {
    const same = joins && told.find((known) => cells.every((cell, i) => textOf(cell) === textOf(known.cells[i])));
    if (!same) {
      told.push({ names: [textOf(name)], cells });
      continue;
    }
    same.names.push(textOf(name));
    same.cells = same.cells.map((cell, i) => (typeof cell === "string" ? cells[i] : cell));
  }
  return told;
}

export function Table(content: TableContent) {
  const table = withoutEmptyColumns(content);
  const { caption, columns, width } = table;
  const rows = toldBy(table);
  if (rows.length === 0) return null;
  const frame = ["table", width, rows.length > rowsOfAPage && "long"].filter(Boolean).join(" ");
  const looks = (i: number) => (columns[i].text ? "text" : undefined);
  const shown = (name: string) => (width === "wide" ? breakable(name) : name);
  return (
    <div class={frame} tabIndex={0} role="group" aria-label={tr("table")}>
      <table>
        <caption>{caption}</caption>
        <Heading columns={columns} />
        <tbody>
          {rows.map(({ names, cells }) => (
            <tr>
              <th class={names.length > 1 ? "text joined" : looks(0)} scope="row">
                {names.length > 1
                  ? names.map((name, i) => [i > 0 && ", ", <span>{shown(name)}</span>])
                  : shown(names[0])}
              </th>
              {cells.map((cell, i) => (
                <td class={looks(i + 1)}>
                  <Content cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
