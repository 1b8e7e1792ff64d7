import { RecalError } from '../../base/errors.js';

export interface CsvRow {
  readonly cells: string[];
  /** The first line of the row, from 1. */
  readonly line: number;
}

const QUOTE_HINT = 'write a double quote inside a quoted cell twice';

/** Yields the rows of a CSV (RFC 4180). Skips blank lines and lines that begin with #. */
export function* csvRows(text: string, file: string): Generator<CsvRow, void> {
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    const start = text.slice(at, end).trim();
    if (start === '' || start.startsWith('#')) {
      at = end + 1;
      line++;
      continue;
    }
    const row = start.includes('"')
      ? quotedRow(text, at, file, line)
      : { cells: text.slice(at, end).replace(/\r$/, '').split(','), next: end + 1, lines: 1 };
    yield { cells: row.cells, line };
    at = row.next;
    line += row.lines;
  }
}

interface ReadRow {
  readonly cells: string[];
  /** The offset of the next row. */
  readonly next: number;
  /** Number of lines that the row spans. */
  readonly lines: number;
}

/** Reads cell by cell, because a quoted cell may contain commas and line ends. */
function quotedRow(text: string, from: number, file: string, line: number): ReadRow {
  const cells: string[] = [];
  let [at, lines] = [from, 1];
  for (;;) {
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      const where = { file, line: line + lines - 1 };
      if (close < 0) {
        throw new RecalError('labels-row', 'unterminated quoted cell', { hint: QUOTE_HINT, where });
      }
      const cell = text.slice(at + 1, close).replaceAll('""', '"');
      cells.push(cell);
      lines += cell.split('\n').length - 1;
      at = close + 1;
      if (text[at] === '\r') at++;
      if (at < text.length && text[at] !== ',' && text[at] !== '\n') {
        throw new RecalError('labels-row', 'text after a quoted cell', { hint: QUOTE_HINT, where });
      }
    } else {
      const end = lineEnd(text, at);
      const rest = text.slice(at, end);
      const comma = rest.indexOf(',');
      cells.push(comma < 0 ? rest.replace(/\r$/, '') : rest.slice(0, comma));
      at = comma < 0 ? end : at + comma;
    }
    if (text[at] !== ',') return { cells, next: at + 1, lines };
    at++;
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** The offset of the closing quote, or -1 without one. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}
