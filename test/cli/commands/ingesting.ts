import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/base/error-codes.js';
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

/**
 * A run with `--json` failed: its code on standard output, and on standard error `error: …`, `hint: …` and `at …`, no
 * stack. `detail` is what the user gave or must give, never wording.
 */
export function expectFailure(
  { code: exit, stdout, stderr }: Ended,
  code: ErrorCode,
  detail: RegExp = /./,
  expected = 1,
): void {
  expect(exit).toBe(expected);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
  const lines = stderr.trimEnd().split('\n');
  const at = lines.findIndex((text) => text.startsWith('error: '));
  expect(lines[at + 1]).toMatch(/^hint: /);
  expect(lines.slice(at).join('\n')).toMatch(detail);
  expect(lines.slice(at + 2).every((text) => text.startsWith('at '))).toBe(true);
  expect(stderr).not.toMatch(/^\s+at .*\.js:\d+/m);
}
