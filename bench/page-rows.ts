import { readFileSync, writeFileSync } from 'node:fs';
import type { CompareTable } from '../dist/evaluate/compare/compare-rows.js';
import { formatNumber } from '../dist/report/page/format.js';

/**
 * Writes rows of a comparison into the table that follows the line `<!-- contestants TRACE -->` of a Markdown page. A row of
 * the same contestant is replaced. Rows stay in the order of AP.
 */
export function writePageRows(file: string, trace: string, table: CompareTable): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const marker = lines.indexOf(`<!-- contestants ${trace} -->`);
  if (marker < 0) throw new Error(`${file} has no line <!-- contestants ${trace} -->`);
  const first = lines.findIndex((line, i) => i > marker && line.startsWith('|---')) + 1;
  const after = lines.findIndex((line, i) => i >= first && !line.startsWith('|'));
  const kept = new Map(lines.slice(first, after).map((line) => [nameOf(line), line]));
  for (const row of table.rows) kept.set(`\`${row[0]}\``, pageRow(table.headings, row));
  const sorted = [...kept.values()].sort((a, b) => precisionOf(b) - precisionOf(a));
  lines.splice(first, after - first, ...sorted);
  writeFileSync(file, lines.join('\n'));
}

/** The cells of the page: counts that belong together share a column, and seconds of the clock are left out. */
function pageRow(headings: readonly string[], row: readonly string[]): string {
  const of = (heading: string) => row[headings.indexOf(heading)];
  const steps = Number(of('steps'));
  const cells = [
    `\`${of('contestant')}\``,
    ...row.slice(1, headings.indexOf('flagged')),
    `${of('flagged')}, ${of('false incidents')}`,
    of('own rule'),
    Number.isNaN(steps) ? of('steps') : formatNumber(steps),
    of('processor s'),
    formatNumber(Number.parseInt(of('memory'), 10)),
  ];
  return `| ${cells.join(' | ')} |`;
}

const nameOf = (line: string) => line.split('|')[1].trim();
const precisionOf = (line: string) => Number.parseFloat(line.split('|')[3]);
