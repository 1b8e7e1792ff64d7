import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings.js';
import { type Quarantine, quarantine } from '../../detect/calibration/quarantine.js';
import {
  DETECTION_PRESETS,
  DETECTION_SETTINGS,
  resolveDetectionConfig,
} from '../../detect/detection-config.js';
import { Detector } from '../../detect/detector.js';
import { encodeDetector } from '../../detect/detector-part.js';
import type { SplitGraphs } from '../../detect/split-graphs.js';
import { chooseThreshold, parseThreshold } from '../../detect/threshold/threshold.js';
import { readModelFile, writeModelFile } from '../../model/file/model-file.js';
import { Store } from '../../store/store.js';
import {
  DEFAULT_THRESHOLD,
  describeCalibration,
  fitModel,
  percentage,
  renderCalibration,
} from '../calibrating.js';
import { type CommandContext, defineCommand } from '../command.js';
import { choiceSettings, chosen } from '../settings/choice-settings.js';
import { selectingSettings, selectionOf } from '../settings/selecting.js';
import { modelSetting, storeSetting } from '../settings/store-and-model.js';
import { threadsOf, threadsSetting } from '../settings/threads.js';
import { formatCount } from '../terminal/quantities.js';

export const command = defineCommand({
  name: 'calibrate',
  summary: 'fit the tables of a model to a new host or to change, without training again',
  details:
    'Measures benign events that the model was not trained on and replaces its tables of benign errors. Weights stay, ' +
    'and so does the model’s identifier. Choices that are not given stay as they were. A model that was stopped or trained ' +
    'with --no-calibrate looks at what it was trained on once more, for which the store must still hold it.',
  examples: [
    'recal calibrate --store cadets --split calibrate --model cadets.recal',
    'recal calibrate --store own --host web-7 --from 2018-04-09 --model web.recal --fusion cauchy',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    model: modelSetting('model file, which is replaced'),
    ...selectingSettings,
    threads: threadsSetting('results are'),
    keepOut: {
      type: z.string().default(DEFAULT_THRESHOLD),
      description: 'leave out what the calibration so far would alarm on at this threshold, or none',
      value: 'RULE|none',
    },
    ...choiceSettings(DETECTION_SETTINGS, DETECTION_PRESETS),
  }),
  async run(_args, settings, context) {
    const started = performance.now();
    const model = await readModelFile(settings.model);
    const store = await Store.open(settings.store);
    const said = Object.fromEntries(
      Object.entries(chosen(DETECTION_SETTINGS, settings)).filter(([, value]) => value !== undefined),
    );
    const threads = threadsOf(settings);
    const detector =
      model.detector === undefined
        ? await fitModel(
            model,
            { store, config: resolveDetectionConfig(model.config.profile, said), threads },
            context,
          )
        : await Detector.open(model, { threads });
    try {
      const before = detector.state.calibration;
      const config = resolveDetectionConfig(model.config.profile, { ...before?.config, ...said });
      const selection = selectionOf(settings);
      warnOfTraining(model.training, selection, context);
      const benign = await detector.graphsOf(store, selection);
      const bar = percentage('calibrating', context);
      const { signal } = context;
      const keepOut = before === undefined ? undefined : findKeptOut(detector, benign, settings.keepOut);
      const calibration = await detector
        .calibrate(benign, config, { signal, keepOut, progress: bar.update })
        .finally(bar.finish);
      const sha256 = await writeModelFile(settings.model, model, encodeDetector(detector.state));
      const seconds = (performance.now() - started) / 1000;
      const value = {
        model: settings.model,
        id: model.id,
        sha256,
        ...describeCalibration(calibration),
        seconds,
      };
      context.out.result({ ...value, keptOut: keepOut?.counts ?? null }, function* () {
        yield* renderCalibration(calibration);
        if (keepOut === undefined) return;
        const { high, inherited, instances } = keepOut.counts;
        yield `kept out ${formatCount(high)} instances above ${settings.keepOut} and ${formatCount(inherited)} that inherited from them, of ${formatCount(instances)}`;
      });
    } finally {
      await detector.close();
    }
    return EXIT.done;
  },
});

/** What looks like an intruder must not become normal by being calibrated on. */
function findKeptOut(detector: Detector, benign: SplitGraphs, rule: string): Quarantine | undefined {
  if (rule === 'none') return undefined;
  const spec = parseThreshold(rule);
  if (spec.kind !== 'budget' && spec.kind !== 'fpr') {
    throw new RecalError('threshold-invalid', `--keep-out ${printable(rule, 40)} has no score of its own`, {
      hint: 'give a budget such as budget:5/day, an fpr, or none',
      exit: EXIT.usage,
    });
  }
  return quarantine(detector.score(benign), chooseThreshold(spec, detector.calibration.benign).tau);
}

/** Errors on what was learned by heart are too small to compare others with. */
function warnOfTraining(
  training: { firstTs: string; lastTs: string },
  selection: { split?: string | undefined; from?: bigint | undefined; to?: bigint | undefined },
  { out }: CommandContext,
): void {
  const { split, from, to } = selection;
  if (split !== undefined || (from !== undefined && from > BigInt(training.lastTs))) return;
  if (to !== undefined && to <= BigInt(training.firstTs)) return;
  out.warn('this may be the time that the model was trained on: its errors there are smaller than elsewhere');
  out.warn('  hint: give a benign time after training with --from, or a split with --split');
}
