import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openParts, placeParts } from '../../../src/evaluate/protocol/parts.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { writeSmallWorld } from '../small-world.js';

let folder: string;
let store: string;
const log = (part: string) => join(folder, `${part}.ndjson`);
beforeAll(async () => {
  folder = await writeSmallWorld();
  store = join(folder, 'own');
  await ingestFiles([log('train')], { store, split: 'train', threads: 0 });
  await ingestFiles([log('calibrate')], { store, split: 'calibrate', threads: 0, append: true });
  await ingestFiles([log('test')], { store, split: 'week 2', threads: 0, append: true });
});

describe('parts', () => {
  test('log files and stores hold the same', async () => {
    const read: number[] = [];
    const options = {
      folder: async () => folder,
      threads: 0,
      noticed: ({ malformed }: { malformed: number }) => read.push(malformed),
    };
    const files = await openParts(
      await placeParts({ train: [log('train')], calibrate: [log('calibr*')], test: [log('test')] }, options),
    );
    const stored = await openParts(
      await placeParts({ train: [store], calibrate: [store], test: [`${store}#week 2`] }, options),
    );
    expect(read).toEqual([0, 0, 0]);
    for (const part of ['train', 'calibrate', 'test'] as const) {
      expect(stored[part].events.table.length).toBe(files[part].events.table.length);
      expect(stored[part].first).toBe(files[part].first);
      expect(stored[part].last).toBeGreaterThan(stored[part].first);
    }
  });

  test('a store among files, a split that is not there, a file of two parts', async () => {
    const options = { folder: async () => join(folder, 'other'), threads: 0 };
    const rest = { calibrate: [store], test: [`${store}#week 2`] };
    await expect(placeParts({ train: [log('train'), store], ...rest }, options)).rejects.toMatchObject({
      code: 'part-mixed',
    });
    const places = await placeParts({ ...rest, train: [`${store}#nowhere`] }, options);
    await expect(openParts(places)).rejects.toMatchObject({ code: 'no-split' });
    await expect(
      placeParts({ ...rest, train: [log('train')], calibrate: [log('train')] }, options),
    ).rejects.toMatchObject({ code: 'already-ingested' });
  });
});
