import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { closestName } from '../../base/settings/closest-name.js';
import type { ConfigSetting } from '../../base/settings/config-setting.js';
import { DETECTION_SETTINGS } from '../../detect/detection-config.js';
import { TRAINING_SETTINGS } from '../../model/training/training-config.js';

export type AxisValue = string | number | boolean | readonly string[];

/** One setting and the values to try. */
export interface Axis {
  readonly key: string;
  readonly values: readonly AxisValue[];
}

/** One value for each axis. */
export type Assignment = Readonly<Record<string, AxisValue>>;

/** The share of the entities of the calibrate split to calibrate on. Not a setting of the detector. */
export const CALIBRATION_SHARE = 'calibrationShare';

/** Set by --variants and --seeds instead. */
const NOT_SWEPT = new Set(['profile', 'seed']);

const settings: Readonly<Record<string, ConfigSetting>> = { ...TRAINING_SETTINGS, ...DETECTION_SETTINGS };

const SWEEP_KEYS: readonly string[] = [
  ...Object.keys(settings).filter((key) => !NOT_SWEPT.has(key)),
  CALIBRATION_SHARE,
];

/** The axes of the paper's sensitivity analysis (method §10). */
export const PAPER_SWEEPS: readonly Axis[] = [
  { key: CALIBRATION_SHARE, values: [0.01, 0.05, 0.1, 0.25, 0.5, 1] },
  { key: 'rounds', values: [1, 2, 5, 10, 20] },
  { key: 'gamma', values: [0, 0.25, 0.5, 0.75, 1] },
  { key: 'learningRate', values: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2] },
];

/** Parses `KEY=v1,v2,…`. A value that is a list uses `+` between its items. */
function parseAxis(text: string): Axis {
  const at = text.indexOf('=');
  const key = (at < 0 ? text : text.slice(0, at)).trim();
  if (!SWEEP_KEYS.includes(key)) throw unknownKey(key);
  const words = at < 0 ? [] : text.slice(at + 1).split(',');
  if (words.length === 0 || words.some((word) => word.trim() === '')) {
    throw usage(`'${printable(text, 80)}' lacks a value`, `write ${key}=V1,V2`);
  }
  const values = words.map((word) => parseValue(key, word.trim()));
  const distinct = new Set(values.map((value) => JSON.stringify(value)));
  if (distinct.size < values.length) throw usage(`${key} repeats a value`, 'give each value once');
  return { key, values };
}

export function parseAxes(texts: readonly string[]): Axis[] {
  const axes = texts.map(parseAxis);
  const keys = axes.map(({ key }) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) < i);
  if (twice !== undefined) throw usage(`${twice} is given twice`, `give all values at once: ${twice}=V1,V2`);
  return axes;
}

/** Every combination of values; the last axis changes fastest. Without axes, one empty combination. */
export function combinations(axes: readonly Axis[]): Assignment[] {
  return axes.reduce<Assignment[]>(
    (all, { key, values }) => all.flatMap((each) => values.map((value) => ({ ...each, [key]: value }))),
    [{}],
  );
}

/** Groups an assignment by training settings, detection settings and calibration share. */
export function groupAssignment(assignment: Assignment): {
  training: Record<string, AxisValue>;
  detection: Record<string, AxisValue>;
  calibrationShare: number;
} {
  const pick = (known: object) =>
    Object.fromEntries(Object.entries(assignment).filter(([key]) => Object.hasOwn(known, key)));
  return {
    training: pick(TRAINING_SETTINGS),
    detection: pick(DETECTION_SETTINGS),
    calibrationShare: Number(assignment[CALIBRATION_SHARE] ?? 1),
  };
}

/** For example `gamma=0.5 rounds=5`. */
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
    throw usage(`${key}: '${printable(word, 40)}' is not a share`, 'give a number above 0 and at most 1');
  }
  const { type } = settings[key];
  const standard: unknown = type.parse(undefined);
  const value = convertLike(standard, word);
  const parsed = type.safeParse(value);
  if (parsed.success) return parsed.data as AxisValue;
  throw usage(
    `${key}: '${printable(word, 40)}' ${parsed.error.issues[0].message}`,
    'docs/reference/settings.md lists every setting and its range',
  );
}

/** Converts a word to the type of the default value. Other words stay text, and the schema refuses them. */
function convertLike(standard: unknown, word: string): AxisValue {
  if (Array.isArray(standard)) return word.split('+').map((part) => part.trim());
  // A setting without a default value is a number.
  if (typeof standard === 'number' || standard === undefined)
    return Number.isNaN(Number(word)) ? word : Number(word);
  if (typeof standard === 'boolean' && (word === 'true' || word === 'false')) return word === 'true';
  return word;
}

function unknownKey(key: string): RecalError {
  if (NOT_SWEPT.has(key)) {
    const instead =
      key === 'seed' ? 'every trial runs all of --seeds' : 'compare profiles with --variants recal,paper';
    return usage(`${key} cannot be swept`, instead);
  }
  const near = closestName(key, SWEEP_KEYS);
  return usage(
    `unknown setting '${printable(key, 60)}'`,
    near === undefined ? `use one of: ${SWEEP_KEYS.join(', ')}` : `did you mean '${near}'?`,
  );
}

function usage(message: string, hint: string): RecalError {
  return new RecalError('sweep-config', message, { hint, exit: EXIT.usage });
}
