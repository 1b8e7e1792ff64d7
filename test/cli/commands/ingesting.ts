import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ingestFiles } from '../../../src/store/ingest.js';
import { newFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, writeLog } from '../../store/small-logs.js';
import type { Ended } from '../recal-process.js';

export const line = (i: number) => eventLine({ ts: MIDNIGHT + BigInt(i), obj: file(`f${i}`) });

/** A folder to work in, with a log and a store that holds it. */
export async function workplace(): Promise<{ folder: string; store: string; log: string }> {
  const folder = newFolder();
  const [store, log] = [join(folder, 'store'), writeLog(folder, 'log.ndjson', [line(0), line(1)])];
  await ingestFiles([log], { store, threads: 0 });
  return { folder, store, log };
}

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

/** `error: …`, `hint: …` and `at …`, exit 1, no stack. */
export function expectFailure({ code, stdout, stderr }: Ended, error: RegExp, hint: RegExp, exit = 1): void {
  expect([code, stdout]).toEqual([exit, '']);
  const lines = stderr.trimEnd().split('\n');
  const at = lines.findIndex((text) => text.startsWith('error: '));
  expect(lines[at]).toMatch(error);
  expect(lines[at]).not.toContain('internal');
  expect(lines[at + 1]).toMatch(/^hint: /);
  expect(lines[at + 1]).toMatch(hint);
  expect(lines.slice(at + 2).every((text) => text.startsWith('at '))).toBe(true);
  expect(stderr).not.toMatch(/^\s+at .*\.js:\d+/m);
}
