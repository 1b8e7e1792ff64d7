import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type IngestOptions, ingestFiles } from '../../src/store/ingest.js';
import { Store, StoreWriter } from '../../src/store/store.js';
import { answer, recal } from '../cli/recal-process.js';
import { filesBelow, newFolder, sharedFolder } from '../folders.js';
import {
  cdmEvent,
  cdmLine,
  DAY,
  entitiesOf,
  eventLine,
  eventsOf,
  file,
  MIDNIGHT,
  uuid,
  writeLog,
} from './small-logs.js';

/** Creates a folder with a store `store` that contains one file, `first.ndjson`. */
async function withStore(options: Partial<IngestOptions> = {}) {
  const folder = newFolder();
  const store = join(folder, 'store');
  const first = writeLog(folder, 'first.ndjson', [
    eventLine({ obj: file('f', { name: '/first' }) }),
    eventLine({ ts: MIDNIGHT + 1n, rel: 'EVENT_EXIT' }),
  ]);
  const added = await ingestFiles([first], { store, threads: 0, ...options });
  return { folder, store, first, added };
}

/** The content, inode and modification time of each file in a folder. */
function fingerprint(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesBelow(folder).map((name) => {
      const path = join(folder, name);
      const { ino, mtimeNs } = statSync(path, { bigint: true });
      return [name, `${ino} ${mtimeNs} ${readFileSync(path).toString('base64')}`];
    }),
  );
}

const other = (folder: string, ts = MIDNIGHT + 5n) =>
  writeLog(folder, 'second.ndjson', [eventLine({ ts, rel: 'EVENT_WRITE', obj: file('g') })]);

describe('known content', () => {
  test('changes nothing and gives the counts of the first ingest', async () => {
    const { store, first, added } = await withStore();
    const before = fingerprint(store);
    const again = await ingestFiles([first], { store, threads: 0 });
    expect(again).toEqual({ ...added, status: 'unchanged', known: [first] });
    expect(fingerprint(store)).toEqual(before);
  });

  test('is known under another name, with or without --append', async () => {
    const { folder, store, first } = await withStore();
    const before = fingerprint(store);
    const copy = join(folder, 'copy.json');
    copyFileSync(first, copy);
    for (const append of [false, true]) {
      expect(await ingestFiles([copy], { store, append, threads: 0 })).toMatchObject({
        status: 'unchanged',
        known: [copy],
      });
    }
    expect(fingerprint(store)).toEqual(before);
  });

  test('is skipped if it comes with a new file', async () => {
    const { folder, store, first } = await withStore();
    const second = other(folder);
    const result = await ingestFiles([first, second], { store, append: true, threads: 0 });
    expect(result).toMatchObject({ status: 'added', events: 1, known: [first] });
    expect(result.files.map(({ name }) => name)).toEqual([second]);
    expect(await eventsOf(store)).toHaveLength(3);
  });

  test('of several ingests gives the sum of their counts', async () => {
    const { folder, store, first } = await withStore();
    const second = other(folder);
    await ingestFiles([second], { store, append: true, threads: 0 });
    const together = await ingestFiles([first, second], { store: join(folder, 'both'), threads: 0 });
    const again = await ingestFiles([first, second], { store, threads: 0 });
    expect(again).toEqual({ ...together, status: 'unchanged', known: [first, second] });
    expect(again.events).toBe(3);
  });

  test('counts once if it occurs twice in one run', async () => {
    const { folder, store, first } = await withStore();
    const [second, copy] = [other(folder), join(folder, 'third.ndjson')];
    copyFileSync(second, copy);
    const result = await ingestFiles([second, copy], { store, append: true, threads: 0 });
    expect(result).toMatchObject({ status: 'added', events: 1, known: [copy] });
    expect(await eventsOf(store)).toHaveLength(3);
    expect(await ingestFiles([first, second, copy], { store, threads: 0 })).toMatchObject({
      status: 'unchanged',
    });
  });

  test('is not a file of the same size with other content', async () => {
    const { folder, store, first } = await withStore();
    const twin = join(folder, 'twin.ndjson');
    writeFileSync(twin, readFileSync(first, 'utf8').replace('EVENT_EXIT', 'EVENT_EXEC'));
    expect(statSync(twin).size).toBe(statSync(first).size);
    await expect(ingestFiles([twin], { store, threads: 0 })).rejects.toMatchObject({
      code: 'store-not-empty',
    });
  });
});

