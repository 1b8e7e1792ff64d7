import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES, type Entity, type Event } from '../../../src/ingest/event.js';
import { F, G, P, ZERO } from '../ids.js';
import { formatRecord, mergeEntities, readBlocks, type Upsert } from '../records.js';
import { type Fields, read } from './ndjson-lines.js';

const USUAL = { ts: '5', host: 'h', rel: 'EVENT_READ', subj: { id: P }, obj: { id: F } };

/** Returns why this line is malformed, or undefined. */
async function problemOf(line: string | Fields): Promise<string | undefined> {
  const { problems, counts } = await read(line);
  expect(problems.length).toBe(counts.malformed);
  return problems[0]?.reason;
}

describe('an event', () => {
  it('has all of its fields', async () => {
    const { events, upserts, records } = await read({
      ts: '1523637968165000001',
      seq: 7,
      host: 'web-1',
      rel: 'EVENT_RENAME',
      subj: {
        id: P.toLowerCase(),
        type: 'process',
        kind: 'SUBJECT_PROCESS',
        name: 'mv',
        cmd: 'mv a b',
        pid: 12,
        parent: G,
        user: 'u',
      },
      obj: { id: F, type: 'file', name: '/a' },
      obj2: { id: 'c2', type: 'flow', name: '1.2.3.4:5', local: '10.0.0.1:6' },
      ok: false,
      flow: 'out',
      attrs: { size: 3, list: [1, { x: null }] },
    });
    expect(events).toEqual([
      {
        ts: 1523637968165000001n,
        seq: 7n,
        host: 'web-1',
        rel: 'EVENT_RENAME',
        subj: { id: P },
        obj: { id: F },
        obj2: { id: 'c2' },
        ok: false,
        flow: 'out',
        attrs: { size: 3, list: [1, { x: null }] },
      },
    ]);
    expect(records).toEqual({ event: 1 });
    const [process, file, flow] = upserts.map((upsert) => upsert.entity);
    expect(process).toMatchObject({
      id: P,
      type: 'process',
      kind: 'SUBJECT_PROCESS',
      name: 'mv',
      cmd: 'mv a b',
      pid: 12,
      parent: G,
    });
    expect(process.user).toMatch(/^[0-9A-F-]{36}$/);
    expect(file).toEqual({ id: F, type: 'file', name: '/a' });
    expect(flow).toEqual({ id: 'c2', type: 'flow', name: '1.2.3.4:5', local: '10.0.0.1:6' });
    expect(upserts.every(({ host, rank }) => host === 'web-1' && rank === 'stated')).toBe(true);
  });

  it('has its time in nanoseconds, as digits or a number, or in RFC 3339', async () => {
    const times: [unknown, bigint][] = [
      ['1523637968165000001', 1523637968165000001n],
      ['0', 0n],
      ['-1', -1n],
      [5, 5n],
      ['9223372036854775807', 9223372036854775807n],
      ['2018-04-13T16:46:08.165000001Z', 1523637968165000001n],
      ['2018-04-13T18:46:08.165000001+02:00', 1523637968165000001n],
    ];
    for (const [ts, expected] of times) expect((await read({ ...USUAL, ts })).events[0].ts).toBe(expected);
    const { events } = await read('{"ts":1523637968165000003,"rel":"R","subj":{"id":"a"}}');
    expect(events[0].ts).toBe(1523637968165000003n);
  });

  it('needs a subject or two objects', async () => {
    const { events, skipped, counts } = await read(
      { ts: '1', rel: 'R', obj: { id: F }, obj2: { id: G } },
      { ts: '1', rel: 'R', obj: { id: F } },
      { ts: '1', rel: 'R', subj: { id: ZERO }, obj: { id: F } },
      { ts: '1', rel: 'R', subj: { id: P } },
    );
    expect(events.map(({ subj, obj, obj2 }) => [subj?.id, obj?.id, obj2?.id])).toEqual([
      [undefined, F, G],
      [P, undefined, undefined],
    ]);
    expect(skipped).toEqual({ noSubject: 2 });
    expect(counts.malformed).toBe(0);
  });

  it('may have no host', async () => {
    const { host: _, ...rest } = USUAL;
    expect((await read(rest)).events[0].host).toBe('');
  });
});

