import { RecalError } from '../../base/errors.js';
import { auditbeat } from './audit-json/auditbeat.js';
import { laurel } from './audit-json/laurel.js';
import { auditd } from './auditd/auditd.js';
import { cdm } from './cdm.js';
import { ecar } from './ecar/ecar.js';
import { ecs } from './ecs/ecs.js';
import { falco } from './falco/falco.js';
import { ndjson } from './ndjson.js';
import { ocsf } from './ocsf/ocsf.js';
import type { Format } from './reader.js';
import { sysmon } from './sysmon/sysmon.js';
import { tetragon } from './tetragon/tetragon.js';

/** The formats that recal reads. Register a new one here. */
export const FORMATS: readonly Format[] = [
  cdm,
  ndjson,
  sysmon,
  tetragon,
  auditd,
  ecar,
  ecs,
  ocsf,
  laurel,
  auditbeat,
  falco,
];

const NEWLINE = 0x0a;

export function formatByName(name: string): Format {
  const format = FORMATS.find((candidate) => candidate.name === name);
  if (format !== undefined) return format;
  const known = FORMATS.map((candidate) => candidate.name).join(' or ');
  throw new RecalError('unknown-format', `unknown format '${name}'`, { hint: `use ${known}`, exit: 2 });
}

/**
 * Detects the format from the lines at the beginning of a file, never from its name. The first line that a format
 * recognises decides, so broken lines and lines longer than `maxLine` bytes are skipped.
 */
export function detectFormat(lines: Uint8Array, maxLine: number): Format | undefined {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const stop = newline < 0 ? bytes.length : newline;
    const format = stop - start > maxLine ? undefined : formatOfLine(bytes.toString('utf8', start, stop));
    if (format !== undefined) return format;
    start = stop + 1;
  }
  return undefined;
}

function formatOfLine(line: string): Format | undefined {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return FORMATS.find((candidate) => candidate.recognisesLine?.(line) === true);
  }
  return FORMATS.find((candidate) => candidate.recognises(record));
}
