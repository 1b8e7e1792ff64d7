import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { built, ROOT } from '../built.js';

// The program as a real process: signals, pipes and exit codes are only true there.
const WAITING = fileURLToPath(new URL('waiting-program.mjs', import.meta.url));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function start(
  file: string,
  args: string[],
  onText?: (child: ChildProcess, text: string) => void,
): Promise<Ended> {
  const { NO_COLOR, FORCE_COLOR, ...env } = process.env;
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended: Ended = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ended[name] += text;
      onText?.(child, text);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}

describe('recal', () => {
  const main = built('cli/main.js');

  test('--version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await start(main, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('--help, without colour in a pipe', async () => {
    const { code, stdout, stderr } = await start(main, ['--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Exit codes:');
    expect(stdout).not.toContain('\u001b');
  });

  test('wrong usage exits with 2 and no stack', async () => {
    const { code, stdout, stderr } = await start(main, ['nosuch']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*\nhint: .*\n$/);
  });

  test.skipIf(process.platform === 'win32')('can be executed as it is', () => {
    expect(statSync(main).mode & 0o111).not.toBe(0);
    expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});

describe('a process', () => {
  built('cli/program.js');

  test('an unexpected exception', async () => {
    const { code, stderr } = await start(WAITING, ['fail']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: internal error: TypeError: cannot read \\e\[2Jname\nhint: .*--stack.*\n$/,
    );
    expect((await start(WAITING, ['fail', '--stack'])).stderr).toContain('waiting-program.mjs');
  });

  test('a reader that goes away ends it quietly', async () => {
    const { code, stderr } = await start(WAITING, ['flood'], (child) => child.stdout?.destroy());
    expect([code, stderr]).toEqual([0, '']);
  });

  // Windows has no such signals to send.
  describe.skipIf(process.platform === 'win32')('signals', () => {
    test.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('%s lets the command clean up and exits with %i', async (signal, expected) => {
      const { code, stderr } = await start(WAITING, ['wait', 'clean'], (child, text) => {
        if (text.includes('ready')) child.kill(signal);
      });
      expect([code, stderr]).toEqual([
        expected,
        'ready\nstopping; a second signal stops at once\ncleaned up\nstopped\n',
      ]);
    });

    test('a second signal does not wait', async () => {
      const { code, stderr } = await start(WAITING, ['wait', 'stubborn'], (child, text) => {
        if (text.includes('ready') || text.includes('stopping')) child.kill('SIGINT');
      });
      expect([code, stderr]).toEqual([130, 'ready\nstopping; a second signal stops at once\n']);
    });
  });
});
