import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { readReplaced, replaceFiles } from '../../../src/base/files/replace-files.js';
import { newFolder } from '../../folders.js';

vi.mock('node:fs/promises', async (original) => ({ ...(await original<typeof fs>()) }));
afterEach(() => vi.restoreAllMocks());

const set = (word: string, extra: string[] = []) => ({
  files: new Map([
    ['a.txt', `${word} a`],
    ...extra.map((name) => [name, `${word} ${name}`] as const),
    ['index.txt', `${word} index`],
  ]),
});

const read = async (folder: string, name: string) => (await readReplaced(folder, name)).toString();

test('a new folder appears with all its files, and with nothing else beside it', async () => {
  const above = newFolder();
  await replaceFiles(join(above, 'x', 'out'), set('new'));
  expect(readdirSync(join(above, 'x'))).toEqual(['out']);
  expect(readdirSync(join(above, 'x', 'out'))).toEqual(['a.txt', 'index.txt']);
});

test('files of others stay, and stale ones of an earlier set go', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'photos'));
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await replaceFiles(folder, set('old', ['page.txt']));
  await replaceFiles(folder, { ...set('new'), stale: ['page.txt'] });
  expect(readdirSync(folder)).toEqual(['a.txt', 'index.txt', 'notes.txt', 'photos']);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('new a');
});

/** Stops at the n-th change of the file system, as a kill would: nothing after it happens, not even tidying. */
async function stopAt(n: number, run: () => Promise<void>): Promise<boolean> {
  const real = { rename: fs.rename, rm: fs.rm, rmdir: fs.rmdir, mkdir: fs.mkdir, open: fs.open };
  let left = n;
  const stopped = () => left-- <= 0;
  const dead = () => Promise.reject(new Error('killed'));
  vi.spyOn(fs, 'rename').mockImplementation((...a) => (stopped() ? dead() : real.rename(...a)));
  vi.spyOn(fs, 'rm').mockImplementation((...a) => (stopped() ? dead() : real.rm(...a)));
  vi.spyOn(fs, 'rmdir').mockImplementation((...a) => (stopped() ? dead() : real.rmdir(...a)));
  vi.spyOn(fs, 'mkdir').mockImplementation(((...a: Parameters<typeof fs.mkdir>) =>
    stopped() ? dead() : real.mkdir(...a)) as typeof fs.mkdir);
  vi.spyOn(fs, 'open').mockImplementation((...a) => (stopped() ? dead() : real.open(...a)));
  const isKilled = await run().then(
    () => false,
    (error: Error) => {
      if (error.message !== 'killed') throw error;
      return true;
    },
  );
  vi.restoreAllMocks();
  return isKilled;
}

test('a process that stops anywhere leaves the old set or the new one', async () => {
  const seen = new Set<string>();
  for (let n = 0, isKilled = true; isKilled; n++) {
    const folder = newFolder();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    await replaceFiles(folder, set('old', ['page.txt']));
    isKilled = await stopAt(n, () => replaceFiles(folder, { ...set('new'), stale: ['page.txt'] }));
    const word = (await read(folder, 'index.txt')).split(' ')[0];
    expect(await read(folder, 'a.txt')).toBe(`${word} a`);
    if (word === 'old') expect(await read(folder, 'page.txt')).toBe('old page.txt');
    seen.add(word);
    // The next write finishes what is left and tidies up.
    await replaceFiles(folder, { ...set('later'), stale: ['page.txt'] });
    expect(readdirSync(folder)).toEqual(['a.txt', 'index.txt', 'notes.txt']);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('later a');
    expect(n).toBeLessThan(100);
  }
  expect(seen).toEqual(new Set(['old', 'new']));
});

test('a process that stops before the end of a new folder leaves none', async () => {
  for (let n = 0, isKilled = true; isKilled; n++) {
    const above = newFolder();
    const folder = join(above, 'out');
    isKilled = await stopAt(n, () => replaceFiles(folder, set('new')));
    if (existsSync(folder)) expect(readdirSync(folder)).toEqual(['a.txt', 'index.txt']);
    await replaceFiles(folder, set('later'));
    expect(readdirSync(above)).toEqual(['out']);
    expect(n).toBeLessThan(100);
  }
});

test('a draft of a dead process is removed, one of a running process stays', async () => {
  const folder = newFolder();
  const dead = spawnSync(process.execPath, ['-e', '0']).pid;
  for (const pid of [dead, process.ppid]) {
    mkdirSync(join(folder, `.recal-files.new-${pid}`));
    writeFileSync(join(folder, `.recal-files.new-${pid}`, 'a.txt'), 'x');
  }
  await replaceFiles(folder, set('new'));
  expect(readdirSync(folder)).toEqual([`.recal-files.new-${process.ppid}`, 'a.txt', 'index.txt']);
});
