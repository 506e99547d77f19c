// Formats numbers for tables.

import { tr } from "./language.ts";

/** Writes 1234567 as "1,234,567". */
export const withCommas = (number: number) =>
  Math.round(number)
    .toFixed(0)
    .replace(/\B(?=(\d{3})+$)/g, ",");

/** Writes a number with four significant digits, and commas: 0.01235, 12.35, 1,235, 123,457. */
export function significant(value: number): string {
  if (!isFinite(value)) return "?";
  if (Math.abs(value) >= 1000) return withCommas(value);
  if (value === 0) return "0";
  const beforePoint = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.max(0, Math.min(4 - beforePoint, 9)));
}

/** Chooses between the messages for one and for more: "1 line", "2 lines". */
export const counted = (count: number, one: string, more: string) => (count === 1 ? one : more);

export const linesInWords = (count: number) => counted(count, tr("1 line"), tr("{} lines", count));

export const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

/** Writes a number with at most four significant digits, without zeros at the end. */
export const brief = (value: number) => String(Number(value.toPrecision(4)));
