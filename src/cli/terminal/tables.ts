import { printable } from '../../base/printable.js';
import { columnsOf, cutTo } from './columns.js';
import { formatCount } from './quantities.js';

/** The properties of the terminal that rendering depends on. `Output` implements it. */
export interface Look {
  /** Width in columns; Infinity if lines may have any length. */
  readonly width: number;
  /** Whether the terminal can show characters beyond ASCII. */
  readonly unicode: boolean;
  /** Makes headings bold, if the terminal has colour. */
  readonly bold?: (text: string) => string;
}

export type Cell = string | number | bigint | boolean | null | undefined;

const GAP = '  ';
/** Minimum width of a column of texts that are cut. */
const MIN_WIDTH = 24;
/** The same for the last column, which often contains sentences. */
const MIN_LAST_WIDTH = 60;
/** Indent of the second and later lines of a row. */
const INDENT = '   ';
/** Maximum number of lines of a long text. */
const MAX_LINES = 3;

/** Columns that share a line. */
interface Band {
  readonly columns: readonly number[];
  readonly indent: string;
}

/**
 * Renders rows under a heading in aligned columns: numbers on the right, grouped in thousands, and printable texts on
 * the left. If the table is too wide, long texts are cut; if that does not suffice, rows take several lines.
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

/** Computes the widths of columns, and which columns share a line, for a terminal of this width. */
function layOut(
  natural: readonly number[],
  right: readonly boolean[],
  width: number,
): { bands: Band[]; widths: number[] } {
  const all = natural.map((_, column) => column);
  const sum = (widths: readonly number[]) =>
    widths.reduce((total, each) => total + each, 0) + GAP.length * (widths.length - 1);
  // Numbers are never cut, because a cut number is wrong.
  const least = natural.map((each, column) =>
    right[column] ? each : Math.min(each, column + 1 === natural.length ? MIN_LAST_WIDTH : MIN_WIDTH),
  );
  if (sum(least) <= width) {
    return { bands: [{ columns: all, indent: '' }], widths: shrink(natural, least, sum(natural) - width) };
  }
  const widths = natural.map((each, column) =>
    right[column] ? each : Math.max(1, Math.min(each, width - INDENT.length)),
  );
  const bands: { columns: number[]; indent: string }[] = [{ columns: [], indent: '' }];
  for (const column of all) {
    const { columns, indent } = bands[bands.length - 1];
    const taken = indent.length + sum([...columns, column].map((each) => widths[each]));
    if (columns.length > 0 && taken > width) bands.push({ columns: [column], indent: INDENT });
    else columns.push(column);
  }
  return { bands, widths };
}

/** Narrows the widest text column until the table fits. */
function shrink(natural: readonly number[], least: readonly number[], excess: number): number[] {
  const widths = [...natural];
  for (let left = excess; left > 0; left--) {
    const flexible = widths.map((each, column) => (each > least[column] ? each : 0));
    widths[flexible.indexOf(Math.max(...flexible))]--;
  }
  return widths;
}

/** Breaks a text into lines of this width, preferably at blanks. */
function wrap(text: string, width: number, ellipsis: string): string[] {
  const lines: string[] = [];
  let rest = text;
  while (columnsOf(rest) > width && lines.length + 1 < MAX_LINES) {
    const piece = cutTo(rest, width, '');
    const blank = piece.lastIndexOf(' ');
    const end = blank > piece.length / 2 ? blank : piece.length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, cutTo(rest, width, ellipsis)];
}
