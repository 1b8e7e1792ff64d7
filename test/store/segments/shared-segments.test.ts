import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { readNodeAttributes } from '../../../src/graph/node-attributes.js';
import { dropDays } from '../../../src/store/drop-days.js';
import { exportEvents } from '../../../src/store/export.js';
import { readFileStarts } from '../../../src/store/file-starts.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { repairStore } from '../../../src/store/integrity/repair.js';
import { verifyStore } from '../../../src/store/integrity/verify-store.js';
import { LiveIngest } from '../../../src/store/live/live-ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { replaceManifest } from '../../../src/store/manifest.js';
import { readStatements } from '../../../src/store/statements.js';
import { type Selection, Store, StoreWriter } from '../../../src/store/store.js';
import { recal } from '../../cli/recal-process.js';
import { filesBelow, newFolder, sharedFolder } from '../../folders.js';
import { flipBit } from '../integrity/flip-bit.js';
import { DAY, entitiesOf, eventLine, eventsOf, file, MIDNIGHT, process, writeLog } from '../small-logs.js';

interface SmallEvent {
  host: number;
  day: number;
  at: number;
  object: number;
  name: number;
}

const HOSTS = 12;
const nameOf = (host: number) => `h${host}`;
const lineOf = ({ host, day, at, object, name }: SmallEvent, index: number) =>
  eventLine({
    ts: MIDNIGHT + BigInt(day) * DAY + BigInt(at),
    seq: index,
    host: nameOf(host),
    subj: process(`p${object % 2}`, { name: `program-${name}` }),
    obj: file(`f${object}`, { name: `/tmp/${name}` }),
  });

/** A store of a log whose hosts share segments, or of one ingest for each host, where none does. */
async function storeOf(events: readonly SmallEvent[], shared: boolean): Promise<string> {
  const folder = newFolder();
  const store = join(folder, 'store');
  const lines = events.map(lineOf);
  if (shared) {
    await ingestFiles([writeLog(folder, 'all.ndjson', lines)], { store, threads: 0 });
    return store;
  }
  for (let host = 0; host < HOSTS; host++) {
    const own = lines.filter((_, index) => events[index].host === host);
    if (own.length === 0) continue;
    await ingestFiles([writeLog(folder, `${host}.ndjson`, own)], { store, threads: 0, append: true });
  }
  return store;
}

async function contentOf(folder: string, selection: Selection = {}) {
  const store = await Store.open(folder);
  const lines: string[] = [];
  const statements: unknown[] = [];
  for await (const statement of readStatements(store, { host: selection.host, until: 2n ** 62n })) {
    statements.push(statement);
  }
  const segments = store.segments('events', selection);
  if (segments.length === 0) return { segments, statements };
  for await (const line of exportEvents(store, selection)) lines.push(line);
  const loaded = await loadEvents(store, selection);
  const attributes: string[] = [];
  for await (const batch of readNodeAttributes(store, loaded))
    for (const { node, name } of batch)
      attributes.push(JSON.stringify([loaded.hosts[loaded.keys.hostAt(node)], loaded.uuid(node), name]));
  const rows = segments.map(({ host, day, rows, firstTs, lastTs }) =>
    JSON.stringify([host, day, rows, firstTs, lastTs]),
  );
  return {
    lines,
    statements,
    rows: rows.sort(),
    hosts: loaded.hosts,
    events: await eventsOf(folder, selection),
    entities: await entitiesOf(folder, selection),
    attributes: attributes.sort(),
  };
}

/** Four events of each of 12 hosts on two days; the first host has events only on the first day. */
const events: SmallEvent[] = Array.from({ length: HOSTS * 4 }, (_, i) => {
  const host = i % HOSTS;
  const turn = Math.floor(i / HOSTS);
  return { host, day: host === 0 || turn < 2 ? 0 : 1, at: i, object: turn + 4 * host, name: host };
});
let shared: string;
let apart: string;

beforeAll(async () => {
  const folder = sharedFolder();
  shared = join(folder, 'shared');
  apart = join(folder, 'apart');
  const log = writeLog(folder, 'all.ndjson', events.map(lineOf));
  await ingestFiles([log], { store: shared, threads: 0 });
  for (let host = 0; host < HOSTS; host++) {
    const own = events.map(lineOf).filter((_, index) => events[index].host === host);
    const path = writeLog(folder, `${host}.ndjson`, own);
    await ingestFiles([path], { store: apart, threads: 0, append: true });
  }
});

async function copyOfShared(): Promise<string> {
  const folder = newFolder();
  const store = join(folder, 'store');
  const log = writeLog(folder, 'all.ndjson', events.map(lineOf));
  await ingestFiles([log], { store, threads: 0 });
  return store;
}

async function drop(store: string, before: string) {
  const writer = await StoreWriter.open(store, { create: false });
  try {
    return await dropDays(writer, before);
  } finally {
    await writer.close();
  }
}

