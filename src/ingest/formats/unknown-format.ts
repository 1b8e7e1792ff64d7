import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { quoted } from '../sources/input-errors.js';
import { FORMATS } from './known-formats.js';
import { UNSUPPORTED_FORMATS } from './unsupported-formats.js';

/** The lines of the beginning that are compared with formats that recal does not read. */
const LINES_COMPARED = 50;
const LINES_SHOWN = 2;
const SHOWN_LENGTH = 80;
const COMPARED_LENGTH = 1 << 16;

/** The error for a source in which no format was detected: what was seen, what recal reads, and where to read on. */
export function unknownFormatError(name: string, beginning: Uint8Array): RecalError {
  const text = Buffer.from(beginning.subarray(0, COMPARED_LENGTH)).toString('utf8');
  const lines = text.split('\n', LINES_COMPARED).map((line) => line.trim());
  const where = { file: name };
  for (const line of lines) {
    const found = UNSUPPORTED_FORMATS.find((format) => format.matches(line, recordOf(line)));
    if (found !== undefined) {
      return new RecalError('unknown-format', `${quoted(name)} is ${found.name}, which recal does not read`, {
        hint: found.hint,
        where,
      });
    }
  }
  const shown = lines
    .filter((line) => line !== '')
    .slice(0, LINES_SHOWN)
    .map((line) => `\`${printable(line, SHOWN_LENGTH)}\``);
  const seen = shown.length === 0 ? 'it has only blank lines' : `it begins with ${shown.join(', ')}`;
  const known = FORMATS.map((format) => `${format.name} (${format.title})`).join(', ');
  return new RecalError('unknown-format', `${quoted(name)} is not in a format that recal reads: ${seen}`, {
    hint: `recal reads ${known}; set --format if it is already in one of them, or convert it to recal NDJSON: see docs/reference/formats.md`,
    where,
  });
}

function recordOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
