import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../base/errors.js';
import { replaceFile } from '../../base/files/replace-file.js';
import { safeJson } from '../../base/safe-json.js';
import { formatThreshold } from '../../detect/threshold/threshold.js';
import type { EvaluateVariantsOptions } from '../evaluation.js';
import type { Labels } from '../labels/labels.js';
import type { LoadedSplit } from '../protocol/splits.js';
import { type EvaluationResult, evaluationSchema } from '../result-schema.js';
import { isPublished, rivalSettings } from '../rivals/rival-settings.js';
import { type Assignment, assignmentText } from './sweep-axes.js';

/** A finished trial, as stored in its file. */
export interface Trial {
  readonly assignment: Assignment;
  readonly id: string;
  readonly result: EvaluationResult;
}

/** A hash of everything that the figures depend on; the number of threads is not part of it. Equal ids give equal figures. */
export function trialId(options: EvaluateVariantsOptions): string {
  const { splits, labels, ignore, tier, protocol, matching, threshold, seeds, variants, versions } = options;
  const { calibrationShare = 1 } = options;
  const identity = {
    // The key names are part of the hash. Renaming one would run every trial again.
    parts: [splits.train, splits.calibrate, splits.test].map(identityOf),
    labels: labelIdentity(labels),
    ignore: ignore === undefined ? null : labelIdentity(ignore),
    tier,
    protocol,
    matching,
    threshold: formatThreshold(threshold),
    seeds,
    versions,
    allowPast: options.allowPast ?? false,
    ...(options.lastFileOnly === true ? { lastFileOnly: true } : {}),
    ...(calibrationShare < 1 ? { calibrationShare } : {}),
    ...(options.commonRule === true ? { commonRule: true } : {}),
    variants: variants.map(({ variant, training, detection }) => [
      variant.name,
      training,
      detection,
      ...(isPublished(variant.kind) ? [rivalSettings(variant.kind, variant.settings)] : []),
    ]),
  };
  return createHash('sha256').update(safeJson(identity)).digest('hex');
}

/** Identifies a split by the content of its files, not by their location. */
function identityOf({ store, selection }: LoadedSplit) {
  const { split, host, from, to } = selection;
  const files = store.manifest.ingests.map((ingest) => [
    ingest.split,
    ...ingest.files.map(({ sha256 }) => sha256),
  ]);
  return { files, split, host, from: from?.toString(), to: to?.toString() };
}

function labelIdentity({ labels, attacks }: Labels) {
  return [attacks, labels.map((label) => [label.id, label.attacks])];
}

/** The file name of a trial: its settings, then the start of its id. */
export function trialFile(assignment: Assignment, id: string): string {
  const words = assignmentText(assignment)
    .replace(/[^\w=.+-]+/g, '_')
    .slice(0, 120);
  return `${words === '' ? 'as-is' : words}-${id.slice(0, 12)}.json`;
}

/** Undefined if the file is missing, incomplete or changed. */
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

export async function writeTrial(folder: string, trial: Trial): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, trialFile(trial.assignment, trial.id));
  await replaceFile(path, `${safeJson(trial)}\n`);
}
