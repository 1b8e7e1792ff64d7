import { EXIT, RecalError } from '../base/errors.js';
import { groupThousands } from '../base/number-text.js';
import { printable } from '../base/printable.js';
import { holdOut } from '../detect/calibration/hold-out.js';
import type { TrainingConfig } from '../model/training/training-config.js';
import { nothingSelected } from '../store/nothing-selected.js';
import type { Selection, Store } from '../store/store.js';
import type { NoticeListener } from './notice.js';

/** Which events to train on, and which to calibrate on. */
export interface DividedEvents {
  readonly train: Selection;
  /** Undefined if the model is not calibrated now. */
  readonly calibrate: Selection | undefined;
}

export interface DivideOptions {
  readonly selection: Selection;
  /** False trains on everything and calibrates later. */
  readonly calibrate: boolean;
  /** Calibrate on this split instead of holding out the last fifth. */
  readonly calibrateSplit?: string | undefined;
  readonly config: Pick<TrainingConfig, 'graph' | 'window'>;
  readonly notice?: NoticeListener | undefined;
}

/** Divides the selected events into those to train on and those to calibrate on. */
export async function divideEvents(store: Store, options: DivideOptions): Promise<DividedEvents> {
  const { selection: train, calibrateSplit, config, notice } = options;
  if (train.split === undefined && store.splits.length > 1) {
    const names = store.splits.map((name) => printable(name)).join(', ');
    notice?.({
      level: 'warning',
      message: `training on the whole store, which has the splits ${names}`,
      hint: 'train on one of them with --split NAME',
    });
  }
  if (!options.calibrate) {
    if (calibrateSplit === undefined) return { train, calibrate: undefined };
    throw new RecalError('usage-calibrate', '--no-calibrate and --calibrate-split contradict each other', {
      hint: 'leave out one of them',
      exit: EXIT.usage,
    });
  }
  if (calibrateSplit !== undefined) {
    checkApart(train, calibrateSplit, notice);
    const calibrate = { split: calibrateSplit, host: train.host };
    // Fail now, not after training.
    if (store.segments('events', calibrate).length === 0) throw nothingSelected(store, calibrate);
    return { train, calibrate };
  }
  const held = await holdOut(store, train, config);
  if (held === undefined) {
    notice?.({
      level: 'warning',
      message:
        'the selected period is too short to hold out a part for calibration; the model will not be calibrated',
      hint: 'calibrate it later with recal calibrate, or name a split with --calibrate-split',
    });
    return { train, calibrate: undefined };
  }
  if (held.strays > 0) {
    const events = held.strays === 1 ? 'one event' : `${groupThousands(String(held.strays))} events`;
    notice?.({
      level: 'warning',
      message: `left out ${events} far from all others in time, probably from a wrong clock`,
      hint: 'set --from and --to to include them',
    });
  }
  return { train: held.train, calibrate: held.calibrate };
}

/** Errors on training data are too small to calibrate on: thresholds would be too low. */
function checkApart({ split, from, to }: Selection, calibrateSplit: string, notice?: NoticeListener): void {
  if (split === calibrateSplit) {
    throw new RecalError(
      'usage-calibrate',
      `cannot train and calibrate on the same split ${printable(split)}`,
      {
        hint: 'calibrate on another split, or leave out --calibrate-split to hold out a part of this one',
        exit: EXIT.usage,
      },
    );
  }
  if (split !== undefined || from !== undefined || to !== undefined) return;
  notice?.({
    level: 'warning',
    message: `training includes the calibration split ${printable(calibrateSplit)}; thresholds will be too low`,
    hint: 'train on another split with --split NAME',
  });
}
