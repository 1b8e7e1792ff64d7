import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { isFolder } from '../../base/make-folder.js';
import { printable } from '../../base/printable.js';
import { defineSettings } from '../../base/settings.js';
import type { Calibration } from '../../detect/calibration/calibrate.js';
import { type HoldOut, holdOut } from '../../detect/calibration/hold-out.js';
import {
  DETECTION_PRESETS,
  DETECTION_SETTINGS,
  resolveDetectionConfig,
} from '../../detect/detection-config.js';
import { encodeDetector } from '../../detect/detector-part.js';
import { isForeignFile, writeModelFile } from '../../model/file/model-file.js';
import {
  checkpointPath,
  hasCheckpoint,
  removeCheckpoint,
  writeCheckpoint,
} from '../../model/training/checkpoint.js';
import { type TrainResult, trainModel } from '../../model/training/train.js';
import {
  PRESETS,
  resolveTrainingConfig,
  TRAINING_SETTINGS,
  type TrainingConfig,
} from '../../model/training/training-config.js';
import { nothingSelected } from '../../store/nothing-selected.js';
import { type Selection, Store } from '../../store/store.js';
import { finishModel } from '../calibrating.js';
import { type CommandContext, defineCommand } from '../command.js';
import { choiceSettings, chosen } from '../settings/choice-settings.js';
import { selectingSettings, selectionOf } from '../settings/selecting.js';
import { modelSetting, storeSetting } from '../settings/store-and-model.js';
import { threadsOf, threadsSetting } from '../settings/threads.js';
import { isAbort } from '../terminal/interrupt.js';
import { formatCount } from '../terminal/quantities.js';
import { TrainingProgress } from '../terminal/training-progress.js';
import { reportTraining } from '../terminal/training-report.js';

/** Training may take this share of the machine's memory unless told otherwise: the rest is for reading the store. */
const MEMORY_SHARE = 0.6;
const MEBIBYTE = 2 ** 20;

export const command = defineCommand({
  name: 'train',
  summary: 'learn what is normal from the events of a store',
  details:
    'Trains a model on benign events, calibrates it on the last fifth of them and writes it to a file. Ctrl-C stops after ' +
    'the step at hand and leaves a checkpoint to go on from with --resume, and a model as far as it got, which recal ' +
    'calibrate makes usable. docs/reference/settings.md has the reason of every default.',
  examples: [
    'recal train --store cadets --split train --model cadets.recal',
    'recal train --store cadets --split train --model cadets.recal --resume',
    'recal train --store own --host "web-*" --from 2018-04-02 --to 2018-04-06 --model web.recal --epochs 50',
  ],
  arguments: {},
  settings: defineSettings({
    store: storeSetting,
    model: modelSetting('file to write the model to'),
    ...selectingSettings,
    resume: {
      type: z.boolean().default(false),
      description: 'go on from the checkpoint beside the model file',
    },
    checkpointEvery: {
      type: z.number().min(0).default(5),
      description: 'minutes between checkpoints; 0 for one after every step',
      value: 'MINUTES',
    },
    threads: threadsSetting('the model is'),
    portable: {
      type: z.boolean().default(false),
      description: 'leave out instructions whose last bit depends on the processor',
    },
    memory: {
      type: z.coerce.number().int().min(64).optional(),
      description: 'MiB that graphs and their working set may take (default: 60 % of the memory)',
      value: 'MIB',
    },
    calibrate: {
      type: z.boolean().default(true),
      description:
        'hold out the last fifth of the time and calibrate on it; with --no-calibrate train on everything',
    },
    calibrateSplit: {
      type: z.string().min(1).optional(),
      description: 'calibrate on this split instead, and train on all that is selected',
      value: 'NAME',
    },
    ...choiceSettings(TRAINING_SETTINGS, PRESETS),
    ...choiceSettings(DETECTION_SETTINGS, DETECTION_PRESETS),
  }),
  async run(_args, settings, context) {
    const { signal } = context;
    const started = performance.now();
    const config = resolveTrainingConfig(chosen(TRAINING_SETTINGS, settings));
    const detection = resolveDetectionConfig(config.profile, chosen(DETECTION_SETTINGS, settings));
    const store = await Store.open(settings.store);
    warnOfSplits(store, settings.split, context);
    await checkPlace(settings.model);
    await checkCheckpoint(settings.model, settings.resume, context);

    const { train, calibrate } = await divide(store, settings, config, context);
    const progress = new TrainingProgress(context, config.epochs);
    const threads = threadsOf(settings);
    let kept = performance.now();
    const result = await trainModel({
      store,
      config,
      signal,
      selection: train,
      portable: settings.portable,
      threads,
      memory: settings.memory === undefined ? totalmem() * MEMORY_SHARE : settings.memory * MEBIBYTE,
      resume: settings.resume ? settings.model : undefined,
      watch: {
        prepared: (stage, done) => progress.prepared(stage, done),
        started: (plan) => progress.started(plan),
        async stepped(steps, report, snapshot) {
          progress.stepped(steps, report);
          if (performance.now() - kept < settings.checkpointEvery * 60_000) return;
          await writeCheckpoint(settings.model, snapshot());
          kept = performance.now();
        },
      },
    }).finally(() => progress.finish());

    // Weights first, and a checkpoint until all is done: whatever happens to calibration, training is not lost.
    let sha256 = await writeModelFile(settings.model, result.model);
    if (!result.complete || calibrate !== undefined) await writeCheckpoint(settings.model, result.checkpoint);
    let calibration: Calibration | undefined;
    if (calibrate !== undefined && result.complete) {
      const parts = await finishModel(
        result.model,
        { store, train, calibrate, config: detection, threads },
        context,
      ).catch((error: unknown) => {
        context.out.warn('the model is trained but not calibrated');
        const next = isAbort(error) ? 'the same command and --resume' : 'recal calibrate, on other events';
        context.out.warn(`  hint: go on from there with ${next}`);
        throw error;
      });
      calibration = parts.calibration;
      sha256 = await writeModelFile(settings.model, result.model, encodeDetector(parts));
    }
    if (result.complete) await removeCheckpoint(settings.model);
    warnOfNothing(result, context);
    const seconds = (performance.now() - started) / 1000;
    reportTraining(result, { path: settings.model, sha256, seconds, calibration }, context.out);
    return EXIT.done;
  },
});

