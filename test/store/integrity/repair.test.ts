import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestFiles } from '../../../src/store/ingest.js';
import { repairStore } from '../../../src/store/integrity/repair.js';
import { verifyStore } from '../../../src/store/integrity/verify-store.js';
import { Store, StoreWriter } from '../../../src/store/store.js';
import { runHere } from '../../cli/run-here.js';
import { filesBelow, newFolder, sharedFolder } from '../../folders.js';
import { DAY, entitiesOf, eventLine, eventsOf, file, MIDNIGHT, writeLog } from '../small-logs.js';
import { flipBit } from './flip-bit.js';

const folder = sharedFolder();
const good = join(folder, 'store');

beforeAll(async () => {
  const first = writeLog(folder, 'first.ndjson', [
    eventLine({ obj: file('f', { name: '/first' }) }),
    eventLine({ ts: MIDNIGHT + DAY, rel: 'EVENT_WRITE', obj: file('g', { name: '/second' }) }),
  ]);
  const second = writeLog(folder, 'second.ndjson', [eventLine({ ts: MIDNIGHT + 2n * DAY, host: 'i' })]);
  await ingestFiles([first], { store: good, split: 'train', threads: 0 });
  await ingestFiles([second], { store: good, split: 'test', append: true, threads: 0 });
});

function copy(): string {
  const store = join(newFolder(), 'store');
  cpSync(good, store, { recursive: true });
  return store;
}

describe('a store without its manifest', () => {
  test('is refused by every writer and left as it is', async () => {
    const store = copy();
    for (const name of ['manifest.json', 'manifest.backup.json']) rmSync(join(store, name));
    const before = filesBelow(store);
    await expect(StoreWriter.open(store)).rejects.toMatchObject({ code: 'manifest-missing' });
    await expect(Store.open(store)).rejects.toMatchObject({ code: 'manifest-missing' });
    expect(filesBelow(store)).toEqual(before);
  });

  test('is restored from the copy, with its splits', async () => {
    const store = copy();
    rmSync(join(store, 'manifest.json'));
    expect(await repairStore(store)).toMatchObject({ manifest: 'copy', damaged: [], moved: [] });
    expect(filesBelow(store)).toEqual(filesBelow(good));
    expect(readFileSync(join(store, 'manifest.json'))).toEqual(readFileSync(join(good, 'manifest.json')));
  });

  test('is rebuilt from its segments, with the same events and entities', async () => {
    const store = copy();
    for (const name of ['manifest.json', 'manifest.backup.json']) rmSync(join(store, name));
    expect(await repairStore(store)).toMatchObject({ manifest: 'rebuilt', damaged: [], events: 3 });
    expect(await eventsOf(store)).toEqual(await eventsOf(good));
    expect(await entitiesOf(store)).toEqual(await entitiesOf(good));
    const [rebuilt, original] = [await Store.open(store), await Store.open(good)];
    const sorted = (manifest: Store['manifest']) =>
      [...manifest.segments].sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(sorted(rebuilt.manifest)).toEqual(sorted(original.manifest));
    expect(rebuilt.manifest.nextIngest).toBe(original.manifest.nextIngest);
    expect(rebuilt.manifest.nextFile).toBe(original.manifest.nextFile);
    const more = writeLog(newFolder(), 'more.ndjson', [eventLine({ ts: MIDNIGHT + 5n })]);
    await ingestFiles([more], { store, append: true, threads: 0 });
    expect(await eventsOf(store)).toHaveLength(4);
  });

  test('without intact segments cannot be repaired, and is left as it is', async () => {
    const store = newFolder();
    mkdirSync(join(store, 'events/h/2018-04-06'), { recursive: true });
    writeFileSync(join(store, 'events/h/2018-04-06/00001-0001.parquet'), 'mine');
    await expect(repairStore(store)).rejects.toMatchObject({ code: 'store-damaged' });
    expect(filesBelow(store)).toEqual(['events/h/2018-04-06/00001-0001.parquet']);
  });
});

test('a damaged segment is set aside and named; the rest can be read', async () => {
  const store = copy();
  const [segment] = (await Store.open(store)).segments('events');
  flipBit(join(store, segment.path), 100);
  await expect(eventsOf(store)).rejects.toMatchObject({ code: 'segment-damaged' });
  const result = await repairStore(store);
  expect(result.damaged).toMatchObject([{ segment: { path: segment.path }, reason: 'checksum' }]);
  expect(result.moved).toEqual([`set-aside/${segment.path}`]);
  expect(await eventsOf(store)).toHaveLength(2);
  expect((await verifyStore(store)).setAside).toMatchObject([{ path: segment.path }]);
  const shown = await runHere(['export', '--store', store, '--out', join(newFolder(), 'out')], {
    cwd: store,
    env: {},
  });
  expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining(segment.path)]);
});

