import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStates, stageStates } from '../../src/store/reader-states.js';
import { newFolder } from '../folders.js';

test('states come back as they were written', async () => {
  const folder = newFolder();
  const states = { auditd: { processes: [[1, 'init']] } };
  const state = await stageStates(folder, 7, states);
  expect(await readStates(folder, { state })).toEqual(states);
});

test('without states there is no file', async () => {
  expect(await stageStates(newFolder(), 1, {})).toBeNull();
  expect(await readStates(newFolder(), { state: null })).toEqual({});
});

test('a changed or missing file is reported as damage', async () => {
  const folder = newFolder();
  const state = await stageStates(folder, 7, { auditd: 1 });
  const path = join(folder, 'state', '7.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('1', '2'));
  await expect(readStates(folder, { state })).rejects.toMatchObject({
    code: 'store-damaged',
    where: { file: path },
  });
  await expect(readStates(newFolder(), { state })).rejects.toMatchObject({ code: 'store-damaged' });
});
