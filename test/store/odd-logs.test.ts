import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { escapeGlob, openDuckDB } from '../../src/store/duckdb.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { loadEvents } from '../../src/store/load.js';
import { Store, StoreWriter } from '../../src/store/store.js';
import { built } from '../built.js';
import { filesBelow, newFolder } from '../folders.js';
import { tar } from '../ingest/sources/tar-archive.js';
import {
  cdmEvent,
  entitiesOf,
  entityLine,
  eventLine,
  eventsOf,
  file,
  MIDNIGHT,
  process,
  uuid,
  writeLog,
} from './small-logs.js';

const event = (id: string, more: object = {}) =>
  JSON.stringify({ ...JSON.parse(eventLine({ obj: file(id) })), ...more });
const bytes = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));

describe('archives', () => {
  test('attributes of one member do not multiply the events of another', async () => {
    const folder = newFolder();
    const archive = join(folder, 'a.tar');
    const members = ['1', '2', '3'].map((id) => ({
      name: `${id}.ndjson`,
      data: bytes(event(id, { attrs: { member: id } })),
    }));
    writeFileSync(archive, tar(...members));
    const store = join(folder, 'store');
    const { events } = await ingestFiles([archive], { store, threads: 0 });
    expect(events).toBe(3);
    expect(await eventsOf(store)).toHaveLength(3);
    const database = await openDuckDB();
    const [path] = filesBelow(store).filter((name) => name.startsWith('events/'));
    const connection = await database.connect();
    const found = await connection.runAndReadAll('SELECT attrs, line FROM read_parquet($1) ORDER BY line', [
      escapeGlob(join(store, path)),
    ]);
    expect(found.getRows()).toEqual(['1', '2', '3'].map((id) => [`{"member":"${id}"}`, Number(id)]));
    database.closeSync();
  });

  test('an empty member is skipped', async () => {
    const folder = newFolder();
    const archive = join(folder, 'b.tar');
    writeFileSync(archive, tar({ name: 'zero.ndjson' }, { name: 'one.ndjson', data: bytes(event('f')) }));
    const { events } = await ingestFiles([archive], { store: join(folder, 'store'), threads: 0 });
    expect(events).toBe(1);
  });
});

describe('folders with glob characters', () => {
  test.each([
    ['st[1]', 'st1'],
    ['logs (2020?)', 'logs (2020x)'],
    ['a*b', 'a-b'],
    ['[!x]', 'y'],
  ])('%s does not match %s', async (name, other) => {
    const folder = newFolder();
    for (const [store, ids] of [
      [name, ['1']],
      [other, ['2', '3']],
    ] as const) {
      mkdirSync(join(folder, store));
      const log = writeLog(
        folder,
        `${ids.length}.ndjson`,
        ids.map((id) => event(id)),
      );
      await ingestFiles([log], { store: join(folder, store), threads: 0 });
    }
    expect(await eventsOf(join(folder, name))).toHaveLength(1);
    expect((await entitiesOf(join(folder, name))).map(({ id }) => id)).toEqual(['1', 'p']);
  });
});

test.each(['relation=EVIL', 'ts=5', 'name=evil', 'type=file', 'host=web'])(
  'a folder named %s does not become a column',
  async (name) => {
    const folder = newFolder();
    const log = writeLog(folder, 'log.ndjson', [event('1')]);
    const [odd, plain] = [join(folder, name), join(folder, 'plain')];
    const [one, other] = [
      await ingestFiles([log], { store: odd, threads: 0 }),
      await ingestFiles([log], { store: plain, threads: 0 }),
    ];
    expect(one.entities).toEqual(other.entities);
    expect(await eventsOf(odd)).toEqual(await eventsOf(plain));
    expect(await entitiesOf(odd)).toEqual(await entitiesOf(plain));
  },
);

test('a path with a backslash and a glob character is refused', async () => {
  const folder = newFolder();
  const log = writeLog(folder, 'log.ndjson', [event('1')]);
  const store = join(folder, 'back\\[x]');
  await expect(ingestFiles([log], { store, threads: 0 })).rejects.toMatchObject({ code: 'store-place' });
});