describe('new content', () => {
  test('is refused without --append, and nothing changes', async () => {
    const { folder, store } = await withStore();
    const before = fingerprint(store);
    await expect(ingestFiles([other(folder)], { store, threads: 0 })).rejects.toMatchObject({
      code: 'store-not-empty',
      message: expect.stringContaining('second.ndjson'),
    });
    expect(fingerprint(store)).toEqual(before);
  });

  test('is added with --append, and existing segments stay unchanged', async () => {
    const { folder, store } = await withStore();
    const { 'manifest.json': manifest, 'manifest.backup.json': _copy, ...segments } = fingerprint(store);
    const result = await ingestFiles([other(folder)], { store, append: true, threads: 0 });
    expect(result).toMatchObject({ status: 'added', events: 1, relations: { EVENT_WRITE: 1 } });
    const after = fingerprint(store);
    expect(after).toMatchObject(segments); // content, inode and time
    expect(after['manifest.json']).not.toBe(manifest);
    expect((await eventsOf(store)).map(({ ts }) => ts - MIDNIGHT)).toEqual([0n, 1n, 5n]);
    const { manifest: now } = await Store.open(store);
    expect(now.ingests.map(({ number, files }) => [number, files.map((entry) => entry.number)])).toEqual([
      [1, [1]],
      [2, [2]],
    ]);
  });

  test('creates a store with --append too', async () => {
    const folder = newFolder();
    const store = join(folder, 'deep/er/store');
    await ingestFiles([other(folder)], { store, append: true, threads: 0 });
    expect(await eventsOf(store)).toHaveLength(1);
  });

  test('gets new numbers after old days were dropped', async () => {
    const { folder, store } = await withStore();
    const writer = await StoreWriter.open(store);
    await writer.drop(() => false);
    await writer.close();
    await ingestFiles([other(folder, MIDNIGHT + DAY)], { store, append: true, threads: 0 });
    const { manifest } = await Store.open(store);
    expect(manifest.segments.every(({ ingest }) => ingest === 2)).toBe(true);
    expect(manifest.ingests.map(({ files }) => files[0].number)).toEqual([1, 2]);
    expect(await eventsOf(store)).toHaveLength(1);
  });
});

describe('splits', () => {
  test('known content in another split is refused', async () => {
    const { store, first } = await withStore({ split: 'train' });
    const before = fingerprint(store);
    await expect(
      ingestFiles([first], { store, split: 'test', append: true, threads: 0 }),
    ).rejects.toMatchObject({
      code: 'already-ingested',
      message: expect.stringContaining('split train'),
    });
    expect(fingerprint(store)).toEqual(before);
    expect(await ingestFiles([first], { store, split: 'train', threads: 0 })).toMatchObject({
      status: 'unchanged',
    });
    expect(await ingestFiles([first], { store, threads: 0 })).toMatchObject({ status: 'unchanged' });
  });

  test('known content without a split is refused with a split', async () => {
    const { store, first } = await withStore();
    await expect(ingestFiles([first], { store, split: 'train', threads: 0 })).rejects.toMatchObject({
      code: 'already-ingested',
    });
  });
});

