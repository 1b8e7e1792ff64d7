import { printable } from '../../base/printable.js';
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
/** What is left of a text at least when it is cut, and of one in the last column, where sentences stand. */
const LEAST = 24;
const LEAST_LAST = 60;
/** Where rows take several lines: before the second and later ones, and how many a long text may take. */
const INDENT = '   ';
const MOST_LINES = 3;

/** Columns that stand side by side. */
interface Band {
  readonly columns: readonly number[];
  readonly indent: string;
}

/**
 * Rows under a heading, in aligned columns. Numbers are grouped in thousands and stand right, text stands left. Texts
 * are made printable here. When the table does not fit, long texts are cut a little; when that is not enough, rows
 * take several lines.
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
  const { bands, widths } = layOut(natural, right, look.width);
  const ellipsis = look.unicode ? '…' : '~';
  const bandLines = (cells: readonly string[], { columns, indent }: Band): string[] => {
    const [first] = columns;
    if (indent !== '' && columns.length === 1 && !right[first]) {
      return wrap(cells[first], widths[first], ellipsis).map((line) => (indent + line).trimEnd());
    }
    const parts = columns.map((column) => {
      const cut = cutTo(cells[column], widths[column], ellipsis);
      const space = ' '.repeat(widths[column] - columnsOf(cut));
      return right[column] ? space + cut : cut + space;
    });
    return [(indent + parts.join(GAP)).trimEnd()];
  };
  const linesOf = (cells: readonly string[]) => {
    const lines = bands.flatMap((band) => bandLines(cells, band));
    return lines.filter((line, i) => i === 0 || line !== '');
  };
  const head = linesOf(headings);
  return [...(look.bold === undefined ? head : head.map(look.bold)), ...texts.flatMap(linesOf)];
}

function cellText(cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'bigint') return formatCount(cell);
  return typeof cell === 'string' ? printable(cell) : cell ? 'yes' : 'no';
}

/** How wide columns are, and which of them stand side by side, in so many columns of a terminal. */
function layOut(
  natural: readonly number[],
  right: readonly boolean[],
  width: number,
): { bands: Band[]; widths: number[] } {
  const whole = natural.map((_, column) => column);
  const sum = (widths: readonly number[]) =>
    widths.reduce((total, each) => total + each, 0) + GAP.length * (widths.length - 1);
  // A number cut short would be a wrong number.
  const least = natural.map((each, column) =>
    right[column] ? each : Math.min(each, column + 1 === natural.length ? LEAST_LAST : LEAST),
  );
  if (sum(least) <= width) {
    return { bands: [{ columns: whole, indent: '' }], widths: shrink(natural, least, sum(natural) - width) };
  }
  const widths = natural.map((each, column) =>
    right[column] ? each : Math.max(1, Math.min(each, width - INDENT.length)),
  );
  const bands: { columns: number[]; indent: string }[] = [{ columns: [], indent: '' }];
  for (const column of whole) {
    const { columns, indent } = bands[bands.length - 1];
    const taken = indent.length + sum([...columns, column].map((each) => widths[each]));
    if (columns.length > 0 && taken > width) bands.push({ columns: [column], indent: INDENT });
    else columns.push(column);
  }
  return { bands, widths };
}

/** Takes columns from the widest text until the table fits. */
function shrink(natural: readonly number[], least: readonly number[], excess: number): number[] {
  const widths = [...natural];
  for (let left = excess; left > 0; left--) {
    const flexible = widths.map((each, column) => (each > least[column] ? each : 0));
    widths[flexible.indexOf(Math.max(...flexible))]--;
  }
  return widths;
}

/** A text in lines of this width, broken at blanks where there are any. */
function wrap(text: string, width: number, ellipsis: string): string[] {
  const lines: string[] = [];
  let rest = text;
  while (columnsOf(rest) > width && lines.length + 1 < MOST_LINES) {
    const piece = cutTo(rest, width, '');
    const blank = piece.lastIndexOf(' ');
    const end = blank > piece.length / 2 ? blank : piece.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, cutTo(rest, width, ellipsis)];
}
