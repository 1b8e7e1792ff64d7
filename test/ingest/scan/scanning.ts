import { expect } from 'vitest';
import { JsonScan, LINE, ScanMemory } from '../../../src/ingest/scan/json-scan.js';
import { Shape } from '../../../src/ingest/scan/shape.js';

// A scan with a field of every kind.

export const BLOCK = 1 << 17;
export const MAX_LINE = 100_000;

const memory = new ScanMemory(BLOCK, 1);
export const [block] = memory.blocks;
export const shape = new Shape();
export const SCALAR = shape.scalar('a');
export const NESTED = shape.scalar('b.c.d', 'b.map.d');
export const ID = shape.uuid('id');
export const INTEGER = shape.integer('n');
export const SYMBOL = shape.symbol('w');
export const RAW = shape.raw('raw');
export const KEY = shape.key('any.*');
export const UNDER_KEY = shape.scalar('any.*.x');
export const scan = new JsonScan(memory, shape, MAX_LINE);

/** Bytes that would change the result if the scan read beyond the end of its block. */
const HOSTILE = Buffer.from('"}]1e9,:{\\u0041\xff0-.truefalsenull\n', 'latin1');

export function begin(content: string | Uint8Array): void {
  const bytes = Buffer.from(content as string);
  block.set(bytes);
  for (let i = bytes.length; i < bytes.length + 256; i++)
    block[i] = HOSTILE[(i - bytes.length) % HOSTILE.length];
  scan.begin(block, bytes.length);
}

/** Scans one line. Returns a reason if it is not a record. */
export function scanLine(line: string | Uint8Array): string | undefined {
  begin(line);
  const found = scan.next();
  const reason = found === LINE.record ? undefined : found === LINE.blank ? 'blank' : scan.failure().reason;
  expect(scan.next()).toBe(LINE.end);
  return reason;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
