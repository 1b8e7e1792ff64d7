import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openInput } from '../../../src/ingest/sources/byte-source.js';
import type * as Ingest from '../../../src/store/ingest.js';
import { built } from '../../built.js';
import { filesBelow, newFolder } from '../../folders.js';

// Worker threads need built files, so this test imports ingestFiles from dist/.
const { ingestFiles } = (await import(built('store/ingest.js'))) as typeof Ingest;

const STOPPED = new DOMException('stopped by SIGINT', 'AbortError');

/** Aborts as soon as the work waits. */
async function stopWhileWaiting(work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const controller = new AbortController();
  const ended = work(controller.signal).catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 100));
  controller.abort(STOPPED);
  return ended;
}

test('an idle stream ends with the signal, before and after its first bytes', async () => {
  for (const first of ['', '{"ts":1}\n']) {
    const stdin = new PassThrough();
    stdin.write(first);
    const ended = await stopWhileWaiting(async (signal) => {
      const input = await openInput('-', { stdin, signal });
      for await (const source of input.sources()) await source.read(new Uint8Array(1 << 16));
    });
    expect(ended).toBe(STOPPED);
  }
});

// Windows has neither.
describe.runIf(process.platform !== 'win32')('an ingest stops with the signal and leaves nothing', () => {
  function pipe(): string {
    const path = join(newFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    return path;
  }

  test.each([
    ['a named pipe without a writer', pipe],
    [
      'a named pipe with an idle writer',
      () => {
        const path = pipe();
        const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
        onTestFinished(() => closeSync(descriptor));
        return path;
      },
    ],
    ['an endless line', () => '/dev/zero'],
  ])('%s', async (_what, make) => {
    const store = newFolder();
    const path = make();
    for (const threads of [0, 1]) {
      expect(await stopWhileWaiting((signal) => ingestFiles([path], { store, threads, signal }))).toBe(
        STOPPED,
      );
      expect(filesBelow(store)).toEqual([]);
    }
  });
});
