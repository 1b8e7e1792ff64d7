import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestFiles } from '../../../src/store/ingest.js';
import { repairStore } from '../../../src/store/integrity/repair.js';
import { Store, StoreWriter } from '../../../src/store/store.js';
import { filesBelow, newFolder } from '../../folders.js';
import { DAY, eventLine, eventsOf, MIDNIGHT, writeLog } from '../small-logs.js';

const first = [eventLine(), eventLine({ ts: MIDNIGHT + 1n })];

async function storeOf(folder: string): Promise<string> {
  const store = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'first.ndjson', first)], { store, threads: 0 });
  return store;
}

/** Moves the segments of another store into this one and fails when the manifest is written, as on a full disk. */
async function failToCommit(store: string, from: string): Promise<void> {
  const { segments } = (await Store.open(from)).manifest;
  const writer = await StoreWriter.open(store);
  const added = segments.map((segment) => ({
    ...segment,
    path: segment.path.replace(/0000\d-/, `0000${writer.manifest.nextIngest}-`),
  }));
  for (const [index, { path }] of added.entries()) {
    const staged = join(writer.stagingFolder, path);
    mkdirSync(dirname(staged), { recursive: true });
    cpSync(join(from, segments[index].path), staged);
  }
  // No manifest has such a number, so that it is refused after the segments were moved.
  const manifest = { ...writer.manifest, segments: added, nextFile: -1 };
  await expect(writer.commit(manifest, writer.stagingFolder, added)).rejects.toThrow();
  expect(filesBelow(store)).toContain(added[0].path);
  await writer.close();
}

test('a first commit that fails leaves nothing behind, and the next ingest creates the store', async () => {
  const folder = newFolder();
  const from = await storeOf(folder);
  const store = join(folder, 'new');
  await failToCommit(store, from);
  expect(existsSync(store)).toBe(false);
  await ingestFiles([join(folder, 'first.ndjson')], { store, threads: 0 });
  expect(await eventsOf(store)).toEqual(await eventsOf(from));
});

test('a later commit that fails leaves the store as it was, and is not in the way of the next', async () => {
  const folder = newFolder();
  const store = await storeOf(folder);
  const before = filesBelow(store);
  const manifest = readFileSync(join(store, 'manifest.json'), 'utf8');
  await failToCommit(store, await storeOf(newFolder()));
  expect(filesBelow(store)).toEqual(before);
  expect(readFileSync(join(store, 'manifest.json'), 'utf8')).toBe(manifest);
  const more = writeLog(folder, 'more.ndjson', [eventLine({ ts: MIDNIGHT + DAY })]);
  await ingestFiles([more], { store, threads: 0, append: true });
  expect(await eventsOf(store)).toHaveLength(3);
});

test('the copy of a first manifest that was never written is removed with its segments', async () => {
  const store = await storeOf(newFolder());
  const files = (await Store.open(store)).manifest.segments.map(({ path }) => path);
  rmSync(join(store, 'manifest.json'));
  writeFileSync(join(store, 'writer.journal'), JSON.stringify({ format: 'recal-journal', files }));
  await (await StoreWriter.open(store)).close();
  expect(filesBelow(store)).toEqual([]);
});

test('the copy of a manifest with segments of earlier writers stays when the manifest is lost', async () => {
  const store = await storeOf(newFolder());
  rmSync(join(store, 'manifest.json'));
  writeFileSync(join(store, 'writer.journal'), JSON.stringify({ format: 'recal-journal', files: [] }));
  await expect(StoreWriter.open(store)).rejects.toMatchObject({ code: 'store-unowned' });
  expect((await repairStore(store)).manifest).toBe('copy');
  expect(await eventsOf(store)).toHaveLength(2);
});