describe('an entity', () => {
  it('is an upsert', async () => {
    const { upserts, records, events } = await read(
      { entity: { id: F, type: 'file', name: '/etc/passwd' }, host: 'h' },
      { host: 'h', entity: { id: 'x-1', type: 'process', pid: 0 } },
    );
    expect(upserts).toEqual([
      { entity: { id: F, type: 'file', name: '/etc/passwd' }, host: 'h', rank: 'stated' },
      { entity: { id: 'x-1', type: 'process', pid: 0 }, host: 'h', rank: 'stated' },
    ]);
    expect([records, events]).toEqual([{ entity: 2 }, []]);
  });

  it('is the same with or without braces around its GUID', async () => {
    const plain = [
      { ...USUAL, subj: { id: P, type: 'process', name: 'a', parent: G, user: G }, obj2: { id: G } },
      { entity: { id: F, type: 'file', name: '/x' }, host: 'h' },
    ];
    const text = plain.map((fields) => `${JSON.stringify(fields)}\n`).join('');
    const bare = await read(text);
    expect(bare.events[0]).toMatchObject({ subj: { id: P }, obj: { id: F }, obj2: { id: G } });
    const braced = text.replace(/"(\w{8}(?:-\w{4}){3}-\w{12})"/g, '"{$1}"');
    expect(braced).toContain(`"{${P}}"`);
    for (const written of [braced, braced.replace(/\{[A-F\d-]{36}\}/g, (id) => id.toLowerCase())]) {
      const { events, upserts } = await read(written);
      expect(events).toEqual(bare.events);
      expect(mergeEntities(upserts)).toEqual(mergeEntities(bare.upserts));
    }
  });

  it('in an event is upserted if any field is new', async () => {
    const about: Fields[] = [
      { type: 'process' },
      { type: 'process', name: 'a' },
      { type: 'process', name: 'a' },
      { type: 'process', name: 'a', cmd: 'a b' },
      { type: 'process', name: 'a', cmd: 'a b', pid: 3 },
      { type: 'process', name: 'a', cmd: 'a b', pid: 4 },
      { type: 'process', name: 'a', cmd: 'a b', pid: 4, kind: 'K' },
      { type: 'process', name: 'a', cmd: 'a b', pid: 4, kind: 'K', parent: G },
      { type: 'process', name: 'a', cmd: 'a b', pid: 4, kind: 'K', parent: G, user: G, local: 'l' },
      { type: 'process', name: 'a', cmd: 'a b', pid: 4, kind: 'K', parent: G, user: G, local: 'l' },
      {},
    ];
    const { upserts } = await read(...about.map((fields) => ({ ...USUAL, subj: { id: P, ...fields } })));
    expect(upserts.length).toBe(about.length - 3); // two repeat, and the last has no information
    expect(mergeEntities(upserts).get(P)).toMatchObject({ ...about[9], id: P });
  });
});

