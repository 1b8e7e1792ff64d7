import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings.js';
import { DETECTION_PRESETS, DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { parseThreshold } from '../../detect/threshold/threshold.js';
import { evaluate } from '../../evaluate/evaluate.js';
import { TIER_CHOICES } from '../../evaluate/labels/labels.js';
import { readLabels } from '../../evaluate/labels/read-labels.js';
import { MATCHING_PROTOCOLS } from '../../evaluate/metrics/matching.js';
import { PROTOCOL_THRESHOLDS, PROTOCOLS } from '../../evaluate/protocol/protocol.js';
import { ingestSplits, openSplits } from '../../evaluate/protocol/splits.js';
import { parseSeeds, resolveVariant, VARIANT_NAMES, variantOf } from '../../evaluate/protocol/variants.js';
import { writeEvaluation } from '../../evaluate/report/result-files.js';
import { extrasOf } from '../../evaluate/report/study.js';
import { WorkFolder } from '../../evaluate/work-folder.js';
import { PRESETS, TRAINING_SETTINGS } from '../../model/training/training-config.js';
import { defineCommand } from '../command.js';
import { ownVersion } from '../own-version.js';
import { choiceSettings, chosen } from '../settings/choice-settings.js';
import { checkOutFolder } from '../settings/out-place.js';
import { warnOfProblems } from '../settings/reading.js';
import { threadsOf, threadsSetting } from '../settings/threads.js';
import { EvaluationProgress } from '../terminal/evaluation-progress.js';
import { renderEvaluation } from '../terminal/evaluation-table.js';
import { formatDuration } from '../terminal/quantities.js';

// What a variant or --seeds says is no setting of its own.
const { profile: _profile, seed: _seed, ...trainingChoices } = TRAINING_SETTINGS;

const files = (part: string) => ({
  type: z.array(z.string().min(1)).min(1),
  description: `log files of the part to ${part}, a quoted glob, or a store: its split of that name, or DIR#SPLIT`,
  value: 'FILE',
});

export const command = defineCommand({
  name: 'evaluate',
  summary: 'measure variants of the detector against labels',
  details:
    'Trains, calibrates and scores every variant with every seed on the same parts, and writes result.json, ' +
    'scores.csv and report.html. Ctrl-C leaves what is finished. docs/concepts/evaluation.md explains the protocols, docs/reference/metrics.md the figures.',
  examples: [
    'recal evaluate --train cadets --calibrate cadets --test cadets --labels labels.csv --out figures',
    'recal evaluate --train train.json.gz --calibrate calibrate.json.gz --test test.json.gz --labels labels.csv --variants recal,rarity --seeds 0 --out figures',
    'recal evaluate --train e3#train --calibrate e3#late --test e3#test --labels threatrace.txt --protocol paper --out paper',
  ],
  arguments: {},
  settings: defineSettings({
    train: files('train on'),
    calibrate: files('calibrate on'),
    test: files('judge'),
    labels: {
      type: z.string().min(1),
      description: 'ids of attack nodes: a list, or a CSV with uuid, attack, tier',
      value: 'FILE',
    },
    ignore: {
      type: z.string().min(1).optional(),
      description: 'ids of nodes that are in no figure, in the same form',
      value: 'FILE',
    },
    out: { type: z.string().min(1), description: 'folder to write to', value: 'DIR' },
    protocol: {
      type: z.enum(PROTOCOLS).default('honest'),
      description: 'honest: parts in order of time, threshold from calibration; paper: threshold by the test',
    },
    match: {
      type: z.enum(MATCHING_PROTOCOLS).default('node'),
      description: 'how alarms are held against labels',
    },
    threshold: {
      type: z.string().optional(),
      description: `budget:5/day, fpr:0.001, fdr:0.1 or oracle (default: ${PROTOCOL_THRESHOLDS.honest}, paper: ${PROTOCOL_THRESHOLDS.paper})`,
      value: 'RULE',
    },
    seeds: { type: z.string().default('0-4'), description: 'such as 0-4, or 7', value: 'SEEDS' },
    variants: {
      type: z.string().default(VARIANT_NAMES.join(',')),
      description: 'which contestants, with commas',
      value: 'NAMES',
    },
    tier: {
      type: z.enum(TIER_CHOICES).default('all'),
      description: 'core: only what the attacker made or controlled',
    },
    allowPast: {
      type: z.boolean().default(false),
      description: 'let calibration or test begin before training ends',
    },
    threads: threadsSetting('figures are'),
    ...choiceSettings<keyof typeof trainingChoices>(trainingChoices, PRESETS),
    ...choiceSettings(DETECTION_SETTINGS, DETECTION_PRESETS),
  }),
  async run(_args, settings, context) {
    await checkOutFolder(settings.out);
    const { out, signal } = context;
    const started = performance.now();
    const threshold = parseThreshold(settings.threshold ?? PROTOCOL_THRESHOLDS[settings.protocol], {
      oracle: true,
    });
    const seeds = parseSeeds(settings.seeds);
    const training = chosen(trainingChoices, settings);
    const detection = chosen(DETECTION_SETTINGS, settings);
    const names = [...new Set(settings.variants.split(',').map((name) => name.trim()))];
    const variants = names.map((name) => resolveVariant(variantOf(name), training, detection));
    const labels = await readLabels(settings.labels, settings.tier);
    const ignore = settings.ignore === undefined ? undefined : await readLabels(settings.ignore);
    const threads = threadsOf(settings);

    const work = new WorkFolder(settings.out);
    const progress = new EvaluationProgress(context, seeds.length);
    try {
      for (const note of await work.clearLeftovers()) out.warn(note);
      const sources = await ingestSplits(settings, {
        folder: () => work.path(),
        // One thread in all is the main one.
        threads: settings.threads === 1 ? 0 : settings.threads,
        signal,
        noticed: (read) => warnOfProblems(context, read),
        onProgress: ({ bytes, events }) => progress.reading(bytes, events),
      });
      const splits = await openSplits(sources);
      progress.finish();
      const read = (performance.now() - started) / 1000;
      const evaluation = await evaluate({
        splits,
        labels,
        ignore,
        threshold,
        seeds,
        variants,
        threads,
        signal,
        tier: settings.tier,
        protocol: settings.protocol,
        matching: settings.match,
        allowPast: settings.allowPast,
        timings: { read },
        versions: { recal: ownVersion() },
        watch: {
          started: (_, notes) => {
            for (const note of notes) out.warn(printable(note, 400));
          },
          stage: (run, stage, done) => progress.stage(run, stage, done),
          finished: (run, done) => progress.finished(run, done),
        },
      });
      progress.finish();
      // Plots are slow to load, and only needed at the end.
      const { reportWriter } = await import('../../evaluate/report/study-report.js');
      await writeEvaluation(
        settings.out,
        evaluation,
        splits.test,
        reportWriter(extrasOf(evaluation, splits)),
      );
      out.result(evaluation.result, function* () {
        yield* renderEvaluation(evaluation.result, out);
        const seconds = (performance.now() - started) / 1000;
        yield `written to ${printable(settings.out)} in ${formatDuration(seconds * 1000)}`;
      });
      return EXIT.done;
    } finally {
      progress.finish();
      await work.remove();
    }
  },
});
