import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { built } from '../built.js';
import { readPage } from './pages.js';

/**
 * Runs the commands of docs/getting-started.md, from the demo to the first incident, and looks for the lines that the
 * page shows. Numbers and identifiers may differ between processors, so only words are compared.
 */
const { blocks } = readPage('docs/getting-started.md');
const steps = blocks.flatMap(({ language, lines }, n) => {
  const next = blocks[n + 1];
  const commands = lines
    .map((line) => (line === 'npm start' ? 'npx recal demo' : line))
    .filter((line) => line.startsWith('npx recal '));
  if (language !== 'sh' || commands.length === 0 || next?.language !== 'text') return [];
  return [{ commands, shown: next.lines.filter((line) => line !== '' && line !== '…') }];
});

let folder = '';
let incident = '';

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'recal-getting-started-')));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('docs/getting-started.md', () => {
  test('has the commands from demo to explain', () => {
    const names = steps.flatMap(({ commands }) => commands.map((command) => command.split(' ')[2]));
    expect(names).toEqual([
      'demo',
      'simulate',
      'inspect',
      'ingest',
      'ingest',
      'train',
      'ingest',
      'detect',
      'explain',
    ]);
  });

  test.each(steps)(
    '$commands.0 prints what the page shows',
    async ({ commands, shown }) => {
      let printed = '';
      for (const command of commands) {
        // The identifier of the first incident depends on the processor.
        printed += await run(command.replace(/(?<=explain )[0-9a-f]{8}/, incident));
      }
      incident = /recal explain ([0-9a-f]{8})/.exec(printed)?.[1] ?? incident;
      const actual = printed.replaceAll(folder, '…').split('\n').map(wordsOf);
      let from = 0;
      const missing = shown.filter((line) => {
        const at = actual.indexOf(wordsOf(line), from);
        if (at >= 0) from = at + 1;
        return at < 0;
      });
      expect(missing).toEqual([]);
    },
    300_000,
  );
});

function run(command: string): Promise<string> {
  const args = command.split(' ').slice(2);
  return new Promise((resolve, reject) => {
    execFile(
      'sh',
      ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, built('cli/main.js'), ...args],
      { cwd: folder, maxBuffer: 2 ** 24, env: { ...process.env, NO_COLOR: '1' } },
      (error, stdout) => (error === null ? resolve(stdout) : reject(new Error(`${command}: ${stdout}`))),
    );
  });
}

/** A line without what depends on the processor: numbers, identifiers, bars of a chart and the width of columns. */
function wordsOf(line: string): string {
  return (
    line
      .replace(/\b[0-9a-f]{8,16}\b/g, 'ID')
      // A duration of a minute or more, on a slow machine.
      .replace(/\b\d+m \d+s\b/g, 'N')
      .replace(/\d[\d.,e+-]*( ?(ms|s|MiB|KiB|%))?/g, 'N')
      .replace(/[\u2588-\u258f]+/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  );
}