describe('times and symbols at their limits', () => {
  test('the first and the last 64-bit time are stored', async () => {
    const folder = newFolder();
    const times = [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n];
    const log = writeLog(
      folder,
      'log.ndjson',
      times.map((ts) => eventLine({ ts, obj: file('f') })),
    );
    const store = join(folder, 'store');
    await ingestFiles([log], { store, threads: 0 });
    expect((await eventsOf(store)).map(({ ts }) => ts)).toEqual(times);
    const days = (await Store.open(store)).segments('events').map(({ day }) => day);
    expect(days.sort()).toEqual(['1677-09-21', '1969-12-31', '1970-01-01', '2262-04-11']);
  });

  test('a type that consists of its package only is kept', async () => {
    const folder = newFolder();
    const log = writeLog(folder, 'log.json', [
      cdmEvent({ ts: MIDNIGHT, subject: uuid(1), object: uuid(2), type: 'com.bbn.tc.schema.avro.' }),
    ]);
    const store = join(folder, 'store');
    await ingestFiles([log], { store, threads: 0 });
    expect((await eventsOf(store)).map(({ relation }) => relation)).toEqual(['com.bbn.tc.schema.avro.']);
  });

  test.each([0, 2])('thousands of relations are all read, with %i threads', async (threads) => {
    const { ingestFiles }: typeof import('../../src/store/ingest.js') = await import(
      built('store/ingest.js')
    );
    const folder = newFolder();
    // Long enough for several blocks, so that every thread reads some.
    const lines = Array.from({ length: 60_000 }, (_, i) =>
      event('f', { rel: `EVENT_${i % 12_000}`, attrs: { filling: 'x'.repeat(100) } }),
    );
    const log = writeLog(folder, 'log.ndjson', lines);
    const read = await ingestFiles([log], { store: join(folder, 'store'), threads });
    expect(read).toMatchObject({ events: 60_000, malformed: 0 });
    expect(Object.keys(read.relations)).toHaveLength(12_000);
  });

  test('long names of relations, hosts and kinds are shortened, stay distinct, and are counted', async () => {
    const folder = newFolder();
    const long = (letter: string) => `${'x'.repeat(40_000)}${letter}`;
    const lines = [
      ...[...'abcdefghi'].map((letter) => event('f', { rel: long(letter) })),
      event('f', { host: long('H') }),
      entityLine({ id: 'f', type: 'file', kind: long('k') }),
      ...Array.from({ length: 100 }, (_, i) => event('f', { rel: `ORDINARY_${i}` })),
    ];
    const store = join(folder, 'store');
    const read = await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store, threads: 0 });
    expect(read).toMatchObject({ events: 110, malformed: 0, repaired: { longWord: 11 } });
    const relations = Object.keys(read.relations);
    expect(relations).toHaveLength(9 + 100 + 1);
    for (const relation of relations) expect(relation.length).toBeLessThanOrEqual(256);
    for (const { host } of (await Store.open(store)).segments('events')) {
      expect(host.length).toBeLessThanOrEqual(256);
    }
  });

  test('names of built-in object properties are counted, also after the manifest is read again', async () => {
    const folder = newFolder();
    const names = ['__proto__', 'constructor', 'toString'];
    const log = writeLog(
      folder,
      'log.ndjson',
      names.map((rel) => event('f', { rel })),
    );
    const store = join(folder, 'store');
    await ingestFiles([log], { store, threads: 0 });
    await ingestFiles([writeLog(folder, 'more.ndjson', [event('g')])], { store, threads: 0, append: true });
    const { manifest } = await Store.open(store);
    expect(Object.entries(manifest.ingests[0].summary.relations).sort()).toEqual(
      names.map((name) => [name, 1]).sort(),
    );
  });

  test('the first record after a byte order mark is read', async () => {
    const folder = newFolder();
    const log = join(folder, 'log.ndjson');
    writeFileSync(log, Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes(event('1'), event('2'))]));
    const read = await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
    expect(read).toMatchObject({ events: 2, malformed: 0 });
  });
});

test('the latest name of an entity does not depend on block boundaries', async () => {
  const folder = newFolder();
  const filling = Array.from({ length: 6000 }, (_, i) =>
    entityLine(file(`x${i}`, { name: `/${'z'.repeat(900)}` })),
  );
  const log = writeLog(folder, 'log.ndjson', [
    eventLine({ seq: 10, subj: process('p', { name: 'old' }), obj: file('f') }),
    ...filling,
    entityLine(process('p', { name: 'renamed' })),
  ]);
  for (const maxLine of [1 << 20, 8 << 20]) {
    const store = join(folder, String(maxLine));
    await ingestFiles([log], { store, threads: 0, maxLine });
    const [{ name }] = (await entitiesOf(store)).filter(({ id }) => id === 'p');
    expect(name).toBe('renamed');
  }
});

test('reading segments that were dropped in the meantime is an error', async () => {
  const folder = newFolder();
  const path = join(folder, 'store');
  await ingestFiles([writeLog(folder, 'log.ndjson', [event('f')])], { store: path, threads: 0 });
  const store = await Store.open(path);
  const writer = await StoreWriter.open(path);
  await writer.drop(() => false);
  await writer.close();
  await expect(loadEvents(store)).rejects.toMatchObject({ code: 'store-changed' });
  rmSync(path, { recursive: true });
});