test('small hosts of a day share a segment, and the manifest names them', async () => {
  const { manifest } = await Store.open(shared);
  expect(manifest.segments.map(({ path, host, rows, hosts }) => [path, host, rows, hosts?.length])).toEqual([
    ['events/shared/2018-04-06/00001-0001.parquet', null, 26, 12],
    ['events/shared/2018-04-07/00001-0002.parquet', null, 22, 11],
    ['entities/shared/00001-0003.parquet', null, 72, 12],
  ]);
  expect(manifest.segments[0].hosts?.slice(0, 2)).toEqual([
    { host: 'h0', rows: 4, firstTs: String(MIDNIGHT), lastTs: String(MIDNIGHT + 36n) },
    { host: 'h1', rows: 2, firstTs: String(MIDNIGHT + 1n), lastTs: String(MIDNIGHT + 13n) },
  ]);
});

test.each<Selection>([
  {},
  { host: 'h3' },
  { host: 'h1*' },
  { host: 'h0', from: MIDNIGHT + DAY },
  { from: MIDNIGHT + 20n, to: MIDNIGHT + DAY + 30n },
  { host: 'h[25]', to: MIDNIGHT + 15n },
])('a selection %o reads what segments of single hosts give', async (selection) => {
  expect(await contentOf(shared, selection)).toEqual(await contentOf(apart, selection));
});

test('the start of a file is that of the selected hosts', async () => {
  const store = await Store.open(shared);
  expect([...(await readFileStarts(store, { host: 'h7' })).values()]).toEqual([MIDNIGHT + 7n]);
});

test('any log reads the same from shared segments and from those of single hosts', async () => {
  const event = fc.record({
    host: fc.nat(HOSTS - 1),
    day: fc.nat(2),
    at: fc.nat(3),
    object: fc.nat(3),
    name: fc.nat(2),
  });
  const everyHost = Array.from({ length: HOSTS }, (_, host) => ({ host, day: 0, at: 0, object: 0, name: 0 }));
  const selection = fc.record({
    host: fc.option(fc.constantFrom('h1', 'h1*', 'h?', '*'), { nil: undefined }),
    from: fc.option(fc.constantFrom(MIDNIGHT + 2n, MIDNIGHT + DAY), { nil: undefined }),
    to: fc.option(fc.constantFrom(MIDNIGHT + DAY + 2n, MIDNIGHT + 2n * DAY), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), selection, async (some, chosen) => {
      const all = [...everyHost, ...some];
      const [one, other] = [await storeOf(all, true), await storeOf(all, false)];
      expect((await Store.open(one)).manifest.segments.some(({ host }) => host === null)).toBe(true);
      expect(await contentOf(one, chosen)).toEqual(await contentOf(other, chosen));
      expect(await drop(one, '2018-04-07')).toMatchObject(
        pick(await drop(other, '2018-04-07'), ['events', 'statements']),
      );
      expect(await contentOf(one, chosen)).toEqual(await contentOf(other, chosen));
      expect((await verifyStore(one)).damaged).toEqual([]);
    }),
    { numRuns: 6, seed: 7 },
  );
}, 300_000);

function pick<T, K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<T, K>;
}

// Threads need the built program.
test('threads do not change a byte of shared segments', async () => {
  const store = join(newFolder(), 'store');
  const log = writeLog(newFolder(), 'all.ndjson', events.map(lineOf));
  expect((await recal(['ingest', log, '--store', store, '--threads', '2', '--quiet'])).code).toBe(0);
  for (const { path } of (await Store.open(shared)).manifest.segments) {
    expect(readFileSync(join(store, path)).equals(readFileSync(join(shared, path)))).toBe(true);
  }
});

test('what is dropped of one host leaves the other hosts of the segment as they were', async () => {
  const store = await copyOfShared();
  const entities = await entitiesOf(store);
  const later = await eventsOf(store, { from: MIDNIGHT + DAY });
  const before = (await Store.open(store)).manifest;
  expect(await drop(store, '2018-04-07')).toMatchObject({ segments: 1, events: 26 });
  expect(await eventsOf(store)).toEqual(later);
  // Only the first host has no event left; of the others, what their kept events refer to stays.
  expect(await entitiesOf(store, { host: 'h0' })).toEqual([]);
  const kept = new Set((await entitiesOf(store)).map(({ host, id }) => `${host}/${id}`));
  expect([...kept].some((key) => key.startsWith('h5/'))).toBe(true);
  expect(await entitiesOf(store)).toEqual(entities.filter(({ host, id }) => kept.has(`${host}/${id}`)));
  const { segments } = (await Store.open(store)).manifest;
  const [rewritten] = segments.filter(({ kind }) => kind === 'entities');
  expect(rewritten.hosts?.map(({ host }) => host)).not.toContain('h0');
  expect(rewritten.path).not.toBe(before.segments[2].path);
  expect(await verifyStore(store)).toMatchObject({ damaged: [], unlisted: [] });
  expect(filesBelow(store)).toHaveLength(2 + segments.length);
});

