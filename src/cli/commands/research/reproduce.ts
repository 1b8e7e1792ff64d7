import { join } from 'node:path';
import { z } from 'zod';
import { EXIT, RecalError } from '../../../base/errors.js';
import { ownVersion } from '../../../base/own-version.js';
import { printable } from '../../../base/printable.js';
import { closestName } from '../../../base/settings/closest-name.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { SPLIT_SCHEMES } from '../../../evaluate/e3/e3-files.js';
import { E3_HOSTS, type E3Host } from '../../../evaluate/e3/published.js';
import { reproduce, timesOf } from '../../../evaluate/e3/reproduce.js';
import { MATCHING_PROTOCOLS } from '../../../evaluate/metrics/matching.js';
import { DEFAULT_VARIANTS, parseSeeds, variantOf } from '../../../evaluate/protocol/variants.js';
import { caveatsOf } from '../../../evaluate/report/caveats.js';
import { compareWithPublished } from '../../../evaluate/report/published-comparison.js';
import type { Study } from '../../../evaluate/report/study.js';
import { trialName } from '../../../evaluate/sweep/sweep.js';
import { PAPER_SWEEPS } from '../../../evaluate/sweep/sweep-axes.js';
import { checkOutFolder } from '../../../pipeline/out-folder.js';
import { threadCount } from '../../../pipeline/threads.js';
import { REPORT_FILE } from '../../../report/page/page.js';
import { defineCommand } from '../../command.js';
import {
  comparedSettings,
  comparedValues,
  outSetting,
  parseNames,
  seedsSetting,
  variantsSetting,
} from '../../settings/evaluation-settings.js';
import { EvaluationProgress } from '../../terminal/evaluation-progress.js';
import { formatDuration } from '../../terminal/quantities.js';
import { type Look, renderTable } from '../../terminal/tables.js';

const DATASETS = E3_HOSTS.map((host) => `e3-${host}`);
const TRIALS = PAPER_SWEEPS.reduce((sum, { values }) => sum + values.length, 0);

export const command = defineCommand({
  details:
    'Needs the JSON files of one Engagement 3 host and its labels. Runs all variants and seeds: with the paper protocol ' +
    'if the labels folder contains the ThreaTrace list, and with the honest protocol if it contains expert labels. ' +
    'docs/research/reproduce.md describes the splits and where to get the data.',
  examples: [
    'recal reproduce e3-cadets --data e3/cadets --labels labels --out cadets',
    'recal reproduce e3-theia --data e3/theia --labels labels --split pidsmaker --seeds 0 --steps 500 --out quick',
    'recal reproduce e3-trace --data e3/trace --labels labels --sweeps --out trace',
  ],
  arguments: { dataset: { description: DATASETS.join(', ') } },
  settings: defineSettings({
    data: { type: z.string().min(1), description: 'folder with the log files', value: 'DIR' },
    labels: {
      type: z.string().min(1),
      description: 'folder with the labels: cadets.txt, E3-CADETS.csv, or their published names',
      value: 'DIR',
    },
    out: outSetting,
    split: {
      type: z.enum(SPLIT_SCHEMES).default('magic'),
      description: 'publication whose train and test splits to use',
    },
    match: {
      type: z.enum(MATCHING_PROTOCOLS).default('node'),
      description: 'how the protocol paper matches alerts with labels; honest compares node by node',
    },
    sweeps: {
      type: z.boolean().default(false),
      description: `also run the four sensitivity sweeps: ${TRIALS} more evaluations`,
    },
    seeds: seedsSetting,
    variants: variantsSetting(DEFAULT_VARIANTS),
    ...comparedSettings,
  }),
  async run({ dataset }, settings, context) {
    await checkOutFolder(settings.out);
    const { out, signal } = context;
    const started = performance.now();
    const host = hostOf(dataset);
    const seeds = parseSeeds(settings.seeds);
    const variants = parseNames(settings.variants);
    for (const name of variants) variantOf(name);
    const progress = new EvaluationProgress(context, seeds.length);
    try {
      const { study, complete } = await reproduce({
        host,
        scheme: settings.split,
        data: settings.data,
        labels: settings.labels,
        out: settings.out,
        seeds,
        variants,
        match: settings.match,
        sweeps: settings.sweeps ? PAPER_SWEEPS : [],
        signal,
        versions: { recal: ownVersion() },
        ...comparedValues(settings),
        threads: threadCount(settings.threads),
        reading: {
          threads: settings.threads === 1 ? 0 : settings.threads,
          noticed: (read) => progress.read(read),
          onProgress: ({ bytes, events }) => progress.reading(bytes, events),
        },
        watch: {
          loaded: (notes) => {
            progress.finish();
            for (const note of notes) out.warn(printable(note, 400));
          },
          run: ({ protocol, labels }) => {
            progress.finish();
            out.info(`protocol ${protocol}, labels from ${printable(labels.file, 200)}`);
          },
          removed: (folder) => {
            progress.finish();
            out.warn(
              `removed ${printable(folder, 200)}: results of an earlier run, with a protocol that was not run now`,
            );
          },
          evaluation: {
            stage: (run, stage, done) => progress.stage(run, stage, done),
            finished: (run, done) => progress.finished(run, done),
          },
          sweep: {
            trial: (assignment, number, known) => {
              progress.trial();
              const done = known ? ' (finished earlier)' : '';
              out.info(`trial ${number + 1} of ${TRIALS}: ${trialName(assignment)}${done}`);
            },
          },
        },
      });
      progress.finish();
      const rows = compareWithPublished(study);
      out.result({ complete, beside: rows, notes: caveatsOf(study), out: settings.out }, function* () {
        yield* renderBeside(study, out);
        const time = formatDuration(performance.now() - started);
        yield `report: ${printable(join(settings.out, REPORT_FILE))} (${time})`;
      });
      return EXIT.done;
    } finally {
      progress.finish();
    }
  },
});

