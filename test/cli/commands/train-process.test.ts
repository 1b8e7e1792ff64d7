import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../built.js';
import { sharedFolder } from '../../folders.js';
import { answer, recal } from '../recal-process.js';

// Threads and signals are only true in a process of its own.
const folder = sharedFolder();
const path = (name: string) => join(folder, name);
const env = { RECAL_STORE: path('store'), RECAL_TEXT_EPOCHS: '1', RECAL_WINDOW: '240' };

beforeAll(async () => {
  const ended = await recal(['ingest', join(ROOT, 'examples/small-host.json.gz')], { env });
  expect(ended.code).toBe(0);
});

test('any number of threads trains the same model', async () => {
  const files = await Promise.all(
    ['1', '2', '3'].map(async (threads) => {
      const ended = await recal(['train', '--model', path(threads), '--epochs', '2', '--threads', threads], {
        env,
      });
      expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('epoch 2 of 2')]);
      return readFileSync(path(threads));
    }),
  );
  expect(files[1].equals(files[0])).toBe(true);
  expect(files[2].equals(files[0])).toBe(true);
});

test('Ctrl-C: exit 130, a model that can be shown, a checkpoint that can be gone on from', async () => {
  const args = ['train', '--model', path('stopped'), '--threads', '2', '--epochs', '100000', '--json'];
  const ended = await recal(args, {
    env,
    onStart(child) {
      child.stderr?.on('data', (text: string) => {
        if (text.includes('epoch 1 of')) child.kill('SIGINT');
      });
    },
  });
  expect([ended.code, ended.stderr]).toEqual([130, expect.stringContaining('stopping')]);
  expect(answer(ended)).toMatchObject({ complete: false });
  expect(existsSync(path('stopped.checkpoint'))).toBe(true);
  const shown = await recal(['model', 'show', path('stopped'), '--json'], { env });
  expect(answer(shown)).toMatchObject({ training: { epochs: { asked: 100_000 } } });
});
