import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { ingestFiles } from '../../src/store/ingest.js';
import { loadEvents } from '../../src/store/load.js';
import { emptyManifest, replaceManifest, type Segment } from '../../src/store/manifest.js';
import { Store, StoreWriter } from '../../src/store/store.js';
import { filesBelow, newFolder } from '../folders.js';
import { DAY, entitiesOf, eventLine, eventsOf, file, MIDNIGHT, writeLog } from './small-logs.js';

/** Creates a store from these log lines. */
async function storeOf(...lines: string[]): Promise<string> {
  const folder = newFolder();
  const store = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store, threads: 0 });
  return store;
}

const days = (segments: readonly Segment[]) =>
  segments.map(({ host, day, rows }) => `${host} ${day} ${rows}`);

describe('segments', () => {
  test('events are stored by host and day, exact to the nanosecond', async () => {
    const store = await storeOf(
      eventLine({ ts: MIDNIGHT - 1n, host: 'a' }),
      eventLine({ ts: MIDNIGHT, host: 'a' }),
      eventLine({ ts: MIDNIGHT + DAY - 1n, host: 'a' }),
      eventLine({ ts: MIDNIGHT + DAY, host: 'a' }),
      eventLine({ ts: MIDNIGHT, host: 'b' }),
    );
    const { manifest } = await Store.open(store);
    const events = manifest.segments.filter(({ kind }) => kind === 'events');
    expect(days(events)).toEqual(['a 2018-04-05 1', 'a 2018-04-06 2', 'a 2018-04-07 1', 'b 2018-04-06 1']);
    expect(events.map(({ path }) => path.split('/').slice(0, 3).join('/'))).toEqual([
      'events/a/2018-04-05',
      'events/a/2018-04-06',
      'events/a/2018-04-07',
      'events/b/2018-04-06',
    ]);
    expect(events[1]).toMatchObject({
      firstTs: String(MIDNIGHT),
      lastTs: String(MIDNIGHT + DAY - 1n),
      bytes: statSync(join(store, events[1].path)).size,
    });
    expect((await eventsOf(store)).map(({ ts }) => ts)).toEqual([
      MIDNIGHT - 1n,
      MIDNIGHT,
      MIDNIGHT,
      MIDNIGHT + DAY - 1n,
      MIDNIGHT + DAY,
    ]);
  });

  test('a store contains only its segments and a manifest', async () => {
    const store = await storeOf(eventLine());
    const { manifest } = await Store.open(store);
    expect(filesBelow(store)).toEqual(
      ['manifest.backup.json', 'manifest.json', ...manifest.segments.map(({ path }) => path)].sort(),
    );
  });

  test('segments have plain columns that any Parquet reader can read', async () => {
    const store = await Store.open(await storeOf(eventLine({ obj: file('f') })));
    const database = await DuckDBInstance.create(':memory:');
    const connection = await database.connect();
    const columns = async (kind: Segment['kind']) => {
      const [segment] = store.segments(kind);
      const result = await connection.runAndReadAll(
        `SELECT name, type, coalesce(logical_type, converted_type) FROM parquet_schema($1) WHERE num_children IS NULL`,
        [store.path(segment)],
      );
      return result.getRows().map(([name, type, logical]) => `${name} ${type} ${logical ?? ''}`.trim());
    };
    const events = await columns('events');
    expect(events.map((column) => column.split(' ').slice(0, 2).join(' '))).toEqual([
      'ts INT64',
      'seq INT64',
      'host BYTE_ARRAY',
      'subject FIXED_LEN_BYTE_ARRAY',
      'relation BYTE_ARRAY',
      'action BYTE_ARRAY',
      'object FIXED_LEN_BYTE_ARRAY',
      'object2 FIXED_LEN_BYTE_ARRAY',
      'flow BYTE_ARRAY',
      'ok BOOLEAN',
      'attrs BYTE_ARRAY',
      'file INT32',
      'line INT32',
    ]);
    expect(events[3]).toMatch(/uuid/i);
    expect((await columns('entities')).map((column) => column.split(' ')[0])).toEqual([
      'host',
      'entity',
      'id',
      'type',
      'kind',
      'name',
      'name_rank',
      'cmd',
      'pid',
      'parent',
      'principal',
      'local',
      'session',
      'container',
      'unit',
      'first_ts',
      'first_seq',
      'last_ts',
      'last_seq',
    ]);
    database.closeSync();
  });
});

