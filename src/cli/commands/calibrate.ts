import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { countOf } from '../../base/number-text.js';
import { defineSettings } from '../../base/settings/settings.js';
import { DETECTION_PRESETS, DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { calibrate } from '../../pipeline/calibrate.js';
import { DEFAULT_THRESHOLD } from '../../pipeline/calibration-summary.js';
import { defineCommand } from '../command.js';
import { configSettings, givenValues } from '../settings/config-settings.js';
import { selectionOf, selectionSettings } from '../settings/selection.js';
import { modelSetting, storeSetting, trustSetting } from '../settings/store-and-model.js';
import { threadsSetting } from '../settings/threads.js';
import { renderCalibration } from '../terminal/calibration-summary.js';
import { reportNotice } from '../terminal/notices.js';
import { formatCount } from '../terminal/quantities.js';
import { StageProgress } from '../terminal/stage-progress.js';
import { warnOfStore } from '../terminal/store-notes.js';

export const command = defineCommand({
  details:
    'Scores benign events that the model was not trained on, and replaces the calibration tables. The weights and the id ' +
    'of the model do not change. Settings that you do not set keep their values. For a model trained with ' +
    '--no-calibrate, the store must also contain the training events.',
  examples: [
    'recal calibrate --store cadets --split calibrate --model cadets.recal',
    'recal calibrate --store own --host web-7 --from 2018-04-09 --model web.recal --set fusion=cauchy',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    model: modelSetting('model file to calibrate; it is replaced'),
    trust: trustSetting,
    ...selectionSettings,
    threads: threadsSetting('the result'),
    keepOut: {
      type: z.string().default(DEFAULT_THRESHOLD),
      description: 'leave out what would raise an alert at this threshold with the current calibration',
      value: 'RULE|none',
    },
    ...configSettings(DETECTION_SETTINGS, DETECTION_PRESETS),
  }),
  async run(_args, settings, context) {
    const progress = new StageProgress(context);
    const { store, model, threads, keepOut } = settings;
    await warnOfStore(store, context.out);
    const summary = await calibrate({
      store,
      model,
      trust: settings.trust,
      threads,
      keepOut,
      selection: selectionOf(settings),
      detection: givenValues(DETECTION_SETTINGS, settings),
      signal: context.signal,
      watch: {
        stage: (stage, done) => progress.update(stage, done),
        notice: (notice) => reportNotice(notice, context.out),
      },
    }).finally(() => progress.finish());
    context.out.result(summary, function* () {
      yield* renderCalibration(summary);
      if (summary.keptOut === null) return;
      const { high, inherited, instances } = summary.keptOut;
      yield `left out ${countOf(high, 'instance')} above ${keepOut} and ${formatCount(inherited)} linked to them, of ${formatCount(instances)}`;
    });
    return EXIT.done;
  },
});
