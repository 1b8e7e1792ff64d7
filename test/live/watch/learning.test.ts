import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Learning } from '../../../src/live/watch/learning.js';
import { Metrics } from '../../../src/live/watch/metrics.js';
import { WatchFolder } from '../../../src/live/watch/watch-folder.js';
import { newFolder } from '../../folders.js';

function learning() {
  const folder = new WatchFolder(join(newFolder(), 'w'));
  const learn = 86_400_000_000_000n;
  const told: string[] = [];
  const log = (_: string, event: string) => void told.push(event);
  const options = { learn, retrain: 0n, training: {}, detection: {} };
  return { trainer: new Learning(options, folder, new Metrics(), log), told };
}

it('a stop during a training is no failure: the same time is learned after the next start', async () => {
  const { trainer, told } = learning();
  let done = 0;
  const training = trainer.start({ from: 0n, to: 1n }, true, async () => void done++);
  await trainer.close();
  await training;
  expect(done).toBe(0);
  expect(told).toEqual(['training']);
});

it('a training that fails is over, and later events are waited for', async () => {
  const { trainer, told } = learning();
  const over: unknown[] = [];
  await trainer.start({ from: 0n, to: 7n }, true, async (model, to) => void over.push([model, to]));
  await trainer.close();
  expect(over).toEqual([[undefined, 6n]]);
  expect(told).toEqual(['training', 'training-failed']);
}, 60_000);
