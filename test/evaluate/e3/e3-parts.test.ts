import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DAY_SPLITS, dayRanges, easternMidnight, findE3Parts } from '../../../src/evaluate/e3/e3-parts.js';
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

describe('findE3Parts', () => {
  test('MAGIC’s list of CADETS, and all else for its names', async () => {
    put(...CADETS, 'ta1-theia-e3-official-3.json', 'readme.txt');
    const found = await findE3Parts(folder, 'cadets', 'magic');
    expect(names(found.train)).toEqual([
      ...parts('ta1-cadets-e3-official', 2),
      'ta1-cadets-e3-official-2.json.1',
    ]);
    expect(names(found.test)).toEqual(['ta1-cadets-e3-official-2.json']);
    expect(names(found.other)).toEqual(parts('ta1-cadets-e3-official-1', 4));
    expect(found.notes).toEqual([]);
  });

  test('packed parts, the spelling with .0, and one folder deeper', async () => {
    mkdirSync(join(folder, 'trace'));
    for (const part of ['json.0.gz', 'json.1.gz', 'json.2', 'json.3.zst', 'json.4']) {
      put(join('trace', `ta1-trace-e3-official-1.${part}`));
    }
    const found = await findE3Parts(folder, 'trace', 'magic');
    expect(names(found.train)).toEqual(
      ['json.0.gz', 'json.1.gz', 'json.2', 'json.3.zst'].map((part) => `ta1-trace-e3-official-1.${part}`),
    );
    expect(names(found.test)).toEqual(['ta1-trace-e3-official-1.json.4']);
    expect(found.notes).toHaveLength(2); // what MAGIC judges besides, and that nothing else names entities
    expect((await findE3Parts(folder, 'trace', 'threatrace')).notes).toEqual([]);
  });

  test('all missing parts are named at once, with where they come from', async () => {
    put('ta1-cadets-e3-official.json.1', 'ta1-cadets-e3-official.json.tar.gz');
    const failure = await findE3Parts(folder, 'cadets', 'magic').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'e3-parts', exit: 2 });
    expect((failure as Error).message).toContain(
      '4 parts are missing in ' +
        `${folder} for cadets, split magic: ta1-cadets-e3-official.json, ta1-cadets-e3-official.json.2, ` +
        'ta1-cadets-e3-official-2.json.1, ta1-cadets-e3-official-2.json',
    );
    expect(failure).toMatchObject({
      hint: expect.stringMatching(/README-E3 .*official\.json\.tar\.gz is there: unpack it/),
    });
  });

  test('one part twice is refused', async () => {
    put(
      'ta1-theia-e3-official-1r.json',
      'ta1-theia-e3-official-1r.json.0',
      'ta1-theia-e3-official-6r.json.8',
    );
    await expect(findE3Parts(folder, 'theia', 'threatrace')).rejects.toMatchObject({
      code: 'duplicate-part',
    });
  });

  test('days need every part, or the archive of a topic', async () => {
    put(...CADETS.slice(0, 8), 'ta1-cadets-e3-official-2.json.tar.gz');
    const found = await findE3Parts(folder, 'cadets', 'pidsmaker');
    expect(names(found.other)).toEqual([...CADETS.slice(0, 8), 'ta1-cadets-e3-official-2.json.tar.gz']);
    rmSync(join(folder, 'ta1-cadets-e3-official-1.json.3'));
    await expect(findE3Parts(folder, 'cadets', 'pidsmaker')).rejects.toThrow(
      /a part is missing .*: ta1-cadets-e3-official-1\.json\.3$/,
    );
  });

  test('a topic of unknown length must have no gap', async () => {
    put('ta1-trace-e3-official.json', 'ta1-trace-e3-official-1.json', 'ta1-trace-e3-official-1.json.2');
    await expect(findE3Parts(folder, 'trace', 'pidsmaker')).rejects.toThrow(
      /: ta1-trace-e3-official-1\.json\.1$/,
    );
  });

  test('no folder, and a folder of something else', async () => {
    await expect(findE3Parts(join(folder, 'none'), 'theia', 'magic')).rejects.toThrow(/none/);
    await expect(findE3Parts(folder, 'theia', 'magic')).rejects.toMatchObject({
      hint: expect.stringContaining('no part of this host was found at all'),
    });
  });
});

describe('days of April 2018 in US/Eastern', () => {
  test('midnight is 04:00 UTC, as the calendar of that place says', () => {
    for (let day = 1; day <= 14; day++) {
      const date = new Date(Number(easternMidnight(day) / 1_000_000n));
      const said = date.toLocaleString('en-GB', { timeZone: 'America/New_York', hour12: false });
      expect(said).toBe(`${String(day).padStart(2, '0')}/04/2018, 00:00:00`.replace('24:', '00:'));
    }
  });

  test('neighbouring days are one range', () => {
    expect(dayRanges([3, 2, 5, 4, 7])).toEqual([
      { from: easternMidnight(2), to: easternMidnight(6) },
      { from: easternMidnight(7), to: easternMidnight(8) },
    ]);
  });

  test('no day is in two parts', () => {
    for (const host of E3_HOSTS) {
      const { train, calibrate, test: judged } = DAY_SPLITS[host];
      const all = [...train, ...calibrate, ...judged];
      expect(new Set(all).size).toBe(all.length);
    }
  });
});
