import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestSplits, openSplits } from '../../../src/evaluate/protocol/splits.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { writeSmallWorld } from '../small-world.js';

let folder: string;
let store: string;
const log = (split: string) => join(folder, `${split}.ndjson`);
beforeAll(async () => {
  folder = await writeSmallWorld();
  store = join(folder, 'own');
  await ingestFiles([log('train')], { store, split: 'train', threads: 0 });
  await ingestFiles([log('calibrate')], { store, split: 'calibrate', threads: 0, append: true });
  await ingestFiles([log('test')], { store, split: 'week 2', threads: 0, append: true });
});

describe('splits', () => {
  test('are the same from log files and from stores', async () => {
    const read: number[] = [];
    const options = {
      folder: async () => folder,
      threads: 0,
      noticed: ({ malformed }: { malformed: number }) => read.push(malformed),
    };
    const files = await openSplits(
      await ingestSplits(
        { train: [log('train')], calibrate: [log('calibr*')], test: [log('test')] },
        options,
      ),
    );
    const stored = await openSplits(
      await ingestSplits({ train: [store], calibrate: [store], test: [`${store}#week 2`] }, options),
    );
    expect(read).toEqual([0, 0, 0]);
    for (const split of ['train', 'calibrate', 'test'] as const) {
      expect(stored[split].events.table.length).toBe(files[split].events.table.length);
      expect(stored[split].first).toBe(files[split].first);
      expect(stored[split].last).toBeGreaterThan(stored[split].first);
    }
  });

  test('cannot mix a store with files, use an unknown split, or share a file', async () => {
    const options = { folder: async () => join(folder, 'other'), threads: 0 };
    const rest = { calibrate: [store], test: [`${store}#week 2`] };
    await expect(ingestSplits({ train: [log('train'), store], ...rest }, options)).rejects.toMatchObject({
      code: 'part-mixed',
    });
    const sources = await ingestSplits({ ...rest, train: [`${store}#nowhere`] }, options);
    await expect(openSplits(sources)).rejects.toMatchObject({ code: 'no-split' });
    await expect(
      ingestSplits({ ...rest, train: [log('train')], calibrate: [log('train')] }, options),
    ).rejects.toMatchObject({ code: 'already-ingested' });
  });
});
