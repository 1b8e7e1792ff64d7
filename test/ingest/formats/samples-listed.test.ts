import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../built.js';
import { readLog } from '../records.js';

const FOLDER = join(ROOT, '../shared/data/samples');

/** The files that are no log that recal reads, and the words of the error that say what they are. */
const REFUSED: Readonly<Record<string, string>> = {
  'cadets-native/cat.json': 'the native JSON of CADETS',
  'auditd/otrf-auoms-log4shell.json': 'auoms audit records',
};
/** Expected results of other parsers lie beside their logs. */
const EXPECTATION = /^expected /;

const ROWS = existsSync(FOLDER)
  ? readFileSync(join(FOLDER, 'README.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, file, kind]) => ({ file: file.replaceAll('`', ''), kind }))
  : [];

describe.skipIf(!existsSync(FOLDER))('every file of the real samples', () => {
  it('is listed', () => {
    expect(ROWS).toHaveLength(59);
    for (const { file } of ROWS) expect(existsSync(join(FOLDER, file)), file).toBe(true);
  });

  const logs = ROWS.filter(({ file, kind }) => !(file in REFUSED) && !EXPECTATION.test(kind));
  it.each(logs)('$file is detected as the format of its folder, and read', async ({ file }) => {
    const sources = await readLog(join(FOLDER, file));
    const [folder] = file.split('/');
    for (const { report, counts } of sources) {
      expect(report.format).toBe(folder);
      // The groups of records in YAML have a line with the name of the test before each.
      if (!file.endsWith('.yaml')) expect(counts.malformed).toBeLessThanOrEqual(1);
    }
    expect(sources).not.toEqual([]);
  });

  it.each(Object.entries(REFUSED))('%s is refused by name, with what to do', async (file, what) => {
    const error = await readLog(join(FOLDER, file)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'unknown-format', message: expect.stringContaining(what) });
    expect((error as { hint?: string }).hint).toMatch(/use|ingest/);
  });

  it.each(ROWS.filter(({ kind }) => EXPECTATION.test(kind)))('$file is no log', async ({ file }) => {
    await expect(readLog(join(FOLDER, file))).rejects.toMatchObject({ code: 'unknown-format' });
  });
});
