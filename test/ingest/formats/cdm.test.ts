import { describe, expect, it } from 'vitest';
import { F, G, P, ZERO } from '../ids.js';
import { mergeEntities } from '../records.js';
import { event, expected, type Fields, HOST, line, read, TIME } from './cdm-lines.js';

describe('the outer object', () => {
  it('may have full or short names of kinds and unions, and bare values', async () => {
    const full = 'com.bbn.tc.schema.avro.cdm18.';
    const wrapped = {
      uuid: 'DDDDDDDD-0000-4000-8000-000000000009',
      sequence: { long: 7 },
      type: 'EVENT_READ',
      hostId: HOST,
      subject: { [`${full}UUID`]: P },
      predicateObject: { [`${full}UUID`]: F },
      predicateObjectPath: { string: '/etc/x' },
      predicateObject2: null,
      timestampNanos: { long: TIME },
      properties: { map: { exec: 'sshd' } },
    };
    const short = { ...wrapped, subject: { UUID: P }, predicateObject: { UUID: F } };
    const bare = {
      ...wrapped,
      sequence: 7,
      subject: P,
      predicateObject: F,
      predicateObjectPath: '/etc/x',
      timestampNanos: TIME,
      properties: { exec: 'sshd' },
    };
    const cdm20 = { ...short, type: { [`${full.replace('18', '20')}EventType`]: 'EVENT_READ' } };
    for (const [kind, fields] of [
      [`${full}Event`, wrapped],
      ['Event', wrapped],
      ['Event', short],
      [`${full}Event`, bare],
      ['Event', bare],
      ['com.bbn.tc.schema.avro.cdm20.Event', cdm20],
    ] as const) {
      const { events, upserts, records } = await read(line(kind, fields));
      expect(events).toEqual([{ ...expected, seq: 7n, host: HOST }]);
      expect(records).toEqual({ Event: 1 });
      expect(upserts).toEqual([
        { entity: { id: P, name: 'sshd' }, host: HOST, rank: 'stated' },
        { entity: { id: F, name: '/etc/x' }, host: HOST, rank: 'stated' },
      ]);
    }
  });

  it('may have UUIDs in either case, also those of hosts', async () => {
    const { events, hostNames } = await read(
      event({ subject: P.toLowerCase(), predicateObject: F.toLowerCase(), hostId: HOST.toLowerCase() }),
      line('Host', { uuid: HOST.toLowerCase(), hostName: 'ta1' }),
    );
    expect(events).toEqual([{ ...expected, host: HOST }]);
    expect(hostNames).toEqual({ [HOST]: 'ta1' });
  });

  it('has the host in CDM20, and the host of the record overrides it', async () => {
    const other = HOST.replace('C', 'E');
    const { events, upserts } = await read(
      event({}, { CDMVersion: '20', hostId: HOST, sessionNumber: 1, type: 'RECORD_EVENT' }),
      event({ hostId: other }, { hostId: HOST }),
      line('Subject', { uuid: P, type: 'SUBJECT_PROCESS' }, { hostId: HOST }),
      line('FileObject', { uuid: F, type: 'FILE_OBJECT_FILE', baseObject: { hostId: other } }),
    );
    expect(events.map((e) => e.host)).toEqual([HOST, other]);
    expect(upserts.map((u) => u.host)).toEqual([HOST, other]);
  });

  it('may have its members in any order', async () => {
    const { events } = await read(
      `{"source":"S","hostId":"${HOST}","datum":${JSON.stringify({ Event: { timestampNanos: '#', predicateObject: F, subject: P, type: 'EVENT_READ' } }).replace('"#"', String(TIME))}}`,
    );
    expect(events).toEqual([{ ...expected, host: HOST }]);
  });
});

