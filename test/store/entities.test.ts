import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownEntity } from '../../src/store/entities.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { Store } from '../../src/store/store.js';
import { newFolder } from '../folders.js';
import {
  cdmEvent,
  cdmLine,
  entitiesOf,
  entityLine,
  eventLine,
  file,
  MIDNIGHT,
  process,
  uuid,
  writeLog,
} from './small-logs.js';

/** The entities of a store after these logs were added one after another. */
async function merged(...logs: string[][]): Promise<KnownEntity[]> {
  const folder = newFolder();
  const store = join(folder, 'store');
  for (const [index, lines] of logs.entries()) {
    await ingestFiles([writeLog(folder, `${index}.json`, lines)], { store, append: true, threads: 0 });
  }
  return entitiesOf(store);
}

async function mergedOne(id: string, ...logs: string[][]): Promise<KnownEntity | undefined> {
  return (await merged(...logs)).find((entity) => entity.id === id);
}

const at = (moment: number) => MIDNIGHT + BigInt(moment);
const [p, q, f] = [uuid(1), uuid(2), uuid(3)];

describe('late binding', () => {
  const use = cdmEvent({ ts: at(0), subject: p, object: f });
  const definition = [
    cdmLine('Subject', { uuid: p, type: 'SUBJECT_PROCESS', cid: 42, parentSubject: q, cmdLine: 'sh -c x' }),
    cdmLine('FileObject', {
      uuid: f,
      type: 'FILE_OBJECT_UNIX_SOCKET',
      baseObject: { properties: { map: { path: '/run/x' } } },
    }),
  ];
  const expected = [
    { id: p, type: 'process', kind: 'SUBJECT_PROCESS', pid: 42, parent: q, cmd: 'sh -c x' },
    { id: f, type: 'file', kind: 'FILE_OBJECT_UNIX_SOCKET', name: '/run/x' },
  ];

  test.each([
    ['before its first use', [[...definition, use]]],
    ['after its first use', [[use, ...definition]]],
    ['in a later file', [[use], [...definition, cdmEvent({ ts: at(9), subject: q })]]],
    ['in an earlier file', [[...definition, cdmEvent({ ts: at(9), subject: q })], [use]]],
  ])('an entity defined %s', async (_where, logs) => {
    expect(await merged(...logs)).toMatchObject(expected);
  });

  test('an entity that is never defined is counted as a placeholder and has the name from its events', async () => {
    const folder = newFolder();
    const store = join(folder, 'store');
    const log = writeLog(folder, 'log.json', [
      cdmEvent({ ts: at(0), subject: p, object: f, path: '/etc/motd' }),
      cdmEvent({ ts: at(1), subject: p, object: q }),
    ]);
    const { entities, unresolved } = await ingestFiles([log], { store, threads: 0 });
    expect(entities).toEqual({
      total: 3,
      byType: { other: 3 },
      bySourceType: { '<undefined>': 3 },
      placeholders: 3,
    });
    expect(unresolved).toBe(2);
    expect(await entitiesOf(store)).toMatchObject([
      { id: f, type: 'other', name: '/etc/motd', kind: undefined },
    ]);
  });

  test('an entity without events is kept', async () => {
    expect(await merged([entityLine(file('/lonely', { name: '/lonely' })), eventLine()])).toMatchObject([
      { id: '/lonely', type: 'file', name: '/lonely' },
      { id: 'p' },
    ]);
  });
});

describe('names', () => {
  test('a stated path takes precedence over a later hint', async () => {
    const stated = cdmEvent({ ts: at(0), subject: p, object: f, path: '/etc/passwd' });
    const hint = cdmEvent({ ts: at(5), subject: p, object: f, partialPath: 'passwd' });
    for (const logs of [[[stated, hint]], [[hint, stated]], [[stated], [hint]], [[hint], [stated]]]) {
      expect(await mergedOne(f, ...logs)).toMatchObject({ name: '/etc/passwd' });
    }
  });

  test('a hint is used if there is no other name', async () => {
    const hint = cdmEvent({ ts: at(0), subject: p, object: f, partialPath: 'passwd' });
    expect(await mergedOne(f, [hint])).toMatchObject({ name: 'passwd' });
  });

  test('the address of a flow takes precedence over a path in an event', async () => {
    const flow = cdmLine('NetFlowObject', {
      uuid: f,
      localAddress: '10.0.0.1',
      localPort: 1,
      remoteAddress: '10.0.0.2',
      remotePort: 443,
    });
    const event = cdmEvent({ ts: at(5), subject: p, object: f, path: '/sock' });
    for (const logs of [[[flow, event]], [[event, flow]], [[event], [flow]]]) {
      expect(await mergedOne(f, ...logs)).toMatchObject({
        type: 'flow',
        name: '10.0.0.2:443',
        local: '10.0.0.1:1',
      });
    }
  });

  test.each([
    ['in one file', [[0, 1, 2]]],
    ['in three files', [[0], [1], [2]]],
    ['in three files, the latest first', [[2], [1], [0]]],
    ['out of order in one file', [[2, 0, 1]]],
  ])('the latest of several names is used: %s', async (_what, groups) => {
    const events = ['login', 'sh', 'nginx'].map((exec, moment) =>
      cdmEvent({ ts: at(moment), subject: p, object: f, exec }),
    );
    const logs = groups.map((group) => group.map((index) => events[index]));
    expect(await mergedOne(p, ...logs)).toMatchObject({ name: 'nginx' });
  });

  test('the sequence decides between names of the same time', async () => {
    const named = (name: string, seq: number) => eventLine({ ts: at(0), seq, subj: process('p', { name }) });
    expect(await mergedOne('p', [named('b', 2), named('z', 1)])).toMatchObject({ name: 'b' });
    expect(await mergedOne('p', [named('z', 1)], [named('b', 2)])).toMatchObject({ name: 'b' });
  });

  test('<unknown> is not used as a name', async () => {
    const events = [
      cdmEvent({ ts: at(0), subject: p, object: f, path: '/a' }),
      cdmEvent({ ts: at(1), subject: p, object: f, path: '<unknown>' }),
    ];
    expect(await mergedOne(f, events)).toMatchObject({ name: '/a' });
  });

  test('hostile names are stored unchanged', async () => {
    const names = [
      `'; DROP TABLE events; --`,
      '\u001b[2J\u0007\u202e',
      'a\u0000b',
      '\\"',
      'x'.repeat(100_000),
      '😀\u{10ffff}',
    ];
    const lines = names.map((name, index) => eventLine({ obj: file(`f${index}`, { name }) }));
    const found = (await merged(lines)).filter(({ type }) => type === 'file');
    expect(found.map(({ name }) => name)).toEqual(names);
  });
});