test('a damaged manifest is replaced by its copy, and kept aside', async () => {
  const store = copy();
  flipBit(join(store, 'manifest.json'), 8 * 200);
  expect(await repairStore(store)).toMatchObject({ manifest: 'copy', moved: ['set-aside/manifest.json'] });
  expect(await eventsOf(store)).toEqual(await eventsOf(good));
});

describe('files that recal did not write', () => {
  const FOREIGN = 'events/h/2018-04-06/00009-0001.parquet';

  test('in a folder without a manifest are never removed', async () => {
    const other = newFolder();
    for (const name of ['events/mine.parquet', 'entities/mine.parquet']) {
      mkdirSync(join(other, name, '..'), { recursive: true });
      writeFileSync(join(other, name), 'mine');
    }
    const ended = await runHere(['ingest', join(folder, 'first.ndjson'), '--store', other], {
      cwd: other,
      env: {},
    });
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('recal repair')]);
    expect(filesBelow(other)).toEqual(['entities/mine.parquet', 'events/mine.parquet']);
  });

  test('in a store are left where they are, and refused where the next segment goes', async () => {
    const store = copy();
    writeFileSync(join(store, 'events/mine.parquet'), 'mine');
    await (await StoreWriter.open(store)).close();
    expect(readFileSync(join(store, 'events/mine.parquet'), 'utf8')).toBe('mine');
    writeFileSync(join(store, FOREIGN), 'mine');
    await expect(StoreWriter.open(store)).rejects.toMatchObject({ code: 'store-unowned' });
    expect((await repairStore(store)).moved).toEqual([
      'set-aside/events/h/2018-04-06/00009-0001.parquet',
      'set-aside/events/mine.parquet',
    ]);
    expect(readFileSync(join(store, 'set-aside', FOREIGN), 'utf8')).toBe('mine');
    await (await StoreWriter.open(store)).close();
  });

  test.runIf(process.platform !== 'win32')('behind a link are never removed', async () => {
    const other = newFolder();
    mkdirSync(join(other, '2018-04-06'));
    writeFileSync(join(other, '2018-04-06/00001-0001.parquet'), 'mine');
    const store = newFolder();
    mkdirSync(join(store, 'events'));
    symlinkSync(other, join(store, 'events/h'));
    writeFileSync(
      join(store, 'writer.journal'),
      JSON.stringify({ format: 'recal-journal', files: ['events/h/2018-04-06/00001-0001.parquet'] }),
    );
    await (await StoreWriter.open(store)).close();
    expect(existsSync(join(other, '2018-04-06/00001-0001.parquet'))).toBe(true);
    const linked = copy();
    rmSync(join(linked, 'events'), { recursive: true });
    symlinkSync(other, join(linked, 'events'));
    await expect(StoreWriter.open(linked)).rejects.toMatchObject({ code: 'store-unowned' });
    expect(existsSync(join(other, '2018-04-06/00001-0001.parquet'))).toBe(true);
  });

  test('in a journal that is not recal’s are not removed', async () => {
    for (const journal of ['{"format":"recal-journal","files":["../mine.parquet"]}', '[]', 'x']) {
      const store = copy();
      writeFileSync(join(store, '../mine.parquet'), 'mine');
      writeFileSync(join(store, 'writer.journal'), journal);
      await expect(StoreWriter.open(store)).rejects.toMatchObject({ code: 'store-damaged' });
      expect(existsSync(join(store, '../mine.parquet'))).toBe(true);
      expect((await repairStore(store)).moved).toEqual(['set-aside/writer.journal']);
      await (await StoreWriter.open(store)).close();
    }
  });

  test('as a staging folder is set aside, not removed', async () => {
    const store = copy();
    mkdirSync(join(store, 'staging'));
    writeFileSync(join(store, 'staging/mine'), 'mine');
    await expect(StoreWriter.open(store)).rejects.toMatchObject({ code: 'store-unowned' });
    expect((await repairStore(store)).moved).toEqual(['set-aside/staging']);
    expect(readFileSync(join(store, 'set-aside/staging/mine'), 'utf8')).toBe('mine');
  });
});
