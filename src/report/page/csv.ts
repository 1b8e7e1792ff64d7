import { printable } from '../../base/printable.js';

export type CsvValue = string | number | bigint | boolean | null | undefined;

// A spreadsheet reads a cell that starts like this as a formula. Some also accept the full-width forms.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
// In many countries spreadsheets split at semicolons. Quotes within a line mean nothing to them, so a cell of theirs
// starts after every semicolon.
const AFTER_SEPARATOR = /([;|])(?=[\s"]*[=+\-@＝＋－＠])/gu;
// Some spreadsheets guess other separators, and some readers trim spaces at the ends.
const NEEDS_QUOTES = /[",;|]|^ | $|^$/;

/**
 * A text that a spreadsheet would run gets an apostrophe, also after a separator; numbers stay as they are. Control characters are escaped
 * by `printable`, so that a record is one line and safe on a terminal. The JSON output has the exact names.
 */
function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const shown = printable(value, Number.POSITIVE_INFINITY).replace(AFTER_SEPARATOR, "$1'");
  const text = FORMULA.test(value) ? `'${shown}` : shown;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One record of RFC 4180, including its line end. */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** A whole file: the headings, then one record per row. */
export function csv(headings: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  let text = csvRecord(headings);
  for (const row of rows) text += csvRecord(row);
  return text;
}

/** The file as a data URL. */
export function csvLink(text: string): string {
  return `data:text/csv;charset=utf-8;base64,${Buffer.from(text, 'utf8').toString('base64')}`;
}
