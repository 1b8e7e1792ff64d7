import { EXIT, RecalError } from '../../base/errors.js';
import { isoMilliseconds } from '../../base/time-text.js';
import type { Parts } from './parts.js';

/**
 * `honest`: what could have been known at the time, thresholds from calibration. `paper`: thresholds by the best F1 of
 * the test itself, as published figures mostly have them (method §10).
 */
export const PROTOCOLS = ['honest', 'paper'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The threshold where none is asked for. */
export const PROTOCOL_THRESHOLDS: Readonly<Record<Protocol, string>> = {
  honest: 'budget:5/day',
  paper: 'oracle',
};

/**
 * Says what is out of order in time. Judging the past by the future is an error under `honest` unless it is allowed,
 * and a note otherwise.
 */
export function checkOrder(
  { train, calibrate, test }: Parts,
  protocol: Protocol,
  allowPast: boolean,
): string[] {
  const notes: string[] = [];
  for (const part of [calibrate, test]) {
    if (part.first >= train.last) continue;
    const message = `the part ${part.name} begins before training ends: ${isoMilliseconds(part.first)} and ${isoMilliseconds(train.last)}`;
    if (protocol === 'honest' && !allowPast) {
      throw new RecalError('not-chronological', message, {
        hint: 'train on what comes first, or allow it with --allow-past',
        exit: EXIT.usage,
      });
    }
    notes.push(message);
  }
  if (test.first < calibrate.last) {
    notes.push('the test begins before calibration ends: its threshold knows something of the future');
  }
  return notes;
}
