import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectFiles } from '../../src/store/inspect.js';
import { newFolder } from '../folders.js';
import { readPage } from './pages.js';

const { blocks } = readPage('docs/how-to/own-format.md');
const blockOf = (language: string) =>
  `${blocks.find((block) => block.language === language)?.lines.join('\n')}\n`;
const has = (program: string) => spawnSync(program, ['--version']).status === 0;

/** Runs a converter of the page on the log of the page. Returns the path of its output. */
function convert(folder: string, program: string, ...options: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, options, {
    cwd: folder,
    input: blockOf('json'),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const path = join(folder, `${program}.ndjson`);
  writeFileSync(path, stdout);
  return path;
}

function prepare(): string {
  const folder = newFolder();
  writeFileSync(join(folder, 'convert.py'), blockOf('python'));
  writeFileSync(join(folder, 'convert.jq'), blockOf('jq'));
  return folder;
}

const CONVERTERS = [
  { program: 'python3', options: ['convert.py'] },
  { program: 'jq', options: ['-c', '-f', 'convert.jq'] },
];

describe('docs/how-to/own-format.md', () => {
  // Where a program is not installed, its converter is not run.
  for (const { program, options } of CONVERTERS) {
    test.skipIf(!has(program))(
      `the converter in ${program} gives the events that the page shows`,
      async () => {
        const result = await inspectFiles([convert(prepare(), program, ...options)], { threads: 0 });
        expect(result).toMatchObject({ events: 4, malformed: 0, unresolved: 0 });
        expect(result.entities.byType).toEqual({ process: 2, file: 1, flow: 1 });
        const shown = blockOf('text').split('\n').slice(2, -1);
        expect(result.readings).toHaveLength(shown.length);
        for (const { relation, action, in: inward, unset } of result.readings) {
          const direction = inward > 0 ? 'in' : 'out';
          expect(unset === 0 || relation === 'fork').toBe(true);
          const row = `${relation} ${action} ${direction} 1`;
          expect(shown.map((line) => line.replace(/\s+/g, ' ').trim())).toContain(row);
        }
      },
    );
  }

  test('no converter is longer than ten lines', () => {
    for (const language of ['python', 'jq']) {
      const lines = blockOf(language)
        .split('\n')
        .filter((line) => line.trim() !== '');
      expect(lines.length).toBeLessThanOrEqual(10);
    }
  });
});
