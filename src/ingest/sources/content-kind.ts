import { RecalError } from '../../base/errors.js';
import { quoted } from './input-errors.js';

/** The kind of an input, detected from its first bytes. */
export type ContentKind = 'plain' | 'gzip' | 'zstd' | 'tar';

/** The number of bytes that detection needs: one tar header. */
export const HEAD_BYTES = 512;

/** A kind that recal recognises but does not read. */
interface UnsupportedKind {
  magic: number[];
  code: 'unsupported-compression' | 'unsupported-archive' | 'avro-input' | 'evtx-input';
  what: string;
  hint: string;
}

const pipe = (tool: string) => `decompress it first: ${tool} FILE | recal ingest -`;

// Without this table, such files would give thousands of malformed lines.
const UNSUPPORTED: UnsupportedKind[] = [
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
    what: 'compressed with compress',
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
    hint: 'pass the log files themselves',
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
    what: 'binary Avro, the raw form of the DARPA TC data',
    hint: 'use the .json.tar.gz of the same topic, or convert it with json_consumer.sh of DARPA ta3-java-consumer',
  },
  {
    magic: [0x45, 0x6c, 0x66, 0x46, 0x69, 0x6c, 0x65, 0x00],
    code: 'evtx-input',
    what: 'a binary event log of Windows (.evtx)',
    hint: 'convert it first: evtx_dump -o jsonl FILE > FILE.json; or on Windows: wevtutil qe FILE /lf:true /f:xml > FILE.xml',
  },
];

const BZIP2_BLOCK = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
const BZIP2_END = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
const USTAR = [0x75, 0x73, 0x74, 0x61, 0x72];

function has(head: Uint8Array, magic: number[], at = 0): boolean {
  return head.length >= at + magic.length && magic.every((byte, i) => head[at + i] === byte);
}

function matches(head: Uint8Array, format: UnsupportedKind): boolean {
  if (!has(head, format.magic)) return false;
  // A line of text can begin with "BZh" too.
  return format.magic[0] !== 0x42 || has(head, BZIP2_BLOCK, 4) || has(head, BZIP2_END, 4);
}

/** Detects the kind from the first bytes, never from the file's name. Throws for a kind that recal does not read. */
export function contentKind(head: Uint8Array, name: string): ContentKind {
  if (has(head, [0x1f, 0x8b]) || (head.length === 1 && head[0] === 0x1f)) return 'gzip';
  if (isZstd(head)) return 'zstd';
  // A tar header always holds NUL bytes, and text never does, even if it has "ustar" at offset 257.
  if (has(head, USTAR, 257) && head.includes(0)) return 'tar';
  const unsupported = UNSUPPORTED.find((format) => matches(head, format));
  if (unsupported === undefined) return 'plain';
  throw new RecalError(unsupported.code, `${quoted(name)} is ${unsupported.what}`, {
    hint: unsupported.hint,
    where: { file: name, offset: 0 },
  });
}

function isZstd(head: Uint8Array): boolean {
  if (has(head, [0x28, 0xb5, 0x2f, 0xfd])) return true;
  return (head[0] & 0xf0) === 0x50 && has(head, [0x2a, 0x4d, 0x18], 1); // a skippable frame comes first
}
