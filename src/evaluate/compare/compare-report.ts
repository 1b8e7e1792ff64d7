import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/files/replace-file.js';
import { seedDots } from '../../report/charts/seed-dots.js';
import { h } from '../../report/page/html.js';
import { REPORT_FILE, renderPage } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import type { Comparison } from './compare.js';
import { byPrecision, COMPARE_LEGEND, compareTable, describeComparison } from './compare-rows.js';

/** Writes report.html: one picture and one table. */
export async function writeCompareReport(comparison: Comparison, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await replaceFile(join(folder, REPORT_FILE), renderReport(comparison));
}

function renderReport({ contestants, about, notes }: Comparison): string {
  const { headings, rows } = compareTable({ contestants, about });
  const groups = byPrecision(contestants).map(({ name, result: { seeds } }) => ({
    name,
    values: seeds.flatMap(({ ap }) => (ap === null ? [] : [ap])),
  }));
  const highest = Math.max(...groups.flatMap(({ values }) => values), 0);
  const { positives, nodes } = about.data;
  return renderPage({
    kind: 'Comparison',
    title: 'Detectors on the same data',
    generator: `recal ${about.versions.recal ?? ''}`.trim(),
    sections: [
      {
        id: 'picture',
        title: 'Average precision',
        lead: `All contestants: ${describeComparison(about)}. A detector that guesses has an average precision near ${(positives / Math.max(1, nodes)).toFixed(4)}.`,
        content: seedDots({
          id: 'ap',
          title: 'Average precision by seed',
          caption: 'Each ring is a seed, each bar the mean. Higher is better.',
          measure: 'average precision',
          groups,
          domain: [0, Math.min(1, 1.1 * highest) || 1],
        }),
      },
      {
        id: 'table',
        title: 'All figures',
        content: [
          dataTable({
            id: 'compare-table',
            title: 'Mean over seeds ± one standard deviation',
            columns: headings.map((heading, column) => ({
              heading,
              value: (row: readonly string[]) => row[column],
              as: 'whole',
            })),
            rows,
            download: true,
          }),
          h(
            'ul',
            {},
            COMPARE_LEGEND.map((line) => h('li', {}, line)),
          ),
        ],
      },
      {
        id: 'caveats',
        title: 'Caveats',
        content: h(
          'ul',
          {},
          notes.map((note) => h('li', {}, note)),
        ),
      },
    ],
  });
}
