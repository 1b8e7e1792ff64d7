import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { DetectionConfig } from '../dist/detect/detection-config.js';
import { parseThreshold } from '../dist/detect/threshold/threshold.js';
import { evaluateVariants } from '../dist/evaluate/evaluate-variants.js';
import type { Evaluation } from '../dist/evaluate/evaluation.js';
import { matchLabels } from '../dist/evaluate/labels/label-match.js';
import type { Labels } from '../dist/evaluate/labels/labels.js';
import { readLabels } from '../dist/evaluate/labels/read-labels.js';
import { averagePrecision, rankScores } from '../dist/evaluate/metrics/ranking-metrics.js';
import { ingestSplits, openSplits, type SplitInputs, type Splits } from '../dist/evaluate/protocol/splits.js';
import { parseSeeds, resolveVariant, type Variant, variantOf } from '../dist/evaluate/protocol/variants.js';
import type { TrainingConfig } from '../dist/model/training/training-config.js';
import { SCENARIOS, type Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { withFolder } from './measurement.js';

const E1 = resolve('../shared/data/cadets-e1');
const HOUR = 3_600_000_000_000n;

interface Change {
  readonly name: string;
  readonly training?: Partial<TrainingConfig>;
  readonly detection?: Partial<DetectionConfig>;
}

/** Profile `recal` with one detection setting changed. */
const CHANGES: readonly Change[] = [
  { name: 'recal' },
  { name: 'lineage none', detection: { lineage: 'none' } },
  { name: 'evidence reconstruction', detection: { evidence: ['reconstruction'] } },
  { name: 'evidence name', detection: { evidence: ['name'] } },
  { name: 'evidence relation', detection: { evidence: ['relation'] } },
  { name: 'evidence distance', detection: { evidence: ['distance'] } },
  { name: 'evidence name, distance', detection: { evidence: ['name', 'distance'] } },
  { name: 'evidence reconstruction, name', detection: { evidence: ['reconstruction', 'name'] } },
  { name: 'evidence all four', detection: { evidence: ['reconstruction', 'name', 'relation', 'distance'] } },
  { name: 'combine kinds', detection: { combine: 'kinds' } },
  { name: 'fusion max', detection: { fusion: 'max' } },
  { name: 'fusion brown', detection: { fusion: 'brown' } },
  { name: 'fusion cauchy', detection: { fusion: 'cauchy' } },
  { name: 'tables type', detection: { tables: 'type' } },
  { name: 'lineage price 1', detection: { lineagePrice: 1 } },
  { name: 'lineage price 4', detection: { lineagePrice: 4 } },
  { name: 'tail floor', detection: { tail: 'floor' } },
  { name: 'gate knn', detection: { gate: 'knn' } },
  { name: 'halves split', detection: { halves: 'split' } },
  { name: 'over highest', detection: { over: 'highest' } },
];

/** Profile `recal` with one training setting changed: each needs another model. */
const TRAININGS: readonly Change[] = [
  { name: 'graph file', training: { graph: 'file' } },
  { name: 'window 10 min', training: { window: 10 } },
  { name: 'window 60 min', training: { window: 60 } },
  { name: 'input unit', training: { inputBlocks: 'unit' } },
  { name: 'target unit', training: { targetBlocks: 'unit' } },
  { name: 'both unit', training: { inputBlocks: 'unit', targetBlocks: 'unit' } },
  { name: 'exponent 1', training: { exponent: 1 } },
  { name: 'encoder rgat', training: { encoder: 'rgat' } },
];

const RIVALS = ['paper', 'rarity', 'velox'] as const;

interface Trial {
  readonly name: string;
  readonly splits: Splits;
  readonly labels: Labels;
  readonly ignore: Labels | undefined;
  readonly allowPast: boolean;
}

/**
 * `npm run bench -- study [e1|pre|shifted|SCENARIO…] [--seeds 0-2] [--epochs 200] [--events 150000] [--trainings]
 * [--rivals]` is the study of docs/research/real-traces.md: profile `recal` with one setting changed at a time.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seeds: { type: 'string', default: '0-2' },
      epochs: { type: 'string', default: '200' },
      events: { type: 'string', default: '150000' },
      trainings: { type: 'boolean', default: false },
      rivals: { type: 'boolean', default: false },
    },
  });
  const seeds = parseSeeds(values.seeds);
  const trials = positionals.length > 0 ? positionals : ['e1', 'pre', 'shifted', ...SCENARIOS];
  const changes = [...CHANGES, ...(values.trainings ? TRAININGS : [])];
  for (const name of trials) {
    await withFolder('study', async (folder) => {
      const trial = await openTrial(name, folder, Number(values.events));
      if (trial === undefined) console.log(`${name}: skipped, ${E1} does not exist`);
      else await study(trial, changes, seeds, Number(values.epochs), values.rivals);
    });
  }
}

async function study(
  trial: Trial,
  changes: readonly Change[],
  seeds: readonly number[],
  epochs: number,
  rivals: boolean,
): Promise<void> {
  const own = changes.map(({ name, training = {}, detection = {} }): Variant => {
    return { ...variantOf('recal'), name, training: { profile: 'recal', ...training }, detection };
  });
  const variants = [...own, ...(rivals ? RIVALS.map(variantOf) : [])];
  const found = await evaluateVariants({
    splits: trial.splits,
    labels: trial.labels,
    tier: 'core',
    protocol: 'honest',
    seeds,
    threads: 2,
    allowPast: trial.allowPast,
    matching: 'node',
    threshold: parseThreshold('budget:5/day'),
    variants: variants.map((variant) => resolveVariant(variant, { epochs }, {})),
  });
  console.log(`\n### ${trial.name}, seeds ${seeds.join(', ')}, ${epochs} epochs\n`);
  const ignoring = trial.ignore === undefined ? '' : ' AP without ambiguous |';
  console.log(
    `| configuration | incidents until all attacks | their nodes | AP |${ignoring} AUROC | first incident of each attack, by seed |`,
  );
  console.log(`|---|---|---|---|${trial.ignore === undefined ? '' : '---|'}---|---|`);
  for (const { name } of variants) console.log(tableRow(name, found, trial));
}

/** The mean of each figure, and its range over the seeds. */
function tableRow(name: string, { result, scores }: Evaluation, trial: Trial): string {
  const { seeds } = result.variants[name];
  const spread = (values: readonly (number | null)[], digits: number) => {
    if (values.some((each) => each === null))
      return `never in ${values.filter((each) => each === null).length} of ${values.length}`;
    const known = values as readonly number[];
    const mean = known.reduce((sum, each) => sum + each, 0) / known.length;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const range = low === high ? '' : ` (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
    return mean.toFixed(low === high ? digits : Math.max(digits, 1)) + range;
  };
  const cells = [
    spread(
      seeds.map((seed) => seed.incidentsUntilAllAttacks),
      0,
    ),
    spread(
      seeds.map((seed) => seed.nodesUntilAllAttacks),
      0,
    ),
    spread(
      seeds.map((seed) => seed.ap),
      3,
    ),
  ];
  if (trial.ignore !== undefined) {
    const match = matchLabels(trial.labels, trial.splits.test.labelled, { ignore: trial.ignore });
    const columns = scores.filter((column) => column.variant === name);
    cells.push(
      spread(
        columns.map((column) => averagePrecision(rankScores(column.ranking, match.positives, match.ignored))),
        3,
      ),
    );
  }
  cells.push(
    spread(
      seeds.map((seed) => seed.auroc),
      3,
    ),
  );
  const attacks = (seeds[0]?.perAttack ?? []).map(({ name: attack }, i) => {
    const ranks = seeds.map((seed) => seed.perAttack?.[i]?.firstIncident ?? 'none');
    return `${attack} ${ranks.join(', ')}`;
  });
  cells.push(attacks.join('; '));
  return `| ${name} | ${cells.join(' | ')} |`;
}

async function openTrial(name: string, folder: string, events: number): Promise<Trial | undefined> {
  if (SCENARIOS.includes(name as Scenario)) {
    const out = join(folder, 'world');
    await simulate({ scenario: name as Scenario, events, seed: 3, out });
    const file = (part: string) => [join(out, `${part}.json`)];
    const inputs = { train: file('train'), calibrate: file('calibrate'), test: file('test') };
    return {
      name,
      ignore: undefined,
      allowPast: false,
      splits: await openSplits(await ingestSplits(inputs, { folder: async () => folder })),
      labels: await readLabels(join(out, 'labels.csv'), 'core'),
    };
  }
  if (!existsSync(E1)) return undefined;
  const file = (part: string) => [join(E1, `ta1-cadets-e1-stretch.${part}.json.gz`)];
  const test = name === 'pre' ? 'pre' : 'test';
  const inputs: SplitInputs = { train: file('train'), calibrate: file('calibrate'), test: file(test) };
  const sources = await ingestSplits(inputs, { folder: async () => folder });
  if (name === 'shifted') {
    // Training ends an hour later, so that calibration has the last hour of the benign time.
    const both = { ...sources.train, selection: {} };
    const first = 1_474_980_780_000_000_000n; // 12:53
    sources.train = { ...both, selection: { from: first, to: first + 3n * HOUR } };
    sources.calibrate = { ...both, selection: { from: first + 3n * HOUR, to: 1_474_994_640_000_000_000n } };
  }
  return {
    name:
      { e1: 'CADETS E1', pre: 'CADETS E1, first attack', shifted: 'CADETS E1, other split' }[name] ?? name,
    splits: await openSplits(sources),
    labels: await readLabels(join(E1, name === 'pre' ? 'labels.csv' : 'labels.test.csv'), 'core'),
    ignore: name === 'pre' ? undefined : await readLabels(join(E1, 'ambiguous.csv'), 'all'),
    allowPast: name === 'pre',
  };
}
