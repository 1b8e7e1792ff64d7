import { readFile, stat } from 'node:fs/promises';
import { RecalError } from '../../base/errors.js';
import { directoryError, openError } from '../../ingest/sources/input-errors.js';
import type { Labels, TierChoice } from './labels.js';
import { parseLabels } from './parse-labels.js';

const MAX_BYTES = 1 << 28;

/** Reads a list with one id per line, or a CSV with a column `uuid` or `key` and optional columns `attack` and `tier`. */
export async function readLabels(path: string, tier: TierChoice = 'all'): Promise<Labels> {
  try {
    const info = await stat(path);
    if (info.isDirectory()) throw await directoryError(path);
    if (info.size > MAX_BYTES) {
      throw new RecalError('labels-too-large', `the label file has more than ${MAX_BYTES} bytes`, {
        hint: 'give a list with one id per line, or a CSV with a column uuid or key',
        where: { file: path },
      });
    }
    return parseLabels(await readFile(path, 'utf8'), path, tier);
  } catch (error) {
    throw error instanceof RecalError ? error : await openError(path, error);
  }
}
