import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { ingestFiles } from '../../src/store/ingest.js';
import { verifyStore } from '../../src/store/integrity/verify-store.js';
import { loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { runHere } from '../cli/run-here.js';
import { newFolder } from '../folders.js';
import { flipBit } from './integrity/flip-bit.js';
import { entitiesOf, eventLine, eventsOf, file, MIDNIGHT, writeLog } from './small-logs.js';

const ADDED = { events: ['action'], entities: ['session', 'container', 'unit'] };

/** Turns a store into one that 0.1.0 wrote: version 1, without the columns and keys that came later. */
async function makeOld(folder: string): Promise<void> {
  const path = join(folder, 'manifest.json');
  const {
    state: _state,
    checksum: _checksum,
    setAside: _setAside,
    ...manifest
  } = JSON.parse(readFileSync(path, 'utf8'));
  for (const ingest of manifest.ingests) delete ingest.summary.losses;
  rmSync(join(folder, 'manifest.backup.json'));
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  for (const { path: segment, kind } of manifest.segments as { path: string; kind: keyof typeof ADDED }[]) {
    const at = join(folder, segment);
    await connection.run(
      `COPY (SELECT * EXCLUDE (${ADDED[kind].join(', ')}) FROM '${at}') TO '${at}.old' (FORMAT parquet)`,
    );
    renameSync(`${at}.old`, at);
  }
  database.closeSync();
  for (const segment of manifest.segments) {
    delete segment.sha256;
    segment.bytes = statSync(join(folder, segment.path)).size;
  }
  writeFileSync(path, JSON.stringify({ ...manifest, version: 1 }));
}

test('a store of 0.1.0 gets checksums with verify --add, which then find damage', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'log.ndjson', [eventLine({ obj: file('f') })])], { store, threads: 0 });
  await makeOld(store);
  const where = { cwd: folder, env: {} };
  const noted = await runHere(['export', '--store', store, '--out', join(folder, 'out')], where);
  expect([noted.code, noted.stderr]).toEqual([0, expect.stringContaining('have no checksum')]);
  expect(await verifyStore(store)).toMatchObject({ damaged: [], withoutChecksum: 2, added: 0 });
  expect(await verifyStore(store, { add: true })).toMatchObject({
    damaged: [],
    withoutChecksum: 0,
    added: 2,
  });
  expect(await verifyStore(store)).toMatchObject({ damaged: [], withoutChecksum: 0, backup: 'equal' });
  const [segment] = (await Store.open(store)).segments('events');
  flipBit(join(store, segment.path), 40);
  await expect(eventsOf(store)).rejects.toMatchObject({ code: 'segment-damaged' });
});

test('a damaged segment without a checksum is told as damage', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'log.ndjson', [eventLine({ obj: file('f') })])], { store, threads: 0 });
  await makeOld(store);
  const [segment] = (await Store.open(store)).segments('events');
  flipBit(join(store, segment.path), statSync(join(store, segment.path)).size * 8 - 8); // in the magic bytes
  expect((await verifyStore(store)).damaged).toMatchObject([{ reason: 'unreadable' }]);
  await expect(eventsOf(store)).rejects.toMatchObject({ code: 'segment-damaged' });
});

test('a store of 0.1.0 opens with the same content, and takes new files', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  const first = writeLog(folder, 'first.ndjson', [
    eventLine({ obj: file('f', { name: '/first' }) }),
    eventLine({ ts: MIDNIGHT + 1n, rel: 'EVENT_EXIT' }),
  ]);
  await ingestFiles([first], { store, threads: 0 });
  const [events, entities] = [await eventsOf(store), await entitiesOf(store)];
  const { table } = await loadEvents(await Store.open(store));
  await makeOld(store);
  expect((await Store.open(store)).manifest.version).toBe(1);
  expect(await eventsOf(store)).toEqual(events);
  expect(await entitiesOf(store)).toEqual(entities);
  expect((await loadEvents(await Store.open(store))).table).toEqual(table);
  const second = writeLog(folder, 'second.ndjson', [
    eventLine({ ts: MIDNIGHT + 5n, rel: 'EVENT_WRITE', obj: file('g', { name: '/second' }) }),
  ]);
  await ingestFiles([second], { store, threads: 0, append: true });
  const { manifest } = await Store.open(store);
  expect(manifest.version).toBe(3);
  expect((await loadEvents(await Store.open(store))).table).toHaveLength(events.length + 1);
});
