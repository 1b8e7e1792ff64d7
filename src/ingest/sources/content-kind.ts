import { RecalError } from '../../base/errors.js';
import { quoted } from './input-errors.js';

/** What the first bytes say an input is. */
export type ContentKind = 'plain' | 'gzip' | 'zstd' | 'tar';

/** How many first bytes are enough to tell: one tar header. */
export const HEAD_BYTES = 512;

interface Refused {
  magic: number[];
  code: 'unsupported-compression' | 'unsupported-archive' | 'avro-input';
  what: string;
  hint: string;
}

const pipe = (tool: string) => `unpack it on the way: ${tool} FILE | recal … -`;

// Formats met in the wild that would otherwise end in a thousand "malformed line" messages.
const REFUSED: Refused[] = [
  {
    magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00],
    code: 'unsupported-compression',
    what: 'xz-compressed',
    hint: pipe('xz -dc'),
  },
  {
    magic: [0x42, 0x5a, 0x68],
    code: 'unsupported-compression',
    what: 'bzip2-compressed',
    hint: pipe('bzip2 -dc'),
  },
  {
    magic: [0x04, 0x22, 0x4d, 0x18],
    code: 'unsupported-compression',
    what: 'lz4-compressed',
    hint: pipe('lz4 -dc'),
  },
  {
    magic: [0x1f, 0x9d],
    code: 'unsupported-compression',
    what: 'compressed by compress',
    hint: pipe('gzip -dc'),
  },
  {
    magic: [0x50, 0x4b, 0x03, 0x04],
    code: 'unsupported-archive',
    what: 'a zip archive',
    hint: pipe('unzip -p'),
  },
  {
    magic: [0x50, 0x4b, 0x05, 0x06],
    code: 'unsupported-archive',
    what: 'an empty zip archive',
    hint: 'name the log files',
  },
  {
    magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c],
    code: 'unsupported-archive',
    what: 'a 7z archive',
    hint: pipe('7z x -so'),
  },
  {
    magic: [0x4f, 0x62, 0x6a, 0x01],
    code: 'avro-input',
    what: 'binary Avro, the raw form of DARPA TC data',
    hint: 'take the .json.tar.gz of the same topic, or convert it with json_consumer.sh of DARPA ta3-java-consumer',
  },
];

const BZIP2_BLOCK = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
const BZIP2_END = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
const USTAR = [0x75, 0x73, 0x74, 0x61, 0x72];

function has(head: Uint8Array, magic: number[], at = 0): boolean {
  return head.length >= at + magic.length && magic.every((byte, i) => head[at + i] === byte);
}

function matches(head: Uint8Array, format: Refused): boolean {
  if (!has(head, format.magic)) return false;
  // "BZh" alone could begin a line of text.
  return format.magic[0] !== 0x42 || has(head, BZIP2_BLOCK, 4) || has(head, BZIP2_END, 4);
}

/** Kind of content by its first bytes, never by the file's name. Throws for what is known but not readable. */
export function contentKind(head: Uint8Array, name: string): ContentKind {
  if (has(head, [0x1f, 0x8b]) || (head.length === 1 && head[0] === 0x1f)) return 'gzip';
  if (isZstd(head)) return 'zstd';
  // A tar header always holds NULs and text never does: a log line with "ustar" at 257 stays a log line.
  if (has(head, USTAR, 257) && head.includes(0)) return 'tar';
  const refused = REFUSED.find((format) => matches(head, format));
  if (refused === undefined) return 'plain';
  throw new RecalError(refused.code, `${quoted(name)} is ${refused.what}`, {
    hint: refused.hint,
    where: { file: name, offset: 0 },
  });
}

function isZstd(head: Uint8Array): boolean {
  if (has(head, [0x28, 0xb5, 0x2f, 0xfd])) return true;
  return (head[0] & 0xf0) === 0x50 && has(head, [0x2a, 0x4d, 0x18], 1); // skippable frame first
}
