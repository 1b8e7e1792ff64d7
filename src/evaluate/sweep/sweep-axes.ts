import { closestName } from '../../base/closest-name.js';
import type { ConfigSetting } from '../../base/config-setting.js';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { TRAINING_SETTINGS } from '../../model/training/training-config.js';

export type AxisValue = string | number | boolean | readonly string[];

/** One choice and the values it is given. */
export interface Axis {
  readonly key: string;
  readonly values: readonly AxisValue[];
}

/** A value for each axis. */
export type Assignment = Readonly<Record<string, AxisValue>>;

/** How much of the calibration part is used: the latest share of its events. No choice of the detector, so our own. */
export const CALIBRATION_SHARE = 'calibrationShare';

/** What a variant or --seeds says. */
const NOT_SWEPT = new Set(['profile', 'seed']);

const choices: Readonly<Record<string, ConfigSetting>> = { ...TRAINING_SETTINGS, ...DETECTION_SETTINGS };

export const SWEEP_KEYS: readonly string[] = [
  ...Object.keys(choices).filter((key) => !NOT_SWEPT.has(key)),
  CALIBRATION_SHARE,
];

/** The sensitivity analysis of the paper (method §10), one axis at a time. */
export const PAPER_SWEEPS: readonly Axis[] = [
  { key: CALIBRATION_SHARE, values: [0.01, 0.05, 0.1, 0.25, 0.5, 1] },
  { key: 'rounds', values: [1, 2, 5, 10, 20] },
  { key: 'gamma', values: [0, 0.25, 0.5, 0.75, 1] },
  { key: 'learningRate', values: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2] },
];

/** Reads `KEY=v1,v2,…`; a value that is a list itself is written with `+`. */
export function parseAxis(text: string): Axis {
  const at = text.indexOf('=');
  const key = (at < 0 ? text : text.slice(0, at)).trim();
  if (!SWEEP_KEYS.includes(key)) throw unknownKey(key);
  const words = at < 0 ? [] : text.slice(at + 1).split(',');
  if (words.length === 0 || words.some((word) => word.trim() === '')) {
    throw usage(`'${printable(text, 80)}' names no values`, `write ${key}=V1,V2`);
  }
  const values = words.map((word) => parseValue(key, word.trim()));
  const said = new Set(values.map((value) => JSON.stringify(value)));
  if (said.size < values.length) throw usage(`${key} has a value twice`, 'name each value once');
  return { key, values };
}

export function parseAxes(texts: readonly string[]): Axis[] {
  const axes = texts.map(parseAxis);
  const keys = axes.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice !== undefined) throw usage(`${twice} is given twice`, 'give all its values at once, with commas');
  return axes;
}

/** Every combination, the last axis fastest. No axis gives the one empty combination. */
export function combinations(axes: readonly Axis[]): Assignment[] {
  return axes.reduce<Assignment[]>(
    (all, { key, values }) => all.flatMap((each) => values.map((value) => ({ ...each, [key]: value }))),
    [{}],
  );
}

/** An assignment, sorted out to whom it concerns. */
export function sortAssignment(assignment: Assignment): {
  training: Record<string, AxisValue>;
  detection: Record<string, AxisValue>;
  calibrationShare: number;
} {
  const pick = (of: object) =>
    Object.fromEntries(Object.entries(assignment).filter(([key]) => Object.hasOwn(of, key)));
  return {
    training: pick(TRAINING_SETTINGS),
    detection: pick(DETECTION_SETTINGS),
    calibrationShare: Number(assignment[CALIBRATION_SHARE] ?? 1),
  };
}

/** `gamma=0.5 rounds=5`. */
export function assignmentText(assignment: Assignment): string {
  return Object.entries(assignment)
    .map(([key, value]) => `${key}=${valueText(value)}`)
    .join(' ');
}

export function valueText(value: AxisValue): string {
  return Array.isArray(value) ? value.join('+') : String(value);
}

function parseValue(key: string, word: string): AxisValue {
  if (key === CALIBRATION_SHARE) {
    const share = Number(word);
    if (share > 0 && share <= 1) return share;
    throw usage(`${key}: '${printable(word, 40)}' is no share`, 'a share is above 0 and at most 1');
  }
  const { type } = choices[key];
  const standard: unknown = type.parse(undefined);
  const value = readAs(standard, word);
  const parsed = type.safeParse(value);
  if (parsed.success) return parsed.data as AxisValue;
  throw usage(
    `${key}: '${printable(word, 40)}' ${parsed.error.issues[0].message}`,
    'docs/reference/settings.md lists every setting and its range',
  );
}

/** As a value of the same kind. What is none stays text, for the type to refuse. */
function readAs(standard: unknown, word: string): AxisValue {
  if (Array.isArray(standard)) return word.split('+').map((part) => part.trim());
  if (typeof standard === 'number') return Number.isNaN(Number(word)) ? word : Number(word);
  if (typeof standard === 'boolean' && (word === 'true' || word === 'false')) return word === 'true';
  return word;
}

function unknownKey(key: string): RecalError {
  if (NOT_SWEPT.has(key)) {
    const instead =
      key === 'seed' ? 'every trial runs all of --seeds' : 'name profiles with --variants recal,paper';
    return usage(`${key} is no axis of a sweep`, instead);
  }
  const near = closestName(key, SWEEP_KEYS);
  return usage(
    `there is no choice '${printable(key, 60)}'`,
    near === undefined ? `one of: ${SWEEP_KEYS.join(', ')}` : `did you mean '${near}'?`,
  );
}

function usage(message: string, hint: string): RecalError {
  return new RecalError('sweep-config', message, { hint, exit: EXIT.usage });
}