/** Random weights look like any others. */
function warnOfNothing({ reports }: TrainResult, { out }: CommandContext): void {
  // A run that went on from a checkpoint cannot tell of the epochs before.
  if (reports.at(0)?.epoch !== 1 || reports.some(({ loss }) => !Number.isNaN(loss))) return;
  out.warn('no node with a neighbour was ever masked: nothing was learned');
  out.warn('  hint: train on more events, for more --epochs, or mask more with --mask-base');
}

/** What is trained on, and what is kept for calibration. */
async function divide(
  store: Store,
  settings: { calibrate: boolean; calibrateSplit?: string | undefined } & Parameters<typeof selectionOf>[0],
  config: TrainingConfig,
  { out }: CommandContext,
): Promise<{ train: Selection; calibrate: Selection | undefined }> {
  const train = selectionOf(settings);
  if (!settings.calibrate && settings.calibrateSplit !== undefined) {
    throw new RecalError('usage-calibrate', '--no-calibrate and --calibrate-split contradict each other', {
      hint: 'leave one of them out',
      exit: EXIT.usage,
    });
  }
  if (!settings.calibrate) return { train, calibrate: undefined };
  if (settings.calibrateSplit !== undefined) {
    checkApart(train, settings.calibrateSplit, out);
    const calibrate = { split: settings.calibrateSplit, host: settings.host };
    if (store.segments('events', calibrate).length === 0) throw nothingSelected(store, calibrate); // before training
    return { train, calibrate };
  }
  const held = await holdOut(store, train, config);
  if (held !== undefined) {
    warnOfStrays(held, out);
    return held;
  }
  out.warn('the selected time is too short to hold a part out: the model will not be calibrated');
  out.warn('  hint: calibrate it later with recal calibrate, or name a part with --calibrate-split');
  return { train, calibrate: undefined };
}

/** What a model has learned fits it better than anything new will: calibrated on that it would take too much for an attack. */
function checkApart(
  { split, from, to }: Selection,
  calibrateSplit: string,
  out: CommandContext['out'],
): void {
  if (split === calibrateSplit) {
    throw new RecalError('usage-calibrate', `split ${printable(split)} is trained on and calibrated on`, {
      hint: 'calibrate on another split, or leave --calibrate-split out to hold a part of this one out',
      exit: EXIT.usage,
    });
  }
  if (split !== undefined || from !== undefined || to !== undefined) return;
  out.warn(`split ${printable(calibrateSplit)} is among what is trained on: thresholds will be too low`);
  out.warn('  hint: train on another split with --split NAME');
}

function warnOfStrays({ strays }: HoldOut, out: CommandContext['out']): void {
  if (strays === 0) return;
  const events = strays === 1 ? 'an event that lies' : `${formatCount(strays)} events that lie`;
  out.warn(`left out ${events} far from all others in time: was a clock wrong?`);
  out.warn('  hint: say which time is meant with --from and --to to take them in');
}

/** Training on what was meant for testing makes every figure worthless; it is worth a word. */
function warnOfSplits(store: Store, split: string | undefined, { out }: CommandContext): void {
  if (split !== undefined || store.splits.length < 2) return;
  out.warn(
    `training on all of the store, which has the splits ${store.splits.map((name) => printable(name)).join(', ')}`,
  );
  out.warn('  hint: train on one of them with --split NAME');
}

/** A model that cannot be written should be known before it is trained. */
async function checkPlace(model: string): Promise<void> {
  const folder = dirname(resolve(model));
  // Beside the model its checkpoint is kept, and both are written under another name first.
  const names = [model, checkpointPath(model)].flatMap((name) => [name, `${name}.new`]);
  const inTheWay = (await Promise.all(names.map(isFolder))).indexOf(true);
  const why =
    inTheWay >= 0
      ? `${printable(names[inTheWay])} is a folder`
      : (await isFolder(folder))
        ? await access(folder, constants.W_OK).then(
            () => undefined,
            () => `${printable(folder)} cannot be written to`,
          )
        : `there is no folder ${printable(folder)}`;
  if (why !== undefined) {
    throw new RecalError('model-place', `the model cannot be written: ${why}`, {
      hint: 'give --model a file in a folder that is there and can be written to',
      exit: EXIT.usage,
    });
  }
  if (await isForeignFile(model)) {
    throw new RecalError('model-place', `${printable(model)} is there, and is no model`, {
      hint: 'a model would replace it: give --model another name, or remove the file',
      exit: EXIT.usage,
    });
  }
}

async function checkCheckpoint(model: string, resume: boolean, { out }: CommandContext): Promise<void> {
  const there = await hasCheckpoint(model);
  const name = printable(checkpointPath(model));
  if (there && !resume) out.info(`beginning anew; ${name} could be gone on from with --resume`);
  if (there || !resume) return;
  throw new RecalError('no-checkpoint', `there is no ${name} to go on from`, {
    hint: 'leave --resume out to begin anew',
    exit: EXIT.usage,
  });
}
