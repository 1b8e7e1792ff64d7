import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { built } from '../../built.js';
import { newFolder } from '../../folders.js';

/** From the lock to the read that blocks. If this is too short, the test finds less, but does not fail. */
const UNTIL_WAITING_MS = 2500;
/** Ends a command that does not stop. */
const PATIENCE_MS = 60_000;

function pipe(): string {
  const path = join(newFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

// Windows has no such signals to send. A read that blocks keeps a process alive, which no test within one process shows.
describe.skipIf(process.platform === 'win32')('one signal ends an ingest that waits for', () => {
  test.each([
    ['an idle standard input', 'SIGINT', 130, (): string => '-'],
    ['a named pipe without a writer', 'SIGTERM', 143, pipe],
    ['an endless line', 'SIGINT', 130, (): string => '/dev/zero'],
  ] as const)('%s', async (_what, signal, code, make) => {
    const store = join(newFolder(), 'store');
    const child = spawn(process.execPath, [built('cli/main.js'), 'ingest', make(), '--store', store], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    onTestFinished(() => {
      clearTimeout(timer);
      child.kill('SIGKILL');
    });
    const ended = once(child, 'exit');
    while (!existsSync(join(store, 'writer.lock')) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, UNTIL_WAITING_MS));
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
    expect(existsSync(store)).toBe(false);
  });
});
