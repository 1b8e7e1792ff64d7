import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../../base/errors.js';
import { ownVersion } from '../../../base/own-version.js';
import { printable } from '../../../base/printable.js';
import { safeJson } from '../../../base/safe-json.js';
import { defineSettings } from '../../../base/settings/settings.js';
import { parseThreshold } from '../../../detect/threshold/threshold.js';
import { readLabels } from '../../../evaluate/labels/read-labels.js';
import { PROTOCOL_THRESHOLDS } from '../../../evaluate/protocol/protocol.js';
import { parseSeeds, variantOf } from '../../../evaluate/protocol/variants.js';
import { stepsOf } from '../../../evaluate/report/cell-text.js';
import { runSweep, type SweepOutcome, trialName } from '../../../evaluate/sweep/sweep.js';
import { assignmentText, combinations, parseAxes } from '../../../evaluate/sweep/sweep-axes.js';
import { trialFile } from '../../../evaluate/sweep/sweep-trial.js';
import { withSplits } from '../../../evaluate/with-splits.js';
import { checkOutFolder } from '../../../pipeline/out-folder.js';
import { threadCount } from '../../../pipeline/threads.js';
import { defineCommand } from '../../command.js';
import {
  comparedValues,
  evaluationSettings,
  parseNames,
  variantsSetting,
} from '../../settings/evaluation-settings.js';
import { EvaluationProgress } from '../../terminal/evaluation-progress.js';
import { formatDuration } from '../../terminal/quantities.js';
import { type Look, renderTable } from '../../terminal/tables.js';

export const command = defineCommand({
  details:
    'Takes the options of recal evaluate, and settings with several values. Each combination of values is a trial: a ' +
    'separate evaluation. Finished trials stay in --out and are not run again. Join the items of a list with +. ' +
    'calibrationShare is the share of entities to calibrate on.',
  examples: [
    'recal sweep gamma=0,0.25,0.5,0.75,1 --train e3 --calibrate e3 --test e3 --labels labels.csv --out gamma',
    'recal sweep evidence=reconstruction,reconstruction+name fusion=fisher,brown --train e3 --calibrate e3 --test e3 --labels labels.csv --seeds 0 --out fusion',
  ],
  arguments: { values: { description: 'KEY=V1,V2,…', many: true } },
  settings: defineSettings({ ...evaluationSettings, variants: variantsSetting(['recal']) }),
  async run({ values }, settings, context) {
    await checkOutFolder(settings.out);
    const { out, signal } = context;
    const started = performance.now();
    const axes = parseAxes(values);
    const trials = combinations(axes);
    const rule = settings.threshold ?? PROTOCOL_THRESHOLDS[settings.protocol];
    const seeds = parseSeeds(settings.seeds);
    const variants = parseNames(settings.variants);
    for (const name of variants) variantOf(name);
    const threshold = parseThreshold(rule, { oracle: true });
    const labels = await readLabels(settings.labels, settings.tier);
    const ignore = settings.ignore === undefined ? undefined : await readLabels(settings.ignore);

    const folder = join(settings.out, 'trials');
    const progress = new EvaluationProgress(context, seeds.length);
    const warned = new Set<string>();
    const reading = { out: settings.out, threads: settings.threads, signal, watch: progress };
    try {
      const outcome = await withSplits(settings, reading, (splits) =>
        runSweep({
          splits,
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
          ...comparedValues(settings),
          allowPast: settings.allowPast,
          versions: { recal: ownVersion() },
          threads: threadCount(settings.threads),
          watch: {
            trial: (assignment, number, known) => {
              progress.trial();
              const done = known ? ' (finished earlier)' : '';
              out.info(`trial ${number + 1} of ${trials.length}: ${trialName(assignment)}${done}`);
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
        }),
      );
      progress.finish();
      const summary = summarise(outcome);
      if (outcome.trials.length > 0) {
        await writeSummary(settings.out, summary);
        // The plotting libraries take a second to load, and are needed only now.
        const { writeSweepReport } = await import('../../../evaluate/sweep/sweep-report.js');
        await writeSweepReport(axes, outcome, settings.out);
      }
      out.result(summary, function* () {
        yield* renderTrials(outcome, out);
        const left = trials.length - outcome.trials.length;
        const time = formatDuration(performance.now() - started);
        yield `${outcome.trials.length} trials, ${outcome.known} of them finished earlier${left > 0 ? `, ${left} left` : ''}, in ${printable(settings.out)} (${time})`;
      });
      return EXIT.done;
    } finally {
      progress.finish();
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
        Object.entries(result.variants).map(([name, { mean, std, seeds }]) => [
          name,
          { steps: stepsOf({ seeds }), mean, std },
        ]),
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
    ['configuration', 'variant', 'seeds', 'steps', 'F1', 'FPR %', 'AP', 'oracle F1', 'AUROC'],
    trials.flatMap(({ assignment, result }) =>
      Object.entries(result.variants).map(([name, { mean, seeds }]) => [
        assignmentText(assignment) || 'defaults',
        name,
        seeds.length,
        stepsOf({ seeds }) ?? '-',
        figure(mean.f1),
        mean.fpr === null ? '-' : (100 * mean.fpr).toFixed(4),
        figure(mean.ap),
        figure(mean.oracleF1),
        figure(mean.auroc),
      ]),
    ),
    look,
  );
  yield '';
}
