import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findE3Parts } from '../../../src/evaluate/e3/e3-parts.js';
import { placeE3 } from '../../../src/evaluate/e3/e3-store.js';
import { openParts } from '../../../src/evaluate/protocol/parts.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { sharedFolder } from '../../folders.js';

// Just enough events for every part to have some, in the file names and dates of the release.
const folder = sharedFolder();
beforeAll(async () => {
  await simulate({ scenario: 'freebsd-server', layout: 'e3', events: 36_000, out: join(folder, 'e3') });
}, 60_000);

describe('placeE3', () => {
  test('MAGIC: calibration is what comes last of training, at the start of a file', async () => {
    const found = await findE3Parts(join(folder, 'e3'), 'cadets', 'magic');
    const { places } = await placeE3(found, { folder: join(folder, 'files'), threads: 0 });
    const parts = await openParts(places);
    expect(parts.train.last).toBeLessThan(parts.calibrate.first);
    expect(parts.train.last).toBeLessThan(parts.test.first);
    expect(parts.calibrate.last).toBeGreaterThan(parts.test.first); // official-2.json.1 is later than official-2.json
    expect(new Set(parts.calibrate.events.files).size).toBe(1);
  }, 30_000);

  test('PIDSMaker: days of US/Eastern, also those that lie apart', async () => {
    const found = await findE3Parts(join(folder, 'e3'), 'cadets', 'pidsmaker');
    const { places } = await placeE3(found, { folder: join(folder, 'days'), threads: 0 });
    const parts = await openParts(places);
    const format = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', day: 'numeric' });
    const daysOf = (name: keyof typeof parts) => {
      const { ts } = parts[name].events.table;
      const days = new Set([...ts].map((at) => Number(format.format(new Date(Number(at / 1_000_000n))))));
      return [...days].sort((a, b) => a - b);
    };
    expect(daysOf('train')).toEqual([2, 3, 4, 5, 7, 8, 9]);
    expect(daysOf('calibrate')).toEqual([10]);
    expect(daysOf('test')).toEqual([6, 11, 12, 13]);
  }, 60_000);

  test('a store is gone on with where it holds nothing but these files, wherever they lie', async () => {
    const store = join(folder, 'again');
    const whole = await findE3Parts(join(folder, 'e3'), 'cadets', 'threatrace');
    // Stopped after training.
    await ingestFiles(whole.train, { store, split: 'train', threads: 0 });
    const moved = join(folder, 'moved');
    await cp(join(folder, 'e3'), moved, { recursive: true });
    const found = await findE3Parts(moved, 'cadets', 'threatrace');
    await placeE3(found, { folder: store, threads: 0 });
    const { manifest } = await Store.open(store);
    await placeE3(found, { folder: store, threads: 0 });
    expect((await Store.open(store)).manifest).toEqual(manifest);
  }, 60_000);

  test.each([
    ['longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('\n')])],
    [
      'of the same length',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/0/, '1'), 'latin1'),
    ],
  ])(
    'a store of other data is refused before anything is read: a file that is %s',
    async (name, change) => {
      const store = join(folder, `store ${name}`);
      const data = join(folder, name);
      await cp(join(folder, 'e3'), data, { recursive: true });
      const found = await findE3Parts(data, 'cadets', 'threatrace');
      await ingestFiles(found.test, { store, split: 'test', threads: 0 });
      const [changed] = found.test;
      await writeFile(changed, change(await readFile(changed)));
      const { manifest } = await Store.open(store);
      await expect(placeE3(found, { folder: store, threads: 0 })).rejects.toMatchObject({
        code: 'store-other-data',
        message: expect.stringContaining(changed),
        hint: expect.stringContaining(`remove ${store} `),
      });
      expect((await Store.open(store)).manifest).toEqual(manifest);
    },
    60_000,
  );
});
