import { printable } from '../../base/printable.js';

export type CsvValue = string | number | bigint | boolean | null | undefined;

// A spreadsheet takes a cell that begins so for a formula. The full-width forms are folded to the plain ones by some.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
// Also the other separators that spreadsheets guess, and blanks at the ends, which some readers trim.
const NEEDS_QUOTES = /[",;|]|^ | $|^$/;

/**
 * One cell. A text that a spreadsheet would run gets a leading apostrophe; numbers are left as they are, so -1.5 stays
 * a number. Control characters are shown as `printable` shows them: the file may meet a terminal, and a record is
 * always one line. Exact names are in the JSON output.
 */
export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const shown = printable(value, Number.POSITIVE_INFINITY);
  const text = FORMULA.test(value) ? `'${shown}` : shown;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One record of RFC 4180, with its line end. */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** A whole file: the headings and one record a row. */
export function csv(headings: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  let text = csvRecord(headings);
  for (const row of rows) text += csvRecord(row);
  return text;
}

/** The file as an address that a page can carry. */
export function csvLink(text: string): string {
  return `data:text/csv;charset=utf-8;base64,${Buffer.from(text, 'utf8').toString('base64')}`;
}
