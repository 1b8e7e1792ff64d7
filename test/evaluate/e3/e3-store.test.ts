import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findE3Files } from '../../../src/evaluate/e3/e3-files.js';
import { ingestE3 } from '../../../src/evaluate/e3/e3-store.js';
import { openSplits } from '../../../src/evaluate/protocol/splits.js';
import { simulate } from '../../../src/simulate/simulate.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { Store } from '../../../src/store/store.js';
import { sharedFolder } from '../../folders.js';

// The smallest number of events that gives every file some. Names and dates are those of the release.
const folder = sharedFolder();
beforeAll(async () => {
  await simulate({ scenario: 'freebsd-server', layout: 'e3', events: 36_000, out: join(folder, 'e3') });
});

describe('ingestE3', () => {
  test('MAGIC: calibration begins at a file near the end of training', async () => {
    const found = await findE3Files(join(folder, 'e3'), 'cadets', 'magic');
    const { sources } = await ingestE3(found, { folder: join(folder, 'files'), threads: 0 });
    const splits = await openSplits(sources);
    expect(splits.train.last).toBeLessThan(splits.calibrate.first);
    expect(splits.train.last).toBeLessThan(splits.test.first);
    expect(splits.calibrate.last).toBeGreaterThan(splits.test.first); // official-2.json.1 is later than official-2.json
    expect(new Set(splits.calibrate.events.files).size).toBe(1);
  });

  test('PIDSMaker: splits by days of US/Eastern, even if they are not adjacent', async () => {
    const found = await findE3Files(join(folder, 'e3'), 'cadets', 'pidsmaker');
    const { sources } = await ingestE3(found, { folder: join(folder, 'days'), threads: 0 });
    const splits = await openSplits(sources);
    const format = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', day: 'numeric' });
    const daysOf = (name: keyof typeof splits) => {
      const { ts } = splits[name].events.table;
      const days = new Set([...ts].map((at) => Number(format.format(new Date(Number(at / 1_000_000n))))));
      return [...days].sort((a, b) => a - b);
    };
    expect(daysOf('train')).toEqual([2, 3, 4, 5, 7, 8, 9]);
    expect(daysOf('calibrate')).toEqual([10]);
    expect(daysOf('test')).toEqual([6, 11, 12, 13]);
  });

  test('continues a store that holds only these files, even if they have moved', async () => {
    const store = join(folder, 'again');
    const whole = await findE3Files(join(folder, 'e3'), 'cadets', 'threatrace');
    // Stopped after training.
    await ingestFiles(whole.train, { store, split: 'train', threads: 0 });
    const moved = join(folder, 'moved');
    await cp(join(folder, 'e3'), moved, { recursive: true });
    const found = await findE3Files(moved, 'cadets', 'threatrace');
    await ingestE3(found, { folder: store, threads: 0 });
    const { manifest } = await Store.open(store);
    await ingestE3(found, { folder: store, threads: 0 });
    expect((await Store.open(store)).manifest).toEqual(manifest);
  });

  test.each([
    ['longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('\n')])],
    [
      'of the same length',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(/0/, '1'), 'latin1'),
    ],
  ])(
    'refuses a store with other data before reading: a file that is %s',
    async (name, change) => {
      const store = join(folder, `store ${name}`);
      const data = join(folder, name);
      await cp(join(folder, 'e3'), data, { recursive: true });
      const found = await findE3Files(data, 'cadets', 'threatrace');
      await ingestFiles(found.test, { store, split: 'test', threads: 0 });
      const [changed] = found.test;
      await writeFile(changed, change(await readFile(changed)));
      const { manifest } = await Store.open(store);
      await expect(ingestE3(found, { folder: store, threads: 0 })).rejects.toMatchObject({
        code: 'store-other-data',
        message: expect.stringContaining(changed),
        hint: expect.stringContaining(`remove ${store} `),
      });
      expect((await Store.open(store)).manifest).toEqual(manifest);
    },
    60_000,
  );
});