function hostOf(dataset: string): E3Host {
  const host = E3_HOSTS.find((each) => dataset === `e3-${each}`);
  if (host !== undefined) return host;
  const near = closestName(dataset, DATASETS);
  throw new RecalError('unknown-dataset', `unknown dataset '${printable(dataset, 60)}'`, {
    hint: near === undefined ? `use one of ${DATASETS.join(', ')}` : `did you mean '${near}'?`,
    exit: EXIT.usage,
  });
}

/** Training and inference of each variant per seed, with the shares that the paper gives. */
function* renderTimes({ runs }: Study, look: Look): Generator<string> {
  const percent = (share: number | undefined) => (share === undefined ? '-' : (100 * share).toFixed(1));
  const rows = Object.entries(timesOf(runs)).map(([name, { train, inference, shares }]) => [
    name,
    train === null ? '-' : train.toFixed(1),
    inference.toFixed(2),
    percent(shares?.knn),
    percent(shares?.calibrationAndFusion),
  ]);
  if (rows.length === 0) return;
  const headings = ['variant', 'training s', 'inference s', 'kNN %', 'calibration and fusion %'];
  yield* renderTable(headings, rows, look);
  yield 'inference: without preprocessing, loading, graph building and calibration; its kNN includes the index';
  yield '';
}

/** Our figures beside the published ones, in per cent. */
function* renderBeside(study: Study, look: Look): Generator<string> {
  const number = (value: number | null | undefined, digits: number) =>
    value === null || value === undefined ? '-' : value.toFixed(digits);
  const spread = (value: number | null | undefined, deviation: number | null | undefined, digits: number) => {
    const text = number(value, digits);
    return deviation === null || deviation === undefined ? text : `${text} ± ${deviation.toFixed(digits)}`;
  };
  const rows = compareWithPublished(study).filter(({ ours }) => ours !== null);
  yield* renderTable(
    ['variant', 'protocol', 'steps', 'F1 %', 'published', 'FPR %', 'published'],
    rows.map(({ name, variant, run, steps, ours, published, deviation }) => [
      variant === null || variant === name ? name : `${variant} (${name})`,
      run,
      steps ?? '-',
      spread(ours?.f1, deviation?.f1, 2),
      number(published?.f1, 2),
      spread(ours?.fpr, deviation?.fpr, 4),
      number(published?.fpr, 4),
    ]),
    look,
  );
  yield '';
  yield* renderTimes(study, look);
  for (const caveat of caveatsOf(study)) yield `note: ${printable(caveat, 1000)}`;
}