describe('a host may have any name', () => {
  const long = 'x'.repeat(256);
  test.each([
    ['a path outside the folder', '../../etc'],
    ['an absolute path', '/etc/passwd'],
    ['dots', '..'],
    ['control characters', 'a\u0001\n\r\t\u001b[2Jb\u007f\u009b'],
    ['quotes', `'; DROP TABLE events; --`],
    ['double quotes and a backslash', '"\\'],
    ['256 characters', long],
    ['shell expansions', '$(touch /tmp/x) *?[a]'],
    ['a built-in object property', 'constructor'],
    ['the prototype property', '__proto__'],
    ['other scripts and bidi', 'сервер-主机-\u202egnp.exe'],
    ['a Windows device', 'CON'],
    ['a space at the end', 'host '],
  ])('%s', async (_what, host) => {
    const store = await storeOf(eventLine({ host, obj: file('f', { name: '/x' }) }));
    for (const { path } of (await Store.open(store)).manifest.segments) {
      expect(resolve(store, path).startsWith(resolve(store) + sep)).toBe(true);
      expect(path).toMatch(/^(events|entities)(\/[A-Za-z0-9][\w.-]{0,79})+\.parquet$/);
      expect(existsSync(join(store, path))).toBe(true);
    }
    const loaded = await loadEvents(await Store.open(store), { host });
    expect(loaded.hosts).toEqual([host]);
    expect(loaded.table.length).toBe(1);
    expect((await entitiesOf(store)).map((entity) => entity.host)).toEqual([host, host]);
  });

  test('hosts with similar folder names stay distinct', async () => {
    const hosts = ['a/b', 'a_b', 'a:b', 'A_B'];
    const store = await storeOf(...hosts.map((host) => eventLine({ host })));
    expect((await loadEvents(await Store.open(store))).hosts).toEqual([...hosts].sort());
    for (const host of hosts) expect(await eventsOf(store, { host })).toHaveLength(1);
  });
});

describe('folders that are not a store', () => {
  test('a missing folder is an error', async () => {
    await expect(Store.open(join(newFolder(), 'nosuch'))).rejects.toMatchObject({ code: 'no-store' });
    await expect(StoreWriter.open(newFolder(), { create: false })).rejects.toMatchObject({
      code: 'no-store',
    });
  });

  test('writing to a folder with other files is refused and changes nothing', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'thesis.tex'), 'x');
    await expect(StoreWriter.open(folder)).rejects.toMatchObject({
      code: 'not-a-store',
      message: expect.stringContaining('thesis.tex'),
    });
    expect(readdirSync(folder)).toEqual(['thesis.tex']);
  });

  test('writing to a file is refused and changes nothing', async () => {
    const path = join(newFolder(), 'file');
    writeFileSync(path, 'x');
    await expect(StoreWriter.open(path)).rejects.toMatchObject({ code: 'not-a-store' });
    expect(readFileSync(path, 'utf8')).toBe('x');
  });

  test.each([4, 0])('a store of version %i is not changed', async (version) => {
    const folder = await storeOf(eventLine());
    const path = join(folder, 'manifest.json');
    const other = readFileSync(path, 'utf8').replace('"version": 3', `"version": ${version}`);
    writeFileSync(path, other);
    const before = filesBelow(folder);
    await expect(Store.open(folder)).rejects.toMatchObject({ code: 'store-version' });
    await expect(StoreWriter.open(folder)).rejects.toMatchObject({ code: 'store-version' });
    expect(filesBelow(folder)).toEqual(before);
    expect(readFileSync(path, 'utf8')).toBe(other);
  });

  test('the remains of a killed first ingest are removed, not refused', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'staging/1-x/events'), { recursive: true });
    mkdirSync(join(folder, 'events/h/2018-04-06'), { recursive: true });
    writeFileSync(join(folder, 'events/h/2018-04-06/00001-0001.parquet'), 'half');
    writeFileSync(join(folder, 'manifest.json.new'), '{"format"');
    writeFileSync(
      join(folder, 'writer.journal'),
      JSON.stringify({ format: 'recal-journal', files: ['events/h/2018-04-06/00001-0001.parquet'] }),
    );
    await (await StoreWriter.open(folder)).close();
    expect(filesBelow(folder)).toEqual([]);
    expect(existsSync(join(folder, 'staging'))).toBe(false);
  });
});