describe('properties', () => {
  test('each property has its latest value', async () => {
    const log = [
      eventLine({ ts: at(0), subj: process('p', { name: 'sh', cmd: 'sh -c a', pid: 7, kind: 'A' }) }),
      eventLine({ ts: at(1), subj: process('p', { cmd: 'sh -c b', user: 'root', parent: uuid(9) }) }),
      eventLine({ ts: at(2), subj: process('p', { kind: 'B' }) }),
    ];
    expect(await mergedOne('p', log)).toMatchObject({
      name: 'sh',
      cmd: 'sh -c b',
      pid: 7,
      kind: 'B',
      parent: uuid(9),
    });
  });

  test('UUIDs ignore case, other identifiers do not', async () => {
    const log = [
      eventLine({ subj: process(p.toLowerCase()), obj: file('{Guid-1}') }),
      eventLine({ subj: process(p), obj: file('{guid-1}') }),
    ];
    expect((await merged(log)).map(({ id }) => id).sort()).toEqual([p, '{Guid-1}', '{guid-1}'].sort());
  });
});

test('records in one split also name the entities of another', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  const use = writeLog(folder, 'use.json', [cdmEvent({ ts: at(0), subject: p, object: f })]);
  const define = writeLog(folder, 'define.json', [
    cdmEvent({ ts: at(9), subject: p, object: f, path: '/late', exec: 'x' }),
  ]);
  await ingestFiles([use], { store, split: 'train', threads: 0 });
  await ingestFiles([define], { store, split: 'test', append: true, threads: 0 });
  expect(await entitiesOf(store, { split: 'train' })).toMatchObject([
    { id: p, name: 'x' },
    { name: '/late' },
  ]);
});

test('entities can be selected by host', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  const log = writeLog(folder, 'log.ndjson', [
    eventLine({ host: 'web-1', subj: process('a') }),
    eventLine({ host: 'mail', subj: process('b') }),
  ]);
  await ingestFiles([log], { store, threads: 0 });
  expect((await entitiesOf(store, { host: 'web-*' })).map(({ host, id }) => `${host}/${id}`)).toEqual([
    'web-1/a',
  ]);
  expect(await entitiesOf(store, { host: 'nosuch' })).toEqual([]);
});

test('merging does not depend on the order of upserts or files', async () => {
  // All at the same time, so that every property has ties.
  const upsert = fc
    .record(
      {
        type: fc.constantFrom('process' as const, 'file' as const),
        kind: fc.constantFrom('A', 'B'),
        name: fc.constantFrom('a', 'b'),
        cmd: fc.constantFrom('a', 'b'),
        pid: fc.constantFrom(1, 2),
        local: fc.constantFrom('a', 'b'),
        parent: fc.constantFrom(p, q),
      },
      { requiredKeys: ['type'] },
    )
    .map((properties) => entityLine({ id: 'x', ...properties }));
  const logs = fc.uniqueArray(fc.array(upsert, { minLength: 1, maxLength: 3 }), {
    minLength: 2,
    maxLength: 3,
    selector: (lines: string[]) => lines.join('\n'),
  });
  await fc.assert(
    fc.asyncProperty(logs, async (files) => {
      const folder = newFolder();
      const paths = files.map((lines, index) => writeLog(folder, `${index}.ndjson`, lines));
      const stores = ['one', 'two'].map((name) => join(folder, name));
      const one = await ingestFiles(paths, { store: stores[0], threads: 0 });
      for (const path of paths.toReversed())
        await ingestFiles([path], { store: stores[1], append: true, threads: 0 });
      expect(await entitiesOf(stores[1])).toEqual(await entitiesOf(stores[0]));
      const again = await ingestFiles(paths, { store: stores[1], threads: 0 });
      expect(again.entities).toEqual(one.entities);
      const { manifest } = await Store.open(stores[1]);
      expect(manifest.ingests).toHaveLength(paths.length);
    }),
    { numRuns: 12, seed: 7 },
  );
});
