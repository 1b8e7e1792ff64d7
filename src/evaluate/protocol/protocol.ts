import { EXIT, RecalError } from '../../base/errors.js';
import { isoMilliseconds } from '../../base/time-text.js';
import type { Splits } from './splits.js';

/**
 * `honest` uses only what was known at the time and sets thresholds from calibration. `paper` sets the threshold with the
 * best F1 on the test itself, as most published figures do (method §10).
 */
export const PROTOCOLS = ['honest', 'paper'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The default threshold of each protocol. */
export const PROTOCOL_THRESHOLDS: Readonly<Record<Protocol, string>> = {
  honest: 'budget:5/day',
  paper: 'oracle',
};

/** Returns a note for each pair of splits that overlap in time. Throws under `honest` unless `allowPast` is set. */
export function checkOrder(
  { train, calibrate, test }: Splits,
  protocol: Protocol,
  allowPast: boolean,
): string[] {
  const notes: string[] = [];
  for (const split of [calibrate, test]) {
    if (split.first >= train.last) continue;
    const message = `the ${split.name} split begins at ${isoMilliseconds(split.first)}, before training ends at ${isoMilliseconds(train.last)}`;
    if (protocol === 'honest' && !allowPast) {
      throw new RecalError('not-chronological', message, {
        hint: 'train on earlier events, or add --allow-past',
        exit: EXIT.usage,
      });
    }
    notes.push(message);
  }
  if (test.first < calibrate.last) {
    notes.push('the test split begins before calibration ends, so the threshold uses later events');
  }
  return notes;
}
