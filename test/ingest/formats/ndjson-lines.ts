import { type Decoded, readBlocks } from '../records.js';

export type Fields = Record<string, unknown>;

export const read = (...lines: (string | Fields)[]): Promise<Decoded> =>
  readBlocks(
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
    'ndjson',
  );
