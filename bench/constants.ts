import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SCENARIOS } from '../dist/simulate/options.js';
import { withFolder } from './measurement.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** One order of captures per test. */
const OTRF = ['otrf-01-03-04', 'otrf-03-01-04', 'otrf-04-01-03'];
const TRACES = ['e1', 'lab', ...OTRF, ...SCENARIOS];

/** A constant of the built code: the text that sets it, up to the value, and other values. */
interface Constant {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly value: string;
  readonly tried: readonly string[];
}

const CONSTANTS: readonly Constant[] = [
  constant('prior', 'episodes/novelty/novelty-rates', 'PRIOR = ', '10', '2', '50'),
  constant('most per kind (nats)', 'episodes/novelty/novelty-rates', 'MOST_PER_KIND = ', '30', '10', '60'),
  constant('correlation', 'episodes/novelty/novelty-rates', 'assumed: ', '0.1', '0.02', '0.5'),
  constant('gap (minutes)', 'episodes/named-events', 'GAP = ', '30n', '10n', '60n'),
  constant('alike', 'episodes/fold-episodes', 'ALIKE = ', '0.5', '0.25', '0.75'),
  constant('tail share', 'calibration/tail-model', 'EXCEEDING_SHARE = ', '0.1', '0.05', '0.2'),
  constant('processes counted', 'episodes/score-episodes', 'PROCESSES_COUNTED = ', '3', '1', '5'),
  constant('connections that join', 'episodes/join-episodes', 'MOST_CONNECTIONS = ', '60', '20', '200'),
];

function constant(name: string, file: string, text: string, value: string, ...tried: string[]): Constant {
  return { name, file: `dist/detect/${file}.js`, text, value, tried };
}

/** The ranks of the attacks of each trace. The captures of OTRF are one trace. */
type Ranks = ReadonlyMap<string, readonly number[]>;

/**
 * `npm run bench -- constants [NAME…] [--worlds 2] [--seeds 0] [--events 60000]` changes one constant at a time in a copy of
 * the built code, and shows the ranks of each trace with the value that is best on all the other traces.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      worlds: { type: 'string', default: '2' },
      seeds: { type: 'string', default: '0' },
      events: { type: 'string', default: '60000' },
    },
  });
  const flags = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
  const asked = CONSTANTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const byDefault = await withFolder('constants', async (folder) => ranksOf(folder, flags));
  const traces = [...byDefault.keys()];
  console.log(`| constant | default | tried | ${traces.join(' | ')} | sum of ranks |`);
  console.log(`|---|---|---|${traces.map(() => '---|').join('')}---|`);
  console.log(
    row(['all defaults', '', '', ...traces.map((trace) => cell(byDefault, trace)), sum(byDefault)]),
  );
  for (const each of asked) {
    const byValue = new Map<string, Ranks>([[each.value, byDefault]]);
    for (const value of each.tried)
      byValue.set(
        value,
        await withFolder('constants', async (folder) => ranksOf(folder, flags, each, value)),
      );
    const cells = traces.map((trace) => {
      const chosen = bestWithout(trace, byValue);
      const ranks = cell(byValue.get(chosen) as Ranks, trace);
      return chosen === each.value ? ranks : `${ranks} (${chosen})`;
    });
    const sums = [...byValue].map(([value, ranks]) => `${value}: ${sum(ranks)}`);
    console.log(row([each.name, each.value, each.tried.join(', '), ...cells, sums.join(', ')]));
  }
}

/** The value with the least mean rank by trace over the other traces; the default wins a tie. */
function bestWithout(trace: string, byValue: ReadonlyMap<string, Ranks>): string {
  const meanOf = (ranks: Ranks) =>
    [...ranks].filter(([name]) => name !== trace).reduce((total, [, of]) => total + mean(of), 0);
  return [...byValue].reduce((best, each) => (meanOf(each[1]) < meanOf(best[1]) - 1e-9 ? each : best))[0];
}

/** Runs the bench `ranks` in a copy of the built code in `folder`, in which one constant has another value. */
function ranksOf(folder: string, flags: readonly string[], changed?: Constant, value = ''): Ranks {
  for (const part of ['dist', '.bench', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  if (changed !== undefined) change(join(folder, changed.file), changed, value);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, '.bench/run.js'), 'ranks', ...TRACES, ...flags],
    { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  if (status !== 0) throw new Error(`the bench ranks failed: ${stderr.slice(-2000)}`);
  const ranks = new Map<string, number[]>();
  for (const line of stdout.split('\n')) {
    const [, name, , variant, ...cells] = line.split('|').map((each) => each.trim());
    // The summary at the end of the output has rows without steps.
    if (!/^recal, \d+ steps$/.test(variant ?? '')) continue;
    const trace = name.startsWith('otrf') ? 'otrf' : name.replace(/ \d+$/, '');
    // `A1-name 1, 2 (1, 1)`: a rank per seed, then without harmless novelty. An attack that is never seen counts 100.
    const found = cells.flatMap((text) => /^\S+ ([^(]*)/.exec(text)?.[1].split(',') ?? []);
    ranks.set(trace, [...(ranks.get(trace) ?? []), ...found.map((text) => Number(text) || 100)]);
  }
  return ranks;
}

function change(path: string, { text, value }: Constant, to: string): void {
  const code = readFileSync(path, 'utf8');
  if (code.split(`${text}${value}`).length !== 2)
    throw new Error(`${path} does not set ${text}${value} once`);
  writeFileSync(path, code.replace(`${text}${value}`, `${text}${to}`));
}

const mean = (ranks: readonly number[]) => ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
const cell = (ranks: Ranks, trace: string) => (ranks.get(trace) ?? []).join(', ');
const sum = (ranks: Ranks) => String([...ranks.values()].flat().reduce((total, rank) => total + rank, 0));
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
