import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCheckpoint, writeCheckpoint } from '../../../src/live/watch/checkpoint.js';
import { newFolder } from '../../folders.js';

const { state: empty } = await readCheckpoint('/nowhere/watch.json');

it('reads what was written, and nothing without a checkpoint', async () => {
  const path = join(newFolder(), 'watch.json');
  expect((await readCheckpoint(path)).state).toEqual(empty);
  expect(empty).toMatchObject({ model: null, outbox: [], incidents: {} });
  const state = { ...empty, learnedTo: '7' };
  await writeCheckpoint(path, state);
  expect(await readCheckpoint(path)).toEqual({ state, isOlder: false });
});

it.each([
  ['is cut', (text: string) => text.slice(0, 40)],
  ['was changed', (text: string) => text.replace('"8"', '"9"')],
  ['is empty', () => ''],
])('uses the one before if the checkpoint %s', async (_, damage) => {
  const path = join(newFolder(), 'watch.json');
  await writeCheckpoint(path, { ...empty, learnedTo: '7' });
  await writeCheckpoint(path, { ...empty, learnedTo: '8' });
  writeFileSync(path, damage(readFileSync(path, 'utf8')));
  const { state, isOlder } = await readCheckpoint(path);
  expect([state.learnedTo, isOlder]).toEqual(['7', true]);
  writeFileSync(`${path}.before`, 'x');
  await expect(readCheckpoint(path)).rejects.toMatchObject({ code: 'checkpoint-damaged' });
});

it('uses the one before if the process died between the two renames', async () => {
  const path = join(newFolder(), 'watch.json');
  await writeCheckpoint(path, { ...empty, learnedTo: '7' });
  await writeCheckpoint(path, { ...empty, learnedTo: '8' });
  rmSync(path);
  expect((await readCheckpoint(path)).state.learnedTo).toBe('7');
});
