import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RecalError } from '../../../src/base/errors.js';
import { DAY_SCHEMES, dayRanges, findE3Files } from '../../../src/evaluate/e3/e3-files.js';
import { E3_HOSTS } from '../../../src/evaluate/e3/published.js';
import { newFolder } from '../../folders.js';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

function put(...names: string[]): void {
  for (const name of names) writeFileSync(join(folder, name), '');
}
const names = (paths: readonly string[]) => paths.map((path) => basename(path));
const parts = (topic: string, last: number) =>
  Array.from({ length: last + 1 }, (_, i) => (i === 0 ? `${topic}.json` : `${topic}.json.${i}`));

const CADETS = [
  ...parts('ta1-cadets-e3-official', 2),
  ...parts('ta1-cadets-e3-official-1', 4),
  ...parts('ta1-cadets-e3-official-2', 1),
];

describe('findE3Files', () => {
  test('finds the MAGIC files of CADETS, and all other files for their names', async () => {
    put(...CADETS, 'ta1-theia-e3-official-3.json', 'readme.txt');
    const found = await findE3Files(folder, 'cadets', 'magic');
    expect(names(found.train)).toEqual([
      ...parts('ta1-cadets-e3-official', 2),
      'ta1-cadets-e3-official-2.json.1',
    ]);
    expect(names(found.test)).toEqual(['ta1-cadets-e3-official-2.json']);
    expect(names(found.other)).toEqual(parts('ta1-cadets-e3-official-1', 4));
    expect(found.notes).toEqual([]);
  });

  test('finds packed files, names with .0, and files in subfolders', async () => {
    mkdirSync(join(folder, 'trace'));
    for (const part of ['json.0.gz', 'json.1.gz', 'json.2', 'json.3.zst', 'json.4']) {
      put(join('trace', `ta1-trace-e3-official-1.${part}`));
    }
    const found = await findE3Files(folder, 'trace', 'magic');
    expect(names(found.train)).toEqual(
      ['json.0.gz', 'json.1.gz', 'json.2', 'json.3.zst'].map((part) => `ta1-trace-e3-official-1.${part}`),
    );
    expect(names(found.test)).toEqual([...names(found.train), 'ta1-trace-e3-official-1.json.4']);
    expect(found.overlaps).toBe(true);
    expect(found.notes).toHaveLength(2); // the five test graphs, and no other file names entities
    for (const name of names(found.test)) expect(found.notes[0]).toContain(name);
    expect((await findE3Files(folder, 'trace', 'threatrace')).notes).toEqual([]);
  });

  test('lists all missing files at once', async () => {
    put('ta1-cadets-e3-official.json.1', 'ta1-cadets-e3-official.json.tar.gz');
    const failure = await findE3Files(folder, 'cadets', 'magic').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'e3-parts', exit: 2 });
    const { message, hint } = failure as RecalError;
    expect(message).toContain(folder);
    expect(message.split(': ').at(-1)?.split(', ')).toEqual([
      'ta1-cadets-e3-official.json',
      'ta1-cadets-e3-official.json.2',
      'ta1-cadets-e3-official-2.json.1',
      'ta1-cadets-e3-official-2.json',
    ]);
    expect(hint).toContain('official.json.tar.gz');
  });

  test('refuses two files of the same part', async () => {
    put(
      'ta1-theia-e3-official-1r.json',
      'ta1-theia-e3-official-1r.json.0',
      'ta1-theia-e3-official-6r.json.8',
    );
    await expect(findE3Files(folder, 'theia', 'threatrace')).rejects.toMatchObject({
      code: 'duplicate-part',
    });
  });

  test('a split by days needs every file, or the archive of a topic', async () => {
    put(...CADETS.slice(0, 8), 'ta1-cadets-e3-official-2.json.tar.gz');
    const found = await findE3Files(folder, 'cadets', 'pidsmaker');
    expect(names(found.other)).toEqual([...CADETS.slice(0, 8), 'ta1-cadets-e3-official-2.json.tar.gz']);
    rmSync(join(folder, 'ta1-cadets-e3-official-1.json.3'));
    await expect(findE3Files(folder, 'cadets', 'pidsmaker')).rejects.toMatchObject({
      code: 'e3-parts',
      message: expect.stringMatching(/: ta1-cadets-e3-official-1\.json\.3$/),
    });
  });

  test('refuses a gap in a topic of unknown length', async () => {
    put('ta1-trace-e3-official.json', 'ta1-trace-e3-official-1.json', 'ta1-trace-e3-official-1.json.2');
    await expect(findE3Files(folder, 'trace', 'pidsmaker')).rejects.toMatchObject({
      code: 'e3-parts',
      message: expect.stringMatching(/: ta1-trace-e3-official-1\.json\.1$/),
    });
  });

  test('refuses a missing folder, and a folder without files of the host', async () => {
    await expect(findE3Files(join(folder, 'none'), 'theia', 'magic')).rejects.toMatchObject({
      code: 'input-not-found',
    });
    await expect(findE3Files(folder, 'theia', 'magic')).rejects.toMatchObject({
      code: 'e3-parts',
    });
  });
});

describe('days of April 2018 in US/Eastern', () => {
  test('begin at midnight in New York', () => {
    for (let day = 1; day <= 14; day++) {
      const [{ from }] = dayRanges([day]);
      const date = new Date(Number(from / 1_000_000n));
      const local = date.toLocaleString('en-GB', { timeZone: 'America/New_York', hour12: false });
      expect(local).toBe(`${String(day).padStart(2, '0')}/04/2018, 00:00:00`.replace('24:', '00:'));
    }
  });

  test('form one range if they are adjacent', () => {
    expect(dayRanges([3, 2, 5, 4, 7])).toEqual([
      { from: dayRanges([2])[0].from, to: dayRanges([5])[0].to },
      { from: dayRanges([7])[0].from, to: dayRanges([8])[0].from },
    ]);
  });

  test('belong to one split each', () => {
    for (const host of E3_HOSTS) {
      const { train, calibrate, test: testDays } = DAY_SCHEMES[host];
      const all = [...train, ...calibrate, ...testDays];
      expect(new Set(all).size).toBe(all.length);
    }
  });
});