test('hosts without a dropped day keep all their statements in a shared segment', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  const lines = Array.from({ length: 10 }, (_, host) =>
    eventLine({ ts: MIDNIGHT + (host === 0 ? 0n : DAY), host: nameOf(host), obj: file(`f${host}`) }),
  );
  // Stated before the first event of the log, and named by no event.
  lines.unshift(JSON.stringify({ entity: { id: 'unused', type: 'file' }, host: 'h5' }));
  await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store, threads: 0 });
  const before = await entitiesOf(store);
  await drop(store, '2018-04-07');
  expect(await entitiesOf(store)).toEqual(before.filter(({ host }) => host !== 'h0'));
});

test('damage of a shared segment is found, and repair continues without it', async () => {
  const store = await copyOfShared();
  const [first] = (await Store.open(store)).manifest.segments;
  flipBit(join(store, first.path), 500);
  expect((await verifyStore(store)).damaged).toMatchObject([
    { reason: 'checksum', segment: { path: first.path } },
  ]);
  await expect(eventsOf(store, { host: 'h4' })).rejects.toMatchObject({
    code: 'segment-damaged',
    message: expect.stringContaining('26 events of 12 hosts'),
  });
  expect(await repairStore(store)).toMatchObject({ segments: 2, events: 22 });
  expect(await eventsOf(store)).toEqual(await eventsOf(shared, { from: MIDNIGHT + DAY }));
  expect((await verifyStore(store)).setAside).toMatchObject([{ path: first.path, host: null }]);
});

test('a lost manifest is rebuilt with the hosts of shared segments', async () => {
  const store = await copyOfShared();
  const { segments } = (await Store.open(store)).manifest;
  for (const name of ['manifest.json', 'manifest.backup.json']) flipBit(join(store, name), 8 * 30);
  expect(await repairStore(store)).toMatchObject({ manifest: 'rebuilt', events: events.length });
  const byPath = (all: typeof segments) => [...all].sort((a, b) => (a.path < b.path ? -1 : 1));
  expect(byPath((await Store.open(store)).manifest.segments)).toEqual(byPath(segments));
  expect(await eventsOf(store, { host: 'h8' })).toEqual(await eventsOf(shared, { host: 'h8' }));
});

test('appended files have shared segments of their own', async () => {
  const store = await copyOfShared();
  const more = events.map((event) => ({ ...event, day: 2 }));
  const log = writeLog(newFolder(), 'more.ndjson', more.map(lineOf));
  await ingestFiles([log], { store, threads: 0, append: true, split: 'more' });
  expect(await eventsOf(store, { to: MIDNIGHT + 2n * DAY })).toEqual(await eventsOf(shared));
  expect(await eventsOf(store, { split: 'more', host: 'h2' })).toHaveLength(4);
  expect(await eventsOf(store, { host: 'h2' })).toHaveLength(8);
});

test('a manifest whose hosts do not have all rows of a segment is refused', async () => {
  const store = await copyOfShared();
  const path = join(store, 'manifest.json');
  const { manifest } = await Store.open(store);
  const segments = manifest.segments.map((segment) => ({ ...segment, hosts: segment.hosts?.slice(1) }));
  await expect(replaceManifest(store, { ...manifest, segments })).rejects.toThrow('rows of each host');
  expect(readFileSync(path, 'utf8')).toContain('"h0"');
});

test('small commits of many hosts become shared segments when they are merged', async () => {
  const store = join(newFolder(), 'store');
  const live = await LiveIngest.open(store);
  const lines = events.map(lineOf);
  for (let from = 0; from < lines.length; from += 16) {
    const bytes = Buffer.from(`${lines.slice(from, from + 16).join('\n')}\n`);
    const chunk = { log: 'l', name: 'log.ndjson', linesBefore: from, bytes };
    const part = { source: 's', chunks: [chunk], position: from, idle: true };
    await live.append([part], { futureAfter: 2n ** 62n });
  }
  await live.compact();
  await live.close();
  const { segments } = (await Store.open(store)).manifest;
  expect(segments.map(({ kind, host, rows, hosts }) => [kind, host, rows, hosts?.length])).toEqual([
    ['entities', null, 72, 12],
    ['events', null, 26, 12],
    ['events', null, 22, 11],
  ]);
  for (const selection of [{}, { host: 'h4' }, { from: MIDNIGHT + DAY }]) {
    expect(await contentOf(store, selection)).toEqual(await contentOf(shared, selection));
  }
  expect(await verifyStore(store)).toMatchObject({ damaged: [], unlisted: [] });
});
