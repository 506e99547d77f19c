// Writes remarks on what the tables leave out: kernels that are not written or that failed, wrong
// results, and results that nobody has checked.

import { tr } from "../language.ts";
import { type Bench, type Contender, type Row, hasFigures, subjectOf } from "../bench/views.ts";

function whose(contender: Contender, functions: string): string {
  switch (contender) {
    case "student":
      return tr("Your {}", functions);
    case "solution":
      return tr("The solution's {}", functions);
    case "previous":
      return tr("The previous stage's kernel, beside {}", functions);
    case "copy":
      return tr("copy, beside {}", functions);
    default:
      return tr("{}, beside {}", contender, functions);
  }
}

/** Rows that lack figures for the same reason: whole functions, or orders of one block. */
interface Lack {
  first: Row;
  functions: string[];
  orders: number[];
}

function includes({ first }: Lack, row: Row): boolean {
  const sameReason =
    first.contender === row.contender &&
    first.problem === row.problem &&
    first.right === row.right &&
    first.n > 0 === row.n > 0;
  return sameReason && (row.n === 0 || (first.function === row.function && first.block === row.block));
}

function lacksIn(rows: Row[]): Lack[] {
  const lacks: Lack[] = [];
  for (const row of rows) {
    if (hasFigures(row)) continue;
    let lack = lacks.find((known) => includes(known, row));
    if (!lack) lacks.push((lack = { first: row, functions: [], orders: [] }));
    if (!lack.functions.includes(row.function)) lack.functions.push(row.function);
    if (row.n > 0) lack.orders.push(row.n);
  }
  return lacks;
}

function InWords({ first, functions, orders }: Lack) {
  const what = whose(first.contender, functions.join(", "));
  if (first.not_written) return <li>{tr("{}: not written yet, so there are no figures.", what)}</li>;
  const block = first.block === "" ? "" : `, ${first.block}`;
  const sizes = orders.length > 0 ? `, n = ${orders.join(", ")}` : "";
  const why =
    first.problem === ""
      ? tr(
          "the result is wrong, so how fast it came is not shown. ./lab grade {} says what is wrong with it.",
          first.stage,
        )
      : tr("no figures. {}", first.problem);
  return (
    <li class="wrong">
      {what + block + sizes}: {why}
    </li>
  );
}

export function Remarks({ stage, bench }: { stage: string; bench: Bench }) {
  const rows = bench.rows.filter((row) => row.stage === stage);
  const subject = subjectOf(bench);
  const lacks = lacksIn(rows);
  const unchecked = rows.some((row) => row.contender === subject && hasFigures(row) && row.right === null);
  if (lacks.length === 0 && !unchecked) return null;
  return (
    <ul class="remarks">
      {lacks.map((lack) => (
        <InWords {...lack} />
      ))}
      {unchecked && (
        <li>
          {tr(
            "Not all of the results behind these figures were compared with the CPU's; ./lab grade compares them.",
          )}
        </li>
      )}
    </ul>
  );
}
