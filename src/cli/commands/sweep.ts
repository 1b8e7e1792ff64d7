import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { safeJson } from '../../base/safe-json.js';
import { defineSettings } from '../../base/settings.js';
import { DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { parseThreshold } from '../../detect/threshold/threshold.js';
import { readLabels } from '../../evaluate/labels/read-labels.js';
import { PROTOCOL_THRESHOLDS } from '../../evaluate/protocol/protocol.js';
import { ingestSplits, openSplits } from '../../evaluate/protocol/splits.js';
import { parseSeeds, variantOf } from '../../evaluate/protocol/variants.js';
import { runSweep, type SweepOutcome, trialName } from '../../evaluate/sweep/sweep.js';
import { assignmentText, combinations, parseAxes } from '../../evaluate/sweep/sweep-axes.js';
import { trialFile } from '../../evaluate/sweep/sweep-trial.js';
import { WorkFolder } from '../../evaluate/work-folder.js';
import { TRAINING_SETTINGS } from '../../model/training/training-config.js';
import { defineCommand } from '../command.js';
import { ownVersion } from '../own-version.js';
import { chosen } from '../settings/choice-settings.js';
import { checkOutFolder } from '../settings/out-place.js';
import { warnOfProblems } from '../settings/reading.js';
import { threadsOf } from '../settings/threads.js';
import { EvaluationProgress } from '../terminal/evaluation-progress.js';
import { formatDuration } from '../terminal/quantities.js';
import { type Look, renderTable } from '../terminal/tables.js';
import { command as evaluateCommand } from './evaluate.js';

const { profile: _profile, seed: _seed, ...trainingChoices } = TRAINING_SETTINGS;

export const command = defineCommand({
  name: 'sweep',
  summary: 'evaluate with every value of some choices',
  details:
    'Takes what `recal evaluate` takes, and choices of training or detection with several values: every combination is ' +
    'a trial, an evaluation of its own. A finished trial is a file beneath --out, and is not run again. A value that is ' +
    'a list is written with +; calibrationShare is the latest share of the calibration part.',
  examples: [
    'recal sweep gamma=0,0.25,0.5,0.75,1 --train e3 --calibrate e3 --test e3 --labels labels.csv --out gamma',
    'recal sweep evidence=reconstruction,reconstruction+name fusion=fisher,brown --train e3 --calibrate e3 --test e3 --labels labels.csv --seeds 0 --out fusion',
  ],
  arguments: { choices: { description: 'KEY=V1,V2,…', many: true } },
  settings: defineSettings({
    ...evaluateCommand.settings.shape,
    variants: {
      type: z.string().default('recal'),
      description: 'which contestants, with commas',
      value: 'NAMES',
    },
  }),
  async run({ choices }, settings, context) {
    await checkOutFolder(settings.out);
    const { out, signal } = context;
    const started = performance.now();
    const axes = parseAxes(choices);
    const trials = combinations(axes);
    const rule = settings.threshold ?? PROTOCOL_THRESHOLDS[settings.protocol];
    const seeds = parseSeeds(settings.seeds);
    const variants = [...new Set(settings.variants.split(',').map((name) => name.trim()))];
    for (const name of variants) variantOf(name);
    const threshold = parseThreshold(rule, { oracle: true });
    const labels = await readLabels(settings.labels, settings.tier);
    const ignore = settings.ignore === undefined ? undefined : await readLabels(settings.ignore);

    const work = new WorkFolder(settings.out);
    const folder = join(settings.out, 'trials');
    const progress = new EvaluationProgress(context, seeds.length);
    const warned = new Set<string>();
    try {
      for (const note of await work.clearLeftovers()) out.warn(note);
      const sources = await ingestSplits(settings, {
        folder: () => work.path(),
        threads: settings.threads === 1 ? 0 : settings.threads,
        signal,
        noticed: (read) => warnOfProblems(context, read),
        onProgress: ({ bytes, events }) => progress.reading(bytes, events),
      });
      const outcome = await runSweep({
        splits: await openSplits(sources),
        labels,
        ignore,
        threshold,
        seeds,
        variants,
        trials,
        folder,
        signal,
        tier: settings.tier,
        protocol: settings.protocol,
        matching: settings.match,
        training: chosen(trainingChoices, settings),
        detection: chosen(DETECTION_SETTINGS, settings),
        allowPast: settings.allowPast,
        versions: { recal: ownVersion() },
        threads: threadsOf(settings),
        watch: {
          trial: (assignment, number, known) => {
            progress.trial();
            const done = known ? ': finished before' : '';
            out.info(`trial ${number + 1} of ${trials.length}, ${trialName(assignment)}${done}`);
          },
          evaluation: {
            started: (_, notes) => {
              for (const note of notes) if (!warned.has(note)) out.warn(printable(note, 400));
              for (const note of notes) warned.add(note);
            },
            stage: (run, stage, done) => progress.stage(run, stage, done),
            finished: (run, done) => progress.finished(run, done),
          },
        },
      });
      progress.finish();
      const summary = summarise(outcome);
      if (outcome.trials.length > 0) {
        await writeSummary(settings.out, summary);
        const { writeSweepReport } = await import('../../evaluate/sweep/sweep-report.js'); // plots take a second to load
        await writeSweepReport(axes, outcome, settings.out);
      }
      out.result(summary, function* () {
        yield* renderTrials(outcome, out);
        const left = trials.length - outcome.trials.length;
        const time = formatDuration(performance.now() - started);
        yield `${outcome.trials.length} trials, ${outcome.known} of them finished before${left > 0 ? `, ${left} left` : ''}: ${printable(settings.out)} (${time})`;
      });
      return EXIT.done;
    } finally {
      progress.finish();
      await work.remove();
    }
  },
});

function summarise({ trials, known, complete }: SweepOutcome) {
  return {
    complete,
    known,
    trials: trials.map(({ assignment, id, result }) => ({
      assignment,
      file: `trials/${trialFile(assignment, id)}`,
      variants: Object.fromEntries(
        Object.entries(result.variants).map(([name, { mean, std }]) => [name, { mean, std }]),
      ),
    })),
  };
}

async function writeSummary(folder: string, summary: ReturnType<typeof summarise>): Promise<void> {
  const path = join(folder, 'sweep.json');
  await writeFile(`${path}.new`, `${safeJson(summary)}\n`);
  await rename(`${path}.new`, path);
}

function* renderTrials({ trials }: SweepOutcome, look: Look): Generator<string> {
  const figure = (value: number | null) => (value === null ? '-' : value.toFixed(3));
  yield* renderTable(
    ['configuration', 'variant', 'seeds', 'AP', 'F1', 'oracle F1', 'AUROC'],
    trials.flatMap(({ assignment, result }) =>
      Object.entries(result.variants).map(([name, { mean, seeds }]) => [
        assignmentText(assignment) || 'as it is',
        name,
        seeds.length,
        figure(mean.ap),
        figure(mean.f1),
        figure(mean.oracleF1),
        figure(mean.auroc),
      ]),
    ),
    look,
  );
  yield '';
}
