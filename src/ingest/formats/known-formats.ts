import { RecalError } from '../../base/errors.js';
import { cdm } from './cdm.js';
import { ndjson } from './ndjson.js';
import type { Format } from './reader.js';

/** The formats that RECAL reads: a new one is added here and nowhere else. */
export const FORMATS: readonly Format[] = [cdm, ndjson];

/** How much of a file detection may look at. */
export const DETECT_BYTES = 64 * 1024;

export function formatByName(name: string): Format {
  const format = FORMATS.find((candidate) => candidate.name === name);
  if (format !== undefined) return format;
  const known = FORMATS.map((candidate) => candidate.name).join(', ');
  throw new RecalError('unknown-format', `there is no format called ${name}`, {
    hint: `formats: ${known}`,
    exit: 2,
  });
}

/**
 * The format of a file from its first bytes, never from its name: the first line that any format recognises decides,
 * so that a broken line at the top does not.
 */
export function detectFormat(sample: Uint8Array): Format | undefined {
  for (const line of Buffer.from(sample).toString('utf8').split('\n')) {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      continue;
    }
    const format = FORMATS.find((candidate) => candidate.recognises(record));
    if (format !== undefined) return format;
  }
  return undefined;
}
