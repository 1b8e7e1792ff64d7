import { z } from 'zod';
import { EXIT } from '../../base/errors.js';
import { defineSettings } from '../../base/settings/settings.js';
import { DETECTION_PRESETS, DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { PRESETS, TRAINING_SETTINGS } from '../../model/training/training-config.js';
import { train } from '../../pipeline/train.js';
import { defineCommand } from '../command.js';
import { configSettings, givenValues } from '../settings/config-settings.js';
import { selectionOf, selectionSettings } from '../settings/selection.js';
import { modelSetting, storeSetting } from '../settings/store-and-model.js';
import { threadsSetting } from '../settings/threads.js';
import { warnOfStore } from '../terminal/store-notes.js';
import { TrainingProgress } from '../terminal/training-progress.js';
import { renderTraining } from '../terminal/training-summary.js';

export const command = defineCommand({
  details:
    'Trains on the first four fifths of the selected period, calibrates on the last fifth and writes the model to a file. ' +
    'Ctrl-C stops after the current step and writes a checkpoint; --resume continues from it.',
  examples: [
    'recal train --store cadets --split train --model cadets.recal',
    'recal train --store cadets --split train --model cadets.recal --resume',
    'recal train --store own --host "web-*" --from 2018-04-02 --to 2018-04-06 --model web.recal --set gamma=0.7',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    model: modelSetting('model file to write'),
    ...selectionSettings,
    resume: {
      type: z.boolean().default(false),
      description: 'continue from the checkpoint beside the model file',
    },
    checkpointEvery: {
      type: z.number().min(0).default(5),
      description: 'minutes between checkpoints; 0 writes one after every step',
      value: 'MINUTES',
      advanced: true,
    },
    threads: threadsSetting('the model'),
    portable: {
      type: z.boolean().default(false),
      description: 'avoid instructions whose rounding depends on the processor',
      advanced: true,
    },
    memory: {
      type: z.coerce.number().int().min(64).optional(),
      description: "memory limit for graphs and training in MiB (default: 60 % of the machine's memory)",
      value: 'MIB',
    },
    calibrate: {
      type: z.boolean().default(true),
      description: 'train on the whole selection and calibrate later',
    },
    calibrateSplit: {
      type: z.string().min(1).optional(),
      description: 'calibrate on this split instead of the last fifth',
      value: 'NAME',
    },
    ...configSettings(TRAINING_SETTINGS, PRESETS, { options: ['profile', 'epochs', 'seed'] }),
    ...configSettings(DETECTION_SETTINGS, DETECTION_PRESETS),
  }),
  async run(_args, settings, context) {
    const progress = new TrainingProgress(context);
    const { store, model, resume, checkpointEvery, threads, portable, memory, calibrate, calibrateSplit } =
      settings;
    await warnOfStore(store, context.out);
    const summary = await train({
      store,
      model,
      resume,
      checkpointEvery,
      threads,
      portable,
      memory,
      calibrate,
      calibrateSplit,
      selection: selectionOf(settings),
      training: givenValues(TRAINING_SETTINGS, settings),
      detection: givenValues(DETECTION_SETTINGS, settings),
      signal: context.signal,
      watch: progress,
    }).finally(() => progress.finish());
    context.out.result(summary, () => renderTraining(summary, context.out));
    return EXIT.done;
  },
});