test('an open store does not change while a writer adds events', async () => {
  const folder = await storeOf(eventLine());
  const open = await Store.open(folder);
  const more = writeLog(newFolder(), 'more.ndjson', [eventLine({ ts: MIDNIGHT + 1n })]);
  await ingestFiles([more], { store: folder, append: true, threads: 0 });
  expect((await loadEvents(open)).table.length).toBe(1);
  expect(await eventsOf(folder)).toHaveLength(2);
});

describe('dropping old days', () => {
  const lines = [
    eventLine({ ts: MIDNIGHT - 1n, obj: file('f', { name: '/old' }) }),
    eventLine({ ts: MIDNIGHT }),
    eventLine({ ts: MIDNIGHT + DAY }),
  ];

  test('removes their events and files, and keeps entities, later days and numbers', async () => {
    const folder = await storeOf(...lines);
    const writer = await StoreWriter.open(folder);
    const dropped = await writer.drop(({ day }) => day === null || day >= '2018-04-06');
    await writer.close();
    expect(days(dropped)).toEqual(['h 2018-04-05 1']);
    expect(existsSync(join(folder, dropped[0].path))).toBe(false);
    expect((await eventsOf(folder)).map(({ ts }) => ts)).toEqual([MIDNIGHT, MIDNIGHT + DAY]);
    expect((await entitiesOf(folder)).find(({ id }) => id === 'f')?.name).toBe('/old');
    const { manifest } = await Store.open(folder);
    expect([manifest.nextIngest, manifest.nextFile]).toEqual([2, 2]);
    expect(filesBelow(folder)).toEqual(
      ['manifest.backup.json', 'manifest.json', ...manifest.segments.map(({ path }) => path)].sort(),
    );
  });

  test('does not change the manifest if nothing is dropped', async () => {
    const folder = await storeOf(...lines);
    const path = join(folder, 'manifest.json');
    const before = statSync(path, { bigint: true });
    const writer = await StoreWriter.open(folder);
    expect(await writer.drop(() => true)).toEqual([]);
    await writer.close();
    expect(statSync(path, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
  });

  test('leaves an empty store that can be read if everything is dropped', async () => {
    const folder = await storeOf(...lines);
    const writer = await StoreWriter.open(folder);
    await writer.drop(({ day }) => day === null);
    await writer.close();
    expect(await eventsOf(folder)).toEqual([]);
  });
});

describe('host globs', () => {
  /** Whether the glob selects a host of this name. */
  async function selects(glob: string, host: string): Promise<boolean> {
    const folder = newFolder();
    const segment: Segment = {
      kind: 'entities',
      path: 'entities/h/00001-0001.parquet',
      ingest: 1,
      host,
      day: null,
      rows: 1,
      bytes: 1,
      firstTs: null,
      lastTs: null,
    };
    await replaceManifest(folder, { ...emptyManifest(), segments: [segment] });
    return (await Store.open(folder)).segments('entities', { host: glob }).length === 1;
  }

  test.each([
    ['*', 'anything', true],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['web-?', 'web-1', true],
    ['web-?', 'web-10', false],
    ['web-*', 'web-', true],
    ['*.example', 'a.b.example', true],
    ['*.example', 'a.example.org', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbYbZ', false],
    ['a.c', 'abc', false],
    ['(a+)+$', '(a+)+$', true],
    ['[ab]', 'a', false],
    ['*?', '', false],
    ['**', 'x', true],
  ])('%j on %j: %j', async (glob, host, expected) => {
    expect(await selects(glob, host)).toBe(expected);
  });

  test('no glob takes exponential time', async () => {
    const started = performance.now();
    expect(await selects(`${'*a'.repeat(50)}b`, 'a'.repeat(5000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