describe('all or nothing', () => {
  const bad: [string, string, (folder: string) => string][] = [
    ['a file of another format', 'unknown-format', (folder) => writeLog(folder, 'b.txt', ['hello'])],
    ['an empty file', 'empty-input', (folder) => writeLog(folder, 'b.json', [])],
    [
      'a file of malformed lines only',
      'nothing-read',
      (folder) => writeLog(folder, 'b.json', ['{"ts":"1"}']),
    ],
    ['a missing file', 'ENOENT', (folder) => join(folder, 'nosuch.json')],
  ];
  test.each(bad)('after a good file, %s: nothing is added', async (_what, code, make) => {
    const { folder, store } = await withStore();
    const before = fingerprint(store);
    const files = code === 'nothing-read' ? [make(folder)] : [other(folder), make(folder)];
    const options = { store, append: true, threads: 0, format: code === 'nothing-read' ? 'ndjson' : 'auto' };
    await expect(ingestFiles(files, options)).rejects.toMatchObject({ code });
    expect(fingerprint(store)).toEqual(before);
    expect(existsSync(join(store, 'staging'))).toBe(false);
    expect(await ingestFiles([other(folder)], { store, append: true, threads: 0 })).toMatchObject({
      events: 1,
    });
  });

  test('a malformed line in the second file with --strict: nothing is added', async () => {
    const { folder, store } = await withStore();
    const before = fingerprint(store);
    const broken = writeLog(folder, 'broken.ndjson', [eventLine({ ts: MIDNIGHT + 9n }), '{"ts":']);
    await expect(
      ingestFiles([other(folder), broken], { store, append: true, strict: true, threads: 0 }),
    ).rejects.toMatchObject({ code: 'malformed-line', where: { file: broken, line: 2 } });
    expect(fingerprint(store)).toEqual(before);
  });

  test('an abort while reading: nothing is added, and the lock is released', async () => {
    const { folder, store } = await withStore();
    const before = fingerprint(store);
    const controller = new AbortController();
    controller.abort();
    await expect(
      ingestFiles([other(folder)], { store, append: true, signal: controller.signal, threads: 0 }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(fingerprint(store)).toEqual(before);
  });
});

test('names of built-in object properties are counted, and the store opens again', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  const names = ['constructor', 'toString', 'hasOwnProperty'];
  const log = writeLog(
    folder,
    'log.ndjson',
    names.map((kind) => eventLine({ rel: kind, obj: file(kind, { kind }) })),
  );
  const { entities, relations } = await ingestFiles([log], { store, threads: 0 });
  expect(entities.bySourceType).toEqual({ process: 1, constructor: 1, toString: 1, hasOwnProperty: 1 });
  expect(relations).toEqual({ constructor: 1, toString: 1, hasOwnProperty: 1 });
  expect((await Store.open(store)).manifest.ingests[0].summary.relations).toEqual(relations);
});

test('the summary of a small CDM log is complete', async () => {
  const folder = newFolder();
  const [p, q, f] = [uuid(1), uuid(2), uuid(3)];
  const log = writeLog(folder, 'log.json', [
    cdmLine('Subject', { uuid: p, type: 'SUBJECT_PROCESS', cid: 7 }),
    cdmEvent({ ts: MIDNIGHT + 1n, subject: p, object: f, path: '/a', exec: 'sh' }),
    cdmEvent({ ts: MIDNIGHT, subject: p, object: q, type: 'EVENT_FORK' }),
    cdmLine('FileObject', { uuid: f, type: 'FILE_OBJECT_FILE', baseObject: {} }),
    cdmEvent({ ts: MIDNIGHT + 2n, subject: p, type: 'EVENT_EXIT' }),
    cdmLine('TimeMarker', { tsNanos: 1 }),
    '{"datum":',
  ]);
  const result = await ingestFiles([log], { store: join(folder, 'store'), split: 'train', threads: 0 });
  const { problems, files, ...counts } = result;
  expect(counts).toEqual({
    status: 'added',
    dropped: 0,
    grown: [],
    readings: ['EXIT', 'FORK', 'READ'].map((name) => ({
      relation: `EVENT_${name}`,
      action: name.toLowerCase(),
      in: 0,
      out: 0,
      unset: 1,
    })),
    identities: { users: 0, sessions: 0, containers: 0, units: 0 },
    events: 3,
    edges: { total: 2, secondObject: 0 },
    noObject: 1,
    unresolved: 1,
    entities: {
      total: 3,
      byType: { process: 1, file: 1, other: 1 },
      placeholders: 1,
      bySourceType: { SUBJECT_PROCESS: 1, FILE_OBJECT_FILE: 1, '<undefined>': 1 },
    },
    relations: { EVENT_EXIT: 1, EVENT_FORK: 1, EVENT_READ: 1 },
    records: { Event: 3, FileObject: 1, Subject: 1, TimeMarker: 1 },
    losses: [],
    malformed: 1,
    merged: {},
    skipped: { TimeMarker: 1 },
    repaired: {},
    outOfOrder: 1,
    lines: 7,
    known: [],
    firstTs: String(MIDNIGHT),
    lastTs: String(MIDNIGHT + 2n),
  });
  expect(problems).toMatchObject([{ file: log, line: 7 }]);
  expect(files).toMatchObject([
    {
      number: 1,
      name: log,
      bytes: statSync(log).size,
      sources: [{ format: 'cdm', timeUnit: 'ns', lines: 7 }],
    },
  ]);
});

test('--host replaces the hosts in the log', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  const log = writeLog(folder, 'log.ndjson', [
    eventLine({ host: 'a' }),
    eventLine({ host: 'b', obj: file('f') }),
  ]);
  await ingestFiles([log], { store, host: 'mine', threads: 0 });
  expect(new Set((await entitiesOf(store)).map(({ host }) => host))).toEqual(new Set(['mine']));
  expect(new Set((await eventsOf(store)).map(({ subject }) => subject))).toHaveProperty('size', 1);
});

