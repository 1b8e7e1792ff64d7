import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisProcess } from '../../src/base/files/running-process.js';
import { WorkFolder } from '../../src/evaluate/work-folder.js';
import { newFolder } from '../folders.js';

/** Creates the folder of a run that did not clean up. */
function leave(out: string, name: string, owner: unknown): void {
  mkdirSync(join(out, name, 'store'), { recursive: true });
  writeFileSync(join(out, name, 'store', 'manifest.json'), '{}');
  if (owner !== undefined) writeFileSync(join(out, name, 'owner.json'), JSON.stringify(owner));
}

/** A process that has ended. */
function ended() {
  return { ...thisProcess(), pid: spawnSync(process.execPath, ['-e', '']).pid, began: undefined };
}

test('each run has its own folder, created on first use, and removes no other', async () => {
  const out = join(newFolder(), 'out');
  const [one, two] = [new WorkFolder(out), new WorkFolder(out)];
  expect(await one.clearLeftovers()).toEqual([]);
  await one.remove();
  expect(existsSync(out)).toBe(false);
  const [first, second] = [await one.path(), await two.path()];
  expect(second).not.toBe(first);
  expect(await one.path()).toBe(first);
  await one.remove();
  expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
});

test('removes the folders of killed runs', async () => {
  const out = newFolder();
  leave(out, '.parts-dead', ended());
  // Another process has its number by now.
  leave(out, '.parts-again', { ...thisProcess(), began: 'another-boot 12' });
  writeFileSync(join(out, 'result.json'), '{}');
  const notes = await new WorkFolder(out).clearLeftovers();
  expect(readdirSync(out)).toEqual(['result.json']);
  expect(notes).toHaveLength(2);
  expect(notes[0]).toContain('.parts-again');
});

test('keeps the folders of runs that may be active, and notes them', async () => {
  const out = newFolder();
  const running = new WorkFolder(out);
  const path = await running.path();
  leave(out, '.parts-afar', { ...ended(), host: 'elsewhere' });
  leave(out, '.parts-contained', { ...ended(), space: 'pid:[1]' });
  leave(out, '.parts-new', undefined);
  leave(out, '.parts-torn', 'no process');
  const before = readdirSync(out);
  const notes = await new WorkFolder(out).clearLeftovers();
  expect(readdirSync(out)).toEqual(before);
  expect(notes).toHaveLength(5);
  expect(notes.find((note) => note.includes(path))).toContain(`process ${process.pid} on `);
  expect(notes.find((note) => note.includes('.parts-afar'))).toContain('on elsewhere');
  // A run does not note its own folder.
  expect(await running.clearLeftovers()).toHaveLength(4);
});
