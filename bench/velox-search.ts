import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseThreshold } from '../dist/detect/threshold/threshold.js';
import { evaluateEach } from '../dist/evaluate/evaluate-variants.js';
import { readLabels } from '../dist/evaluate/labels/read-labels.js';
import { ingestSplits, openSplits } from '../dist/evaluate/protocol/splits.js';
import { parseSeeds, resolveVariant, type Variant } from '../dist/evaluate/protocol/variants.js';
import type { EvaluationResult } from '../dist/evaluate/result-schema.js';
import { SCENARIOS, type Scenario } from '../dist/simulate/options.js';
import { simulate } from '../dist/simulate/simulate.js';
import { withFolder } from './measurement.js';

/** What every configuration starts from. Each name below says what differs. */
const BASE = {
  training: { profile: 'recal', textDimension: 32, inputBlocks: 'raw' },
  velox: { steps: 300, rate: 0.01, hidden: 0, dropout: 0, learn: 'train' },
} as const;

const CHANGES: Readonly<Record<string, { training?: Variant['training']; velox?: Variant['velox'] }>> = {
  base: {},
  'learn both': { velox: { learn: 'both' } },
  'text 64': { training: { textDimension: 64 } },
  'text 128': { training: { textDimension: 128 } },
  unit: { training: { inputBlocks: 'unit' } },
  'steps 100': { velox: { steps: 100 } },
  'steps 1000': { velox: { steps: 1000 } },
  'rate 0.001': { velox: { rate: 0.001 } },
  'rate 0.1': { velox: { rate: 0.1 } },
  'dropout 0.3': { velox: { dropout: 0.3 } },
  'hidden 64': { velox: { hidden: 64 } },
  'both, dropout 0.3': { velox: { learn: 'both', dropout: 0.3 } },
  'both, hidden 64, dropout 0.3': { velox: { learn: 'both', hidden: 64, dropout: 0.3 } },
};

/** Figures that order the configurations of a trace. Lower is better, so AP and AUROC are negative. */
const ORDERED = ['ap', 'auroc', 'incident', 'episode'] as const;
type Figures = Readonly<Record<(typeof ORDERED)[number] | 'apNotAmbiguous' | 'seconds', number>> & {
  readonly attacks: string;
};

