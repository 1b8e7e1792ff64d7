import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseThreshold } from '../dist/detect/threshold/threshold.js';
import { type Comparison, compare } from '../dist/evaluate/compare/compare.js';
import { type CompareTable, compareTable } from '../dist/evaluate/compare/compare-rows.js';
import {
  COMPARED,
  parseSeeds,
  type ResolvedVariant,
  resolveVariant,
  variantOf,
} from '../dist/evaluate/protocol/variants.js';
import { SCENARIOS } from '../dist/simulate/options.js';
import { withFolder } from './measurement.js';
import { writePageRows } from './page-rows.js';
import { openTrial, type Trial } from './trials.js';

/** The traces of docs/research/rivals/results.md. */
const TRACES = ['e1', 'lab', 'otrf-01-03-04', 'otrf-03-01-04', 'otrf-04-01-03', ...SCENARIOS];

/**
 * `npm run bench -- contestants [e1|lab|otrf-TEST-TRAIN-CALIBRATE|SCENARIO…] [--variants a,b] [--seeds 0] [--world 40]
 * [--events 60000] [--out DIR] [--page FILE]` does what `recal compare` does, on traces that it writes or finds itself.
 * Finished runs stay in `--out` and are not run again. `--page` writes the rows into the tables of a Markdown page.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      variants: { type: 'string', default: COMPARED.join() },
      seeds: { type: 'string', default: '0' },
      world: { type: 'string', default: '40' },
      events: { type: 'string', default: '60000' },
      out: { type: 'string', default: '.bench/contestants' },
      page: { type: 'string' },
    },
  });
  const variants = values.variants.split(',').map((name) => resolveVariant(variantOf(name), {}, {}));
  for (const name of positionals.length > 0 ? positionals : TRACES) {
    await withFolder('contestants', async (folder) => {
      const options = { world: Number(values.world), events: Number(values.events), folder };
      const trial = await openTrial(name, { ...options, tier: 'core' });
      if (trial === undefined) return console.log(`${name}: skipped, its data is not at hand`);
      await printRows(trial, variants, { seeds: parseSeeds(values.seeds), out: values.out }, (table) => {
        if (values.page !== undefined) writePageRows(values.page, name, table);
      });
    });
  }
}

/** Prints a Markdown table of a trace. A row appears as soon as its contestant is finished. */
export async function printRows(
  { name, splits, labels, ignore }: Trial,
  variants: readonly ResolvedVariant[],
  { seeds, out }: { seeds: readonly number[]; out: string },
  finished: (table: CompareTable) => void = () => {},
): Promise<void> {
  let notes: Comparison['notes'] = [];
  for (const [i, variant] of variants.entries()) {
    const found = await compare({
      splits,
      labels,
      ignore,
      tier: 'core',
      protocol: 'honest',
      matching: 'node',
      // The captures of OTRF are separate sessions, tested in every order.
      allowPast: name.startsWith('otrf-'),
      threshold: parseThreshold('budget:5/day'),
      variants: [variant],
      seeds,
      threads: 1,
      folder: join(resolve(out), name.replaceAll(' ', '-')),
    });
    if (found === undefined) return;
    const table = compareTable(found);
    const { headings, rows } = table;
    finished(table);
    if (i === 0) {
      const { positives, nodes } = found.about.data;
      console.log(`\n${name}: ${positives} of ${nodes} nodes are labelled\n`);
      console.log(`| ${headings.join(' | ')} |\n|${'---|'.repeat(headings.length)}`);
    }
    for (const row of rows) console.log(`| ${row.join(' | ')} |`);
    notes = [...new Set([...notes, ...found.notes])];
  }
  for (const note of notes) console.log(`note: ${note}`);
}