describe('problems', () => {
  it('have a reason', async () => {
    const cases: [string | Fields, RegExp][] = [
      [{ ...USUAL, rel: 7 }, /^`rel`/],
      [{ ...USUAL, rel: undefined }, /^`rel`/],
      [{ ...USUAL, ts: undefined }, /^`ts` is missing$/],
      [{ ...USUAL, ts: 'yesterday' }, /^`ts`.*RFC 3339/],
      [{ ...USUAL, ts: '2018-02-30T00:00:00Z' }, /^`ts`.*RFC 3339/],
      [{ ...USUAL, ts: '9999-01-01T00:00:00Z' }, /^`ts`.*RFC 3339/],
      [{ ...USUAL, ts: '9223372036854775808' }, /^`ts`.*RFC 3339/],
      [{ ...USUAL, ts: 1.5 }, /^`ts`.*RFC 3339/],
      [{ ...USUAL, seq: 'x' }, /^`seq`.*integer$/],
      [{ ...USUAL, flow: 'up' }, /^`flow` must be "in" or "out"$/],
      [{ ...USUAL, ok: 'yes' }, /^`ok`.*true or false$/],
      [{ ...USUAL, attrs: [] }, /^`attrs`.*object$/],
      [{ ...USUAL, host: 7 }, /^`host` is not a string/],
      [{ ...USUAL, obj: { id: F, type: 'folder' } }, /^unknown `obj.type`.*process, file/],
      [{ ...USUAL, obj: { id: 7 } }, /^`obj.id` is not a string$/],
      [{ ...USUAL, obj: { name: '/x' } }, /^`obj` has no `id`$/],
      [{ ...USUAL, subj: { id: P, pid: 2 ** 31 } }, /^`subj.pid`.*2147483647$/],
      [{ entity: { name: '/x' } }, /^`entity` has no `id`$/],
      [{ entity: { id: ZERO } }, /^`entity.id`.*zero/],
      [{}, /^`rel`/],
      ['[]', /^not a JSON object \(column 1\)$/],
      ['{"ts":', /^incomplete record/],
    ];
    for (const [line, reason] of cases) expect(await problemOf(line), JSON.stringify(line)).toMatch(reason);
  });
});

describe('a record in recal NDJSON', () => {
  const INT64 = { min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n };
  const ids = [P, F, G, 'host:1:77', 'é/"\\', 'x'.repeat(200)];
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  const word = fc.constantFrom('EVENT_READ', 'EVENT_WRITE', 'odd "word"', 'é');
  const id = fc.constantFrom(...ids);
  const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(value, { nil: undefined });
  const defined = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
  const entity = fc
    .record({
      id,
      type: optional(fc.constantFrom(...ENTITY_TYPES)),
      kind: optional(word),
      name: optional(text),
      cmd: optional(text),
      pid: optional(fc.nat(2 ** 31 - 1)),
      parent: optional(id),
      user: optional(id),
      local: optional(text),
    })
    .map((value) => defined(value) as Entity);
  const attributes = fc
    .dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 })
    .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>); // JSON has no -0
  const event = fc
    .record({
      ts: fc.bigInt(INT64),
      seq: fc.bigInt(INT64),
      host: fc.constantFrom('h1', 'h2'),
      rel: word,
      subj: entity,
      obj: optional(entity),
      obj2: optional(entity),
      ok: optional(fc.boolean()),
      flow: optional(fc.constantFrom('in' as const, 'out' as const)),
      attrs: optional(attributes),
    })
    .map((value) => defined(value) as Event);

  it('is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 12 }),
        fc.integer({ min: 0, max: 1 }),
        async (events, small) => {
          // Entity records at the end, so that every identifier is known.
          const known: Upsert[] = ids.map((one) => ({ entity: { id: one }, host: 'h1', rank: 'stated' }));
          const lines = [
            ...events.map((e) => formatRecord({ event: e, line: 0 })),
            ...known.map((upsert) => formatRecord({ upsert })),
          ];
          const content = `${lines.join('\n')}\n`;
          const longest = Math.max(...lines.map((line) => Buffer.byteLength(line))) + 1;
          const decoded = await readBlocks(content, 'ndjson', small === 1 ? { blockBytes: longest } : {});
          expect(decoded.counts).toMatchObject({ malformed: 0, lines: lines.length });
          const bare = (one: Entity | undefined): Entity | undefined => one && { id: one.id };
          expect(decoded.events).toEqual(
            events.map((e) => defined({ ...e, subj: bare(e.subj), obj: bare(e.obj), obj2: bare(e.obj2) })),
          );
          const entities = events.flatMap((e) => [e.subj, e.obj, e.obj2].filter((one) => one !== undefined));
          const upserts = [
            ...entities.map((one): Upsert => ({ entity: one, host: '', rank: 'stated' })),
            ...known,
          ];
          const facts = (list: readonly Upsert[]): Map<string, Entity> =>
            mergeEntities(list.map((upsert) => ({ ...upsert, host: '' })));
          expect(facts(decoded.upserts)).toEqual(facts(upserts));
        },
      ),
      { numRuns: 150 },
    );
  });
});
