import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../src/base/files/make-folder.js';
import { newFolder } from '../../folders.js';

test('creates the missing folders and returns them', async () => {
  const folder = newFolder();
  const levels = [join(folder, 'a'), join(folder, 'a/b'), join(folder, 'a/b/c')];
  expect(await makeFolder(levels[2])).toEqual(levels);
  expect(statSync(levels[2]).isDirectory()).toBe(true);
  expect(await makeFolder(levels[2])).toEqual([]);
  expect(await makeFolder(join(folder, 'a/b/d'))).toEqual([join(folder, 'a/b/d')]);
});

test('parallel calls create each folder once', async () => {
  const folder = newFolder();
  const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(folder, 'a/b/c'))));
  expect(made.flat().sort()).toEqual([join(folder, 'a'), join(folder, 'a/b'), join(folder, 'a/b/c')]);
});

test('throws if a file is in the way', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(folder, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  expect(readdirSync(folder)).toEqual(['file']);
});

test.runIf(existsSync('/proc/self'))('throws where no folder can be created', async () => {
  await expect(makeFolder('/proc/recal/a')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'mkdir' });
});