// Threads need the built program, and a log of several blocks.
describe('a process with threads', () => {
  const folder = sharedFolder();
  const log = join(folder, 'log.json');
  const runs = [
    ['inline', '0'],
    ['threads', '2'],
    ['again', '2'],
  ];
  const results: Record<string, unknown>[] = [];

  beforeAll(async () => {
    const lines: string[] = [];
    for (let i = 0; i < 40_000; i++) {
      const subject = uuid(i % 97);
      const object = uuid(1000 + ((i * 7919) % 5003));
      if (i % 10 === 0) lines.push(cdmLine('FileObject', { uuid: object, type: 'FILE_OBJECT_FILE' }));
      const ts = MIDNIGHT - 1_000_000n + BigInt((i * 31) % 5000) * 1000n; // out of order, with ties, over midnight
      lines.push(cdmEvent({ ts, subject, object, path: `/data/${i % 613}`, exec: `worker-${i % 13}` }));
    }
    writeLog(folder, 'log.json', lines);
    expect(statSync(log).size).toBeGreaterThan(3 * (4 << 20));
    for (const [name, threads] of runs) {
      const ended = await recal([
        'ingest',
        log,
        '--store',
        join(folder, name),
        '--threads',
        threads,
        '--json',
      ]);
      results.push({ ...answer(ended), seconds: undefined });
    }
  });

  test('gives the same result with none and with two', async () => {
    expect(results[0]).toMatchObject({ events: 40_000, status: 'added', malformed: 0 });
    expect(results[1]).toEqual(results[0]);
    const [inline, threads] = [join(folder, 'inline'), join(folder, 'threads')];
    expect(await eventsOf(threads)).toEqual(await eventsOf(inline));
    expect(await entitiesOf(threads)).toEqual(await entitiesOf(inline));
  });

  test('writes the same manifest and segments to three folders', () => {
    const bytes = ([name]: string[]) =>
      Object.entries(fingerprint(join(folder, name))).map(([path, text]) => [path, text.split(' ')[2]]);
    const [inline, threads, again] = runs.map(bytes);
    expect(inline.length).toBeGreaterThan(3);
    expect(again).toEqual(threads);
    expect(threads).toEqual(inline);
  });
});

test('a store in a read-only folder can be read', async () => {
  const { store } = await withStore();
  spawnSync('chmod', ['-R', 'a-w', store]);
  try {
    expect(await eventsOf(store)).toHaveLength(2);
    expect(await entitiesOf(store)).toHaveLength(2);
  } finally {
    spawnSync('chmod', ['-R', 'u+w', store]);
  }
});
