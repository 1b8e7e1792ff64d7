import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../base/errors.js';
import { replaceFile } from '../../base/replace-file.js';
import { safeJson } from '../../base/safe-json.js';
import { formatThreshold } from '../../detect/threshold/threshold.js';
import type { EvaluateOptions } from '../evaluation.js';
import type { Labels } from '../labels/labels.js';
import type { Part } from '../protocol/parts.js';
import { type EvaluationResult, evaluationSchema } from '../result-schema.js';
import { type Assignment, assignmentText } from './sweep-axes.js';

/** A finished trial, as its file has it. */
export interface Trial {
  readonly assignment: Assignment;
  readonly id: string;
  readonly result: EvaluationResult;
}

/**
 * What a trial is: all that its figures follow from, and nothing else (not the number of threads). Trials of the same
 * id need not be run twice.
 */
export function trialId(options: EvaluateOptions): string {
  const { parts, labels, ignore, tier, protocol, matching, threshold, seeds, variants, versions } = options;
  const told = {
    parts: [parts.train, parts.calibrate, parts.test].map(identityOf),
    labels: labelText(labels),
    ignore: ignore === undefined ? null : labelText(ignore),
    tier,
    protocol,
    matching,
    threshold: formatThreshold(threshold),
    seeds,
    versions,
    allowPast: options.allowPast ?? false,
    variants: variants.map(({ variant, training, detection }) => [variant.name, training, detection]),
  };
  return createHash('sha256').update(safeJson(told)).digest('hex');
}

/** By the content of the files, wherever they lie. */
function identityOf({ store, selection }: Part) {
  const { split, host, from, to } = selection;
  const files = store.manifest.ingests.map((ingest) => [
    ingest.split,
    ...ingest.files.map(({ sha256 }) => sha256),
  ]);
  return { files, split, host, from: from?.toString(), to: to?.toString() };
}

function labelText({ labels, attacks }: Labels) {
  return [attacks, labels.map(({ id, attacks: of }) => [id, of])];
}

/** Readable first, unmistakable at the end. */
export function trialFile(assignment: Assignment, id: string): string {
  const words = assignmentText(assignment)
    .replace(/[^\w=.+-]+/g, '_')
    .slice(0, 120);
  return `${words === '' ? 'as-is' : words}-${id.slice(0, 12)}.json`;
}

/** Undefined where there is none, or one that was cut short or changed by hand. */
export async function readTrial(
  folder: string,
  assignment: Assignment,
  id: string,
): Promise<Trial | undefined> {
  try {
    const text = await readFile(join(folder, trialFile(assignment, id)), 'utf8');
    const value = JSON.parse(text) as { id?: unknown; result?: unknown } | null;
    const parsed = evaluationSchema.safeParse(value?.result);
    if (value?.id === id && parsed.success) return { assignment, id, result: parsed.data };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !isSystemError(error, 'ENOENT')) throw error;
  }
  return undefined;
}

/** Whole or not at all. */
export async function writeTrial(folder: string, trial: Trial): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, trialFile(trial.assignment, trial.id));
  await replaceFile(path, `${safeJson(trial)}\n`);
}
