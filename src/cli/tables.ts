import { printable } from '../base/printable.js';
import { columnsOf, cutTo } from './columns.js';
import { formatCount } from './quantities.js';

/** What a rendering needs to know about the place it is shown in; `Output` is one. */
export interface Look {
  /** Columns of the terminal, or Infinity where nothing has to fit. */
  readonly width: number;
  /** False where block characters would come out as question marks. */
  readonly unicode: boolean;
  /** Makes headings bold, where there is colour. */
  readonly bold?: (text: string) => string;
}

export type Cell = string | number | bigint | boolean | null | undefined;

const GAP = '  ';
const NARROWEST = 8;

/**
 * Rows under a heading, in aligned columns. Numbers are grouped in thousands and stand right, text stands left. Texts
 * are made printable here, and the widest columns are cut first when the table does not fit.
 */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  look: Look,
): string[] {
  const texts = rows.map((row) => headings.map((_, column) => cellText(row[column])));
  const right = headings.map((_, column) => {
    const cells = rows.map((row) => row[column]).filter((cell) => cell !== undefined && cell !== null);
    return cells.length > 0 && cells.every((cell) => typeof cell === 'number' || typeof cell === 'bigint');
  });
  const natural = headings.map((heading, column) =>
    texts.reduce((most, row) => Math.max(most, columnsOf(row[column])), columnsOf(heading)),
  );
  const widths = shrink(natural, right, look.width);
  const ellipsis = look.unicode ? '…' : '~';
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const cut = cutTo(cell, widths[column], ellipsis);
        const space = ' '.repeat(widths[column] - columnsOf(cut));
        return right[column] ? space + cut : cut + space;
      })
      .join(GAP)
      .trimEnd();
  const head = line(headings);
  return [look.bold === undefined ? head : look.bold(head), ...texts.map(line)];
}

function cellText(cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'bigint') return formatCount(cell);
  return typeof cell === 'string' ? printable(cell) : cell ? 'yes' : 'no';
}

/** Takes columns from the widest text until the table fits; a number cut short would be a wrong number. */
function shrink(natural: readonly number[], keep: readonly boolean[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width;
  while (excess > 0) {
    const flexible = widths.map((each, column) => (keep[column] || each <= NARROWEST ? 0 : each));
    const widest = Math.max(0, ...flexible);
    if (widest === 0) break;
    const column = flexible.indexOf(widest);
    const second = Math.max(NARROWEST, ...flexible.filter((each) => each < widest));
    const take = Math.min(excess, Math.max(1, widest - second));
    widths[column] -= take;
    excess -= take;
  }
  return widths;
}
