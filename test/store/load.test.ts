import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { ingestFiles } from '../../src/store/ingest.js';
import { loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { newFolder, sharedFolder } from '../folders.js';
import {
  CDM_HOST,
  cdmEvent,
  cdmLine,
  DAY,
  eventLine,
  eventsOf,
  file,
  MIDNIGHT,
  plainEvents,
  process,
  uuid,
  writeLog,
} from './small-logs.js';

describe('loaded events', () => {
  test('equal the log to the last digit', async () => {
    const folder = newFolder();
    const ts = 1_522_972_800_123_456_789n;
    const log = writeLog(folder, 'log.ndjson', [
      eventLine({ ts, seq: 7, subj: process(uuid(1)), obj: file(uuid(2)), flow: 'out', rel: 'EVENT_OPEN' }),
      eventLine({ ts: ts + 1n, subj: process(uuid(1)), obj: file(uuid(2)), obj2: file(uuid(3)), flow: 'in' }),
      eventLine({ ts: ts + 2n, subj: process(uuid(1).toLowerCase()), rel: 'EVENT_EXIT' }),
    ]);
    await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
    const [p, f, g] = [1, 2, 3].map((digits) => `h/${uuid(digits)}`);
    expect(await eventsOf(join(folder, 'store'))).toEqual([
      { ts, seq: 7n, relation: 'EVENT_OPEN', subject: p, object: f, object2: undefined, flow: 2 },
      { ts: ts + 1n, seq: 0n, relation: 'EVENT_READ', subject: p, object: f, object2: g, flow: 1 },
      {
        ts: ts + 2n,
        seq: 0n,
        relation: 'EVENT_EXIT',
        subject: p,
        object: undefined,
        object2: undefined,
        flow: 0,
      },
    ]);
  });

  test('are sorted by time, then sequence, then line', async () => {
    const folder = newFolder();
    const log = writeLog(folder, 'log.ndjson', [
      eventLine({ ts: MIDNIGHT + 2n, rel: 'LAST' }),
      eventLine({ ts: MIDNIGHT, seq: 9, rel: 'NINE' }),
      eventLine({ ts: MIDNIGHT, seq: 3, rel: 'THREE' }),
      eventLine({ ts: MIDNIGHT, seq: 3, rel: 'AFTER_THREE' }),
      eventLine({ ts: MIDNIGHT, seq: -1, rel: 'MINUS' }),
    ]);
    await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
    const relations = (await eventsOf(join(folder, 'store'))).map(({ relation }) => relation);
    expect(relations).toEqual(['MINUS', 'THREE', 'AFTER_THREE', 'NINE', 'LAST']);
  });

  test('have two nodes for the same identifier on two hosts', async () => {
    const folder = newFolder();
    const log = writeLog(folder, 'log.ndjson', [
      eventLine({ host: 'a', subj: process(uuid(1)) }),
      eventLine({ host: 'b', subj: process(uuid(1)) }),
    ]);
    await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
    const loaded = await loadEvents(await Store.open(join(folder, 'store')));
    expect(loaded.table.nodeCount).toBe(2);
    expect(new Set(plainEvents(loaded).map(({ subject }) => subject))).toEqual(
      new Set([`a/${uuid(1)}`, `b/${uuid(1)}`]),
    );
  });

  test('include the last nanosecond of the 64-bit range', async () => {
    const folder = newFolder();
    const ts = 2n ** 63n - 1n;
    const log = writeLog(folder, 'log.ndjson', [eventLine({ ts })]);
    await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
    expect((await eventsOf(join(folder, 'store'))).map((event) => event.ts)).toEqual([ts]);
  });
});

describe('selection', () => {
  // Three days of three hosts in two splits; one host has a name and an identifier.
  const folder = sharedFolder();
  const store = join(folder, 'store');
  const named = uuid(50);

  beforeAll(async () => {
    const host = (name: string) =>
      cdmLine('Host', { uuid: CDM_HOST, hostName: name, hostIdentifiers: [], hostType: 'HOST_SERVER' });
    const train = [
      writeLog(folder, 'train.json', [
        host('ta1-cadets-2'),
        cdmEvent({ ts: MIDNIGHT - 1n, subject: named, type: 'EVENT_CLOSE' }),
        cdmEvent({ ts: MIDNIGHT, subject: named, type: 'EVENT_OPEN' }),
      ]),
    ];
    const other = [writeLog(folder, 'other.ndjson', [eventLine({ ts: MIDNIGHT + 5n, host: 'web-1' })])];
    const late = [writeLog(folder, 'late.ndjson', [eventLine({ ts: MIDNIGHT + DAY, host: 'web-2' })])];
    await ingestFiles(train, { store, split: 'train', threads: 0 });
    await ingestFiles(other, { store, split: 'test', append: true, threads: 0 });
    await ingestFiles(late, { store, append: true, threads: 0 });
  });

  const chosen = async (selection: Parameters<typeof eventsOf>[1]) =>
    (await eventsOf(store, selection)).map(({ ts }) => Number(ts - MIDNIGHT));

  test.each([
    ['everything', {}, [-1, 0, 5, Number(DAY)]],
    ['a split', { split: 'train' }, [-1, 0]],
    ['another split', { split: 'test' }, [5]],
    ['a host by its identifier', { host: CDM_HOST }, [-1, 0]],
    ['a host by its name', { host: 'ta1-cadets-2' }, [-1, 0]],
    ['a glob of names', { host: 'ta1-*' }, [-1, 0]],
    ['a glob of identifiers', { host: 'web-?' }, [5, Number(DAY)]],
    ['an unknown host', { host: 'mail' }, []],
    ['from, inclusive', { from: MIDNIGHT }, [0, 5, Number(DAY)]],
    ['to, exclusive', { to: MIDNIGHT }, [-1]],
    ['from and to', { from: MIDNIGHT - 1n, to: MIDNIGHT + 5n }, [-1, 0]],
    ['a range without events', { from: MIDNIGHT + 1n, to: MIDNIGHT + 5n }, []],
    ['a range after the last event of a segment', { host: CDM_HOST, from: MIDNIGHT + 1n }, []],
    ['an empty range', { from: MIDNIGHT, to: MIDNIGHT }, []],
    ['split and host', { split: 'test', host: 'ta1-*' }, []],
    ['all fields', { split: 'train', host: '*', from: MIDNIGHT, to: MIDNIGHT + 1n }, [0]],
  ])('%s', async (_what, selection, expected) => {
    expect(await chosen(selection)).toEqual(expected);
  });

  test('an unknown split is an error that lists the known splits', async () => {
    const open = await Store.open(store);
    expect(open.splits).toEqual(['test', 'train']);
    await expect(loadEvents(open, { split: 'validate' })).rejects.toMatchObject({
      code: 'no-split',
      hint: expect.stringContaining('test, train'),
      exit: 2,
    });
  });
});

describe('the order of files does not matter', () => {
  // Few times, sequences and names, so that ties are frequent; several files share lines.
  const line = fc
    .record({
      ts: fc.nat(2).map((n) => MIDNIGHT + BigInt(n)),
      seq: fc.nat(1),
      host: fc.constantFrom('a', 'b'),
      rel: fc.constantFrom('EVENT_READ', 'EVENT_WRITE'),
      subj: fc.constantFrom(process('p'), process('q', { name: 'q' })),
      obj: fc.constantFrom(file('f'), file('g', { name: '/g' })),
    })
    .map(eventLine);
  const logs = fc.uniqueArray(fc.array(line, { minLength: 1, maxLength: 5 }), {
    minLength: 2,
    maxLength: 3,
    selector: (lines) => lines.join('\n'),
  });
  const shuffled = logs.chain((files) =>
    fc.tuple(
      fc.constant(files),
      fc.shuffledSubarray(
        files.map((_, index) => index),
        { minLength: files.length },
      ),
      fc.boolean(),
    ),
  );

  test('one ingest and several ingests in any order load the same table', async () => {
    await fc.assert(
      fc.asyncProperty(shuffled, async ([files, order, together]) => {
        const folder = newFolder();
        const paths = files.map((lines, index) => writeLog(folder, `${index}.ndjson`, lines));
        const [one, two] = ['one', 'two'].map((name) => join(folder, name));
        await ingestFiles(paths, { store: one, threads: 0 });
        const groups = together ? [order.map((index) => paths[index])] : order.map((index) => [paths[index]]);
        for (const group of groups) await ingestFiles(group, { store: two, append: true, threads: 0 });
        const [a, b] = [await loadEvents(await Store.open(one)), await loadEvents(await Store.open(two))];
        expect(b.table).toEqual(a.table);
        expect(plainEvents(b)).toEqual(plainEvents(a));
      }),
      { numRuns: 12, seed: 20180406 },
    );
  });
});