describe('the ends of an event', () => {
  it('are absent if the log has null or the all-zero UUID', async () => {
    for (const nothing of [null, ZERO, { UUID: ZERO }, '', undefined]) {
      const { events } = await read(event({ predicateObject2: nothing }));
      expect(events).toEqual([expected]);
    }
  });

  it('may be none, one or two objects', async () => {
    const { events } = await read(
      event({ type: 'EVENT_EXIT', predicateObject: null }),
      event({ type: 'EVENT_RENAME', predicateObject2: G }),
      event({ type: 'EVENT_MMAP', predicateObject: ZERO, predicateObject2: G }),
    );
    expect(events).toEqual([
      { ts: TIME, seq: 0n, host: '', rel: 'EVENT_EXIT', subj: { id: P } },
      { ...expected, rel: 'EVENT_RENAME', obj2: { id: G } },
      { ts: TIME, seq: 0n, host: '', rel: 'EVENT_MMAP', subj: { id: P }, obj2: { id: G } },
    ]);
  });

  it('may be two objects without a subject, but not one object', async () => {
    const { events, skipped, records, counts } = await read(
      event({ type: 'EVENT_FLOWS_TO', subject: null, predicateObject2: G }),
      event({ type: 'EVENT_FLOWS_TO', subject: null }),
      event({ type: 'EVENT_FLOWS_TO', subject: ZERO, predicateObject: null, predicateObject2: G }),
      event({ subject: null, predicateObject: null }),
    );
    expect(events).toEqual([
      { ts: TIME, seq: 0n, host: '', rel: 'EVENT_FLOWS_TO', obj: { id: F }, obj2: { id: G } },
    ]);
    expect(skipped).toEqual({ noSubject: 3 });
    expect(records).toEqual({ Event: 4 });
    expect(counts.malformed).toBe(0);
  });

  it('may have identifiers that are not UUIDs, which are kept', async () => {
    const raw = '\u0001\u00ffsixteen bytes!!';
    const { events, upserts } = await read(
      event({ subject: raw, predicateObject: 'file-7' }),
      line('Subject', { uuid: raw, type: 'SUBJECT_PROCESS', parentSubject: 'init', cid: 3 }),
      line('FileObject', { uuid: 'file-7', type: 'FILE_OBJECT_FILE' }),
      line('Subject', { uuid: 'init', type: 'SUBJECT_PROCESS' }),
    );
    expect(events[0].subj).toEqual({ id: raw });
    expect(events[0].obj).toEqual({ id: 'file-7' });
    expect(mergeEntities(upserts).get(raw)).toMatchObject({ id: raw, parent: 'init', pid: 3 });
  });

  it('differ where their identifiers differ', async () => {
    const ids = ['a', 'A', 'b', 'a ', `${P}0`, P.slice(1)];
    const { upserts } = await read(...ids.map((uuid) => line('Subject', { uuid, type: 'SUBJECT_PROCESS' })));
    expect(upserts.map((u) => u.entity.id)).toEqual(ids);
  });
});

describe('time and order', () => {
  it('are exact to the last digit', async () => {
    const { events } = await read(
      event({ timestampNanos: 1_523_637_968_165_000_001n, sequence: { long: 9_007_199_254_740_993n } }),
      event({ timestampNanos: '1523637968165000003', sequence: '12' }),
      event({ timestampNanos: { long: 9_223_372_036_854_775_807n }, sequence: { long: -1 } }),
    );
    expect(events.map(({ ts, seq }) => [ts, seq])).toEqual([
      [1_523_637_968_165_000_001n, 9_007_199_254_740_993n],
      [1_523_637_968_165_000_003n, 12n],
      [9_223_372_036_854_775_807n, -1n],
    ]);
  });

  it('use the time of the event before if a time is missing or invalid', async () => {
    const { events } = await read(
      event(),
      event({ timestampNanos: null }),
      event({ timestampNanos: 'yesterday' }),
      event({ timestampNanos: -5 }),
      event({ timestampNanos: 1.5e300 }),
      event({ timestampNanos: TIME + 1n }),
    );
    expect(events.map((e) => e.ts)).toEqual([TIME, TIME, TIME, TIME, TIME, TIME + 1n]);
  });
});