/**
 * `npm run bench -- velox-search FOLDER|SCENARIO… [--seeds 0-1] [--events 60000] [--only 'NAME;…']` compares settings of the
 * variant `velox` over several traces. A folder has logs of train, calibrate and test, labels.csv (or labels.test.csv) and
 * perhaps ambiguous.csv. A scenario is simulated.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seeds: { type: 'string', default: '0-1' },
      events: { type: 'string', default: '60000' },
      only: { type: 'string', default: Object.keys(CHANGES).join(';') },
    },
  });
  const names = values.only.split(';');
  const traces = new Map<string, Figures[]>();
  for (const trace of positionals) {
    await withFolder('velox-search', async (folder) => {
      const figures = await search(trace, names, parseSeeds(values.seeds), Number(values.events), folder);
      traces.set(basename(trace), figures);
      printTrace(basename(trace), names, figures);
    });
  }
  printRanks(names, traces);
}

async function search(
  trace: string,
  names: readonly string[],
  seeds: readonly number[],
  events: number,
  folder: string,
): Promise<Figures[]> {
  let source = trace;
  if (SCENARIOS.includes(trace as Scenario)) {
    source = join(folder, 'world');
    await simulate({ scenario: trace as Scenario, events, seed: 3, out: source });
  }
  const files = await readdir(source);
  const logs = (part: string) =>
    files
      .filter((file) => new RegExp(`(^|\\.)${part}\\.(nd)?json`).test(file))
      .map((file) => join(source, file));
  const inputs = { train: logs('train'), calibrate: logs('calibrate'), test: logs('test') };
  const splits = await openSplits(await ingestSplits(inputs, { folder: async () => folder }));
  const labelFile = files.includes('labels.test.csv') ? 'labels.test.csv' : 'labels.csv';
  const labels = await readLabels(join(source, labelFile), 'core');
  const ambiguous = join(source, 'ambiguous.csv');
  const ignore = existsSync(ambiguous) ? await readLabels(ambiguous, 'all') : undefined;
  const variants = names.map((name): Variant => {
    const { training, velox } = CHANGES[name];
    return {
      name,
      kind: 'velox',
      training: { ...BASE.training, ...training },
      detection: {},
      velox: { ...BASE.velox, ...velox },
    };
  });
  const measure = {
    labels,
    tier: 'core',
    protocol: 'honest',
    matching: 'node',
    threshold: parseThreshold('budget:5/day'),
  } as const;
  const spent = new Map<string, number>();
  const [all, rest] = await evaluateEach(
    {
      splits,
      seeds,
      threads: 1,
      variants: variants.map((variant) => resolveVariant(variant, {}, {})),
      watch: {
        finished({ names: [name], seconds }) {
          spent.set(name, (spent.get(name) ?? 0) + seconds / seeds.length);
        },
      },
    },
    [measure, { ...measure, ignore }],
  );
  return names.map((name) => figuresOf(name, all.result, rest.result, spent.get(name) ?? 0));
}

/** Means over seeds; of the ranks, the mean over attacks of ln(rank), so that one late attack does not decide alone. */
function figuresOf(name: string, all: EvaluationResult, rest: EvaluationResult, seconds: number): Figures {
  const { seeds } = all.variants[name];
  const attacks = (seeds[0].perAttack ?? []).map(({ name: attack }, i) => {
    const each = seeds.flatMap(({ perAttack = [] }) => perAttack.slice(i, i + 1));
    const incidents = each.map(
      ({ firstIncident, deeper }) => firstIncident ?? deeper?.incident ?? (deeper?.incidents ?? 1e5) + 1,
    );
    const episodes = each.map(({ firstEpisode }) => firstEpisode ?? 1e5);
    return { attack, incidents, episodes };
  });
  const lnRank = (of: 'incidents' | 'episodes') =>
    mean(attacks.flatMap((each) => each[of]).map((rank) => Math.log(rank)));
  return {
    ap: -mean(seeds.map(({ ap }) => ap ?? 0)),
    apNotAmbiguous: -mean(rest.variants[name].seeds.map(({ ap }) => ap ?? 0)),
    auroc: -mean(seeds.map(({ auroc }) => auroc ?? 0)),
    incident: lnRank('incidents'),
    episode: lnRank('episodes'),
    seconds,
    attacks: attacks
      .map(({ attack, incidents, episodes }) => `${attack} ${incidents.join(', ')} / ${episodes.join(', ')}`)
      .join('; '),
  };
}

function printTrace(trace: string, names: readonly string[], figures: readonly Figures[]): void {
  console.log(`\n### ${trace}\n`);
  console.log(
    '| configuration | AP | AP without ambiguous | AUROC | first incident / episode, by seed | s |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const [i, { ap, apNotAmbiguous, auroc, attacks, seconds }] of figures.entries()) {
    const cells = [-ap, -apNotAmbiguous, -auroc].map((value) => value.toFixed(3));
    console.log(`| ${names[i]} | ${cells.join(' | ')} | ${attacks} | ${seconds.toFixed(1)} |`);
  }
}

/** The mean rank over AP, AUROC, first incident and first episode: by trace, over all, and without each trace. */
function printRanks(names: readonly string[], traces: ReadonlyMap<string, readonly Figures[]>): void {
  const ranks = [...traces.values()].map((figures) => {
    const byFigure = ORDERED.map((figure) => ranksOf(figures.map((each) => each[figure])));
    return names.map((_, i) => mean(byFigure.map((each) => each[i])));
  });
  const over = names.map((_, i) => mean(ranks.map((each) => each[i])));
  console.log(`\n### mean rank\n\n| configuration | ${[...traces.keys()].join(' | ')} | all |`);
  console.log(`|---${'|---'.repeat(traces.size + 1)}|`);
  for (const [i, name] of names.entries()) {
    const cells = [...ranks.map((each) => each[i]), over[i]].map((value) => value.toFixed(2));
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
  const best = (values: readonly number[]) => names[values.indexOf(Math.min(...values))];
  console.log(`\nbest of all: ${best(over)}`);
  for (const [t, trace] of [...traces.keys()].entries()) {
    const others = ranks.filter((_, other) => other !== t);
    console.log(`best without ${trace}: ${best(names.map((_, i) => mean(others.map((each) => each[i]))))}`);
  }
}

/** The rank of each value, from 1 for the lowest; equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): number[] {
  return values.map((value) => {
    const lower = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return lower + (equal + 1) / 2;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