describe('the direction of an OPEN', () => {
  const flowOf = async (fields: Fields): Promise<string | undefined> =>
    (await read(event({ type: 'EVENT_OPEN', ...fields }))).events[0].flow;
  const parameter = (name: string, bytes: string): Fields => ({
    size: -1,
    type: 'VALUE_TYPE_CONTROL',
    name: { string: name },
    valueBytes: { bytes },
  });

  it('comes from TRACE’s symbolic flags', async () => {
    expect(await flowOf({ properties: { map: { flags: 'O_RDWR|O_CREAT' } } })).toBe('out');
    expect(await flowOf({ properties: { map: { flags: 'O_WRONLY' } } })).toBe('out');
    expect(await flowOf({ properties: { map: { flags: 'O_RDONLY|O_CLOEXEC' } } })).toBe('in');
    expect(await flowOf({ properties: { map: { flags: 'O_CLOEXEC' } } })).toBeUndefined();
  });

  it('comes from THEIA’s decimal flags', async () => {
    expect(await flowOf({ properties: { map: { flags: '591872' } } })).toBe('in');
    expect(await flowOf({ properties: { map: { flags: '577' } } })).toBe('out');
    expect(await flowOf({ properties: { map: { flags: '2' } } })).toBe('out');
  });

  it('comes from CADETS’ parameters, short or long', async () => {
    const mode = parameter('mode', '01B6');
    for (const [bytes, flow] of [
      ['00', 'in'],
      ['0602', 'out'],
      ['100004', 'in'],
      ['01', 'out'],
    ] as const) {
      const list = [mode, parameter('flags', bytes)];
      expect(await flowOf({ parameters: { array: list } })).toBe(flow);
      expect(await flowOf({ parameters: list })).toBe(flow);
      expect(await flowOf({ parameters: [{ name: 'flags', valueBytes: bytes }] })).toBe(flow);
    }
  });

  it('is unknown if the log does not have it', async () => {
    for (const parameters of [
      null,
      [],
      {},
      { array: [] },
      { array: 'x' },
      [null],
      [parameter('mode', '01')],
      'x',
      7,
    ])
      expect(await flowOf({ parameters })).toBeUndefined();
    expect(await flowOf({ type: 'EVENT_READ', properties: { map: { flags: 'O_RDWR' } } })).toBeUndefined();
  });
});

describe('skipped records', () => {
  it('are counted by reason', async () => {
    const { skipped, records, counts, events, upserts } = await read(
      line('TimeMarker', { tsNanos: TIME }),
      line('com.bbn.tc.schema.avro.cdm18.StartMarker', { sessionNumber: 3 }),
      line('UnitDependency', { unit: P, dependentUnit: F }),
      line('UnitDependency', { unit: P, dependentUnit: G }),
      line('ProvenanceTagNode', { tagId: P }),
      line('Host', { uuid: HOST, hostName: 'h' }),
    );
    expect(skipped).toEqual({ TimeMarker: 1, StartMarker: 1, UnitDependency: 2, ProvenanceTagNode: 1 });
    expect(records).toEqual({ ...skipped, Host: 1 });
    expect([counts.malformed, events.length, upserts.length]).toEqual([0, 0, 0]);
  });

  it('are problems with a position if they are malformed', async () => {
    const { problems, counts, events } = await read(
      event(),
      '{"CDMVersion":"18"}',
      '',
      '{"datum":{}}',
      '{"datum":null}',
      line('Event', { subject: P, predicateObject: F, timestampNanos: TIME }),
      `${event().slice(0, -1)}`,
      event(),
    );
    expect(counts).toMatchObject({ lines: 8, blank: 1, malformed: 5 });
    expect(problems.map(({ line: at, reason }) => [at, reason])).toEqual([
      [2, expect.stringContaining('`datum`')],
      [4, expect.stringContaining('`datum`')],
      [5, expect.stringContaining('`datum`')],
      [6, expect.stringContaining('`type`')],
      [7, expect.stringMatching(/^incomplete record \(column \d+\)$/)],
    ]);
    expect(problems[0].sample).toBe('{"CDMVersion":"18"}');
    expect(events).toHaveLength(2);
  });

  it('are all counted, and only the first problems are described', async () => {
    const { problems, counts } = await read(...Array.from({ length: 50 }, () => `{"x":"${'y'.repeat(500)}"`));
    expect(counts.malformed).toBe(50);
    expect(problems.map((p) => p.line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(problems.every((p) => p.sample.length === 120)).toBe(true);
  });
});
