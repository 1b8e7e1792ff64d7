import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/ingest/event.js';
import { type Decoded, foldEntities, readBlocks } from './records.js';

const P = 'AAAAAAAA-0000-4000-8000-000000000001';
const F = 'BBBBBBBB-0000-4000-8000-000000000002';
const G = 'BBBBBBBB-0000-4000-8000-000000000003';
const HOST = 'CCCCCCCC-0000-4000-8000-000000000004';
const ZERO = '00000000-0000-0000-0000-000000000000';
const TIME = 1_523_600_000_123_456_789n;

type Fields = Record<string, unknown>;

/** A line of CDM18; numbers that a double cannot hold are given as bigints. */
function line(kind: string, fields: Fields, envelope: Fields = { CDMVersion: '18' }): string {
  const text = JSON.stringify({ datum: { [kind]: fields }, ...envelope }, (_, value: unknown) =>
    typeof value === 'bigint' ? `#${value}#` : value,
  );
  return text.replaceAll(/"#(-?\d+)#"/g, '$1');
}

function event(fields: Fields = {}, envelope?: Fields): string {
  const usual = { type: 'EVENT_READ', subject: P, predicateObject: F, timestampNanos: TIME };
  return line('Event', { ...usual, ...fields }, envelope);
}

const read = (...lines: (string | Buffer)[]): Promise<Decoded> =>
  readBlocks(Buffer.concat(lines.flatMap((text) => [Buffer.from(text as string), Buffer.from('\n')])), 'cdm');

async function entityOf(kind: string, fields: Fields): Promise<Entity> {
  const { upserts, counts } = await read(line(kind, fields));
  expect(counts.malformed).toBe(0);
  expect(upserts).toHaveLength(1);
  return upserts[0].entity;
}

/** The name by which an entity is known after these lines. */
async function nameOf(id: string, ...lines: (string | Buffer)[]): Promise<string | undefined> {
  return foldEntities((await read(...lines)).upserts).get(id)?.name;
}

const expected = { ts: TIME, seq: 0n, host: '', rel: 'EVENT_READ', subj: { id: P }, obj: { id: F } };

describe('the envelope', () => {
  it('may name kinds and unions in full or in short, wrap values or not', async () => {
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

  it('may write UUIDs in either case, also those of hosts', async () => {
    const { events, hostNames } = await read(
      event({ subject: P.toLowerCase(), predicateObject: F.toLowerCase(), hostId: HOST.toLowerCase() }),
      line('Host', { uuid: HOST.toLowerCase(), hostName: 'ta1' }),
    );
    expect(events).toEqual([{ ...expected, host: HOST }]);
    expect(hostNames).toEqual({ [HOST]: 'ta1' });
  });

  it('has the host in CDM20, and a record of its own wins over it', async () => {
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

  it('may have its members in any order, the datum last', async () => {
    const { events } = await read(
      `{"source":"S","hostId":"${HOST}","datum":${JSON.stringify({ Event: { timestampNanos: '#', predicateObject: F, subject: P, type: 'EVENT_READ' } }).replace('"#"', String(TIME))}}`,
    );
    expect(events).toEqual([{ ...expected, host: HOST }]);
  });
});

describe('the ends of an event', () => {
  it('are absent where the log says null or an all-zero UUID', async () => {
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

  it('may be two objects without a subject, but not one', async () => {
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

  it('may be known by identifiers of other kinds, which people see again', async () => {
    const raw = '\u0001\u00ffsixteen bytes!!';
    const { events, upserts } = await read(
      event({ subject: raw, predicateObject: 'file-7' }),
      line('Subject', { uuid: raw, type: 'SUBJECT_PROCESS', parentSubject: 'init', cid: 3 }),
      line('FileObject', { uuid: 'file-7', type: 'FILE_OBJECT_FILE' }),
      line('Subject', { uuid: 'init', type: 'SUBJECT_PROCESS' }),
    );
    expect(events[0].subj).toEqual({ id: raw });
    expect(events[0].obj).toEqual({ id: 'file-7' });
    expect(foldEntities(upserts).get(raw)).toMatchObject({ id: raw, parent: 'init', pid: 3 });
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

  it('fall back on the record before where a time is missing or none', async () => {
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

describe('entities', () => {
  it('of every kind have a type and the kind of the source', async () => {
    const kinds: [string, string | undefined, string][] = [
      ['Subject', 'SUBJECT_PROCESS', 'process'],
      ['Subject', 'SUBJECT_UNIT', 'process'],
      ['FileObject', 'FILE_OBJECT_UNIX_SOCKET', 'file'],
      ['NetFlowObject', undefined, 'flow'],
      ['PacketSocketObject', undefined, 'flow'],
      ['UnnamedPipeObject', undefined, 'pipe'],
      ['IpcObject', 'IPC_OBJECT_PIPE_UNNAMED', 'pipe'],
      ['MemoryObject', undefined, 'memory'],
      ['RegistryKeyObject', undefined, 'registry'],
      ['SrcSinkObject', 'SRCSINK_UNKNOWN', 'srcsink'],
      ['Principal', 'PRINCIPAL_LOCAL', 'principal'],
      ['UnknownProvenanceNode', undefined, 'other'],
    ];
    for (const [kind, sourceType, type] of kinds) {
      for (const prefix of ['', 'com.bbn.tc.schema.avro.cdm18.', 'com.bbn.tc.schema.avro.cdm20.']) {
        const entity = await entityOf(prefix + kind, { uuid: F, ...(sourceType && { type: sourceType }) });
        expect(entity).toEqual({ id: F, type, kind: sourceType ?? kind });
      }
    }
  });

  it('without a UUID, or with none but zeros, are left out and counted', async () => {
    const { upserts, skipped, records } = await read(
      line('Subject', { type: 'SUBJECT_PROCESS' }),
      line('FileObject', { uuid: ZERO, type: 'FILE_OBJECT_FILE' }),
      line('FileObject', { uuid: null }),
    );
    expect(upserts).toEqual([]);
    expect(skipped).toEqual({ noUuid: 3 });
    expect(records).toEqual({ Subject: 1, FileObject: 2 });
  });

  it('that are processes have a number, a parent, a principal and a command line', async () => {
    const process = {
      uuid: P,
      type: 'SUBJECT_PROCESS',
      cid: 412,
      parentSubject: { UUID: F.toLowerCase() },
      localPrincipal: G,
      cmdLine: { string: 'sshd -D' },
      properties: { map: { name: 'sshd', path: '/usr/sbin/sshd' } },
    };
    const known = { id: P, type: 'process', kind: 'SUBJECT_PROCESS', name: 'sshd', cmd: 'sshd -D' };
    expect(await entityOf('Subject', process)).toEqual({ ...known, pid: 412, parent: F, user: G });
    expect(
      await entityOf('Subject', { ...process, cid: { int: 0 }, parentSubject: null, localPrincipal: null }),
    ).toEqual({ ...known, pid: 0 });
    for (const cid of [-1, 2 ** 33, 1.5, 'x', null])
      expect(
        await entityOf('Subject', { ...process, cid, parentSubject: ZERO, localPrincipal: ZERO }),
      ).toEqual(known);
  });

  it('may follow the events that mention them', async () => {
    const { log } = await read(
      line('Subject', { uuid: P, type: 'SUBJECT_PROCESS' }),
      event(),
      line('FileObject', { uuid: F, type: 'FILE_OBJECT_FILE' }),
      event({ timestampNanos: TIME + 1n }),
    );
    expect(log.map((record) => ('event' in record ? record.event.ts : record.upsert.entity.id))).toEqual([
      P,
      TIME,
      F,
      TIME + 1n,
    ]);
  });
});

describe('names', () => {
  it('of CADETS ride on events: exec, and predicateObjectPath', async () => {
    const { upserts } = await read(
      event({
        properties: { map: { exec: 'vi' } },
        predicateObjectPath: { string: '/a' },
        predicateObject2: G,
        predicateObject2Path: { string: '/b' },
      }),
    );
    expect(upserts.map(({ entity, rank }) => [entity, rank])).toEqual([
      [{ id: P, name: 'vi' }, 'stated'],
      [{ id: F, name: '/a' }, 'stated'],
      [{ id: G, name: '/b' }, 'stated'],
    ]);
  });

  it('of CADETS may be hinted at by partial_path, which no statement gives way to', async () => {
    const hint = event({ properties: { map: { partial_path: 'lib.so' } } });
    const statement = event({ predicateObjectPath: { string: '/lib/lib.so' }, timestampNanos: TIME + 1n });
    expect((await read(hint)).upserts).toEqual([
      { entity: { id: F, name: 'lib.so' }, host: '', rank: 'hint' },
    ]);
    expect(await nameOf(F, hint, statement)).toBe('/lib/lib.so');
    expect(await nameOf(F, statement, hint)).toBe('/lib/lib.so');
    const both = event({ predicateObjectPath: '/stated', properties: { map: { partial_path: 'hinted' } } });
    expect((await read(both)).upserts.map((u) => u.entity.name)).toEqual(['/stated']);
    const unknown = event({
      predicateObjectPath: '<unknown>',
      properties: { map: { partial_path: 'hinted' } },
    });
    expect((await read(unknown)).upserts.map((u) => [u.entity.name, u.rank])).toEqual([['hinted', 'hint']]);
  });

  it('are not `<unknown>`, nor empty', async () => {
    for (const nothing of ['<unknown>', '', null]) {
      const { upserts } = await read(
        event({
          predicateObjectPath: nothing,
          predicateObject2: G,
          predicateObject2Path: nothing,
          properties: { map: { exec: nothing, partial_path: nothing } },
        }),
      );
      expect(upserts).toEqual([]);
    }
  });

  it('of THEIA are the filename of a file, and path and cmdLine of a process', async () => {
    const file = {
      uuid: F,
      type: 'FILE_OBJECT_BLOCK',
      baseObject: { hostId: HOST, properties: { map: { filename: '/f', path: '/not', dev: '1' } } },
    };
    expect(await entityOf('FileObject', file)).toEqual({
      id: F,
      type: 'file',
      kind: 'FILE_OBJECT_BLOCK',
      name: '/f',
    });
    const process = {
      uuid: P,
      type: 'SUBJECT_PROCESS',
      cmdLine: { string: 'a b' },
      properties: { map: { path: '/bin/a', tgid: '3' } },
    };
    expect(await entityOf('Subject', process)).toMatchObject({ name: '/bin/a', cmd: 'a b' });
  });

  it('of THEIA have the command line that a process takes on with EXECUTE, and with nothing else', async () => {
    const properties = { map: { cmdLine: 'ls -l' } };
    const execute = await read(event({ type: 'EVENT_EXECUTE', properties }));
    expect(execute.upserts).toEqual([{ entity: { id: P, cmd: 'ls -l' }, host: '', rank: 'stated' }]);
    expect((await read(event({ properties }))).upserts).toEqual([]);
  });

  it('of TRACE are the name of a process and the path of a file', async () => {
    const process = {
      uuid: P,
      type: 'SUBJECT_UNIT',
      properties: { map: { name: 'firefox', 'seen time': '1' } },
    };
    expect((await entityOf('Subject', process)).name).toBe('firefox');
    const file = {
      uuid: F,
      type: 'FILE_OBJECT_FILE',
      baseObject: { properties: { map: { path: '/tmp/x' } } },
    };
    expect((await entityOf('FileObject', file)).name).toBe('/tmp/x');
  });

  it('of other kinds are a key, a user name or number, or a path', async () => {
    expect((await entityOf('RegistryKeyObject', { uuid: F, key: 'HKLM\\Run' })).name).toBe('HKLM\\Run');
    expect((await entityOf('Principal', { uuid: F, userId: '0', username: { string: 'root' } })).name).toBe(
      'root',
    );
    expect((await entityOf('Principal', { uuid: F, userId: '0', username: null })).name).toBe('0');
    const memory = { uuid: F, baseObject: { properties: { name: 'seg' } }, memoryAddress: 4096 };
    expect((await entityOf('MemoryObject', memory)).name).toBe('seg');
  });

  it('that are repeated are passed on once, and again when they change', async () => {
    const named = (exec: string, i: number): string =>
      event({ properties: { exec }, timestampNanos: TIME + BigInt(i) * 1_000_000n });
    const { upserts } = await read(...['a', 'a', 'a', 'b', 'b', 'a'].map(named));
    expect(upserts.map((u) => u.entity.name)).toEqual(['a', 'b', 'a']);
  });

  it('that are said again are one upsert, also where the second comes late', async () => {
    const late = event({ properties: { exec: 'a' }, timestampNanos: TIME - 1_000_000n });
    const { log } = await read(event({ properties: { exec: 'a' } }), late);
    expect(log.map((record) => 'event' in record)).toEqual([true, false, true]);
  });
});

describe('network flows', () => {
  const flow = (fields: Fields): Promise<Entity> => entityOf('NetFlowObject', { uuid: F, ...fields });

  it('are named by their remote side, and know their local one', async () => {
    const { upserts } = await read(
      line('NetFlowObject', {
        uuid: F,
        localAddress: '10.0.0.1',
        localPort: 4242,
        remoteAddress: '128.55.12.10',
        remotePort: 53,
      }),
    );
    expect(upserts).toEqual([
      {
        entity: {
          id: F,
          type: 'flow',
          kind: 'NetFlowObject',
          name: '128.55.12.10:53',
          local: '10.0.0.1:4242',
        },
        host: '',
        rank: 'address',
      },
    ]);
  });

  it('may have CDM20’s wrapped addresses, and IPv6 ones', async () => {
    const entity = await flow({
      localAddress: { string: '::1' },
      localPort: { int: 22 },
      remoteAddress: { string: 'fe80::1' },
      remotePort: { int: 443 },
    });
    expect(entity).toMatchObject({ name: '[fe80::1]:443', local: '[::1]:22' });
  });

  it('have no name where the log says that it knows none', async () => {
    for (const [address, port] of [
      ['localhost', -1],
      ['LOCAL', 0],
      ['NA', 0],
      ['', 0],
      [null, null],
      ['0.0.0.0', 0],
    ]) {
      const entity = await flow({
        localAddress: address,
        localPort: port,
        remoteAddress: address,
        remotePort: port,
      });
      expect(entity).toEqual({ id: F, type: 'flow', kind: 'NetFlowObject' });
    }
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

  it('stays open where the log does not tell', async () => {
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

describe('what is left out', () => {
  it('is counted by reason', async () => {
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

  it('is a problem with a place where it is no record', async () => {
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
      [2, 'no datum: not a CDM record'],
      [4, 'no datum: not a CDM record'],
      [5, 'no datum: not a CDM record'],
      [6, 'an event without a type'],
      [7, expect.stringMatching(/^ends too early \(column \d+\)$/)],
    ]);
    expect(problems[0].sample).toBe('{"CDMVersion":"18"}');
    expect(events).toHaveLength(2);
  });

  it('does not grow without bound: of many problems the first are described and all counted', async () => {
    const { problems, counts } = await read(...Array.from({ length: 50 }, () => `{"x":"${'y'.repeat(500)}"`));
    expect(counts.malformed).toBe(50);
    expect(problems.map((p) => p.line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(problems.every((p) => p.sample.length === 120)).toBe(true);
  });
});

describe('hostile logs', () => {
  it('keep names as they are: escapes for terminals, other directions of writing, any length', async () => {
    for (const name of [
      '\u001b[2J\u001b]0;owned\u0007',
      'invoice\u202Efdp.exe',
      '\u2066\u2069\u200b\ufeff',
      'x'.repeat(65_536),
      'é'.repeat(30_000),
      '日本語 \u{1F600}',
      'quote " and \\ and \n newline \u0000 nul',
      "'; DROP TABLE events; --",
    ]) {
      expect(await nameOf(P, event({ properties: { map: { exec: name } } }))).toBe(name);
      expect(
        await nameOf(F, line('FileObject', { uuid: F, baseObject: { properties: { map: { path: name } } } })),
      ).toBe(name);
    }
  });

  it('may hold what is no text, which is replaced and counted', async () => {
    const text = event({ properties: { map: { exec: 'BAD' } } });
    const [before, after] = text.split('BAD');
    const broken = Buffer.concat([
      Buffer.from(before),
      Buffer.of(0x61, 0xff, 0xc3, 0x28, 0x80),
      Buffer.from(after),
    ]);
    const invalid = await read(broken);
    expect(invalid.upserts[0].entity.name).toBe('a\ufffd\ufffd(\ufffd');
    expect(invalid.counts).toMatchObject({ malformed: 0, badText: 1 });
    const lone = await read(text.replace('BAD', 'x\\ud800y\\udc00'));
    expect(lone.upserts[0].entity.name).toBe('x\ufffdy\ufffd');
    expect(lone.counts).toMatchObject({ malformed: 0, badText: 1 });
    expect((await read(event({ properties: { exec: 'fine é' } }))).counts.badText).toBe(0);
  });

  it('cannot reach into objects by keys such as __proto__', async () => {
    const { events, upserts, counts } = await read(
      `{"__proto__":{"datum":1},"datum":{"Event":{"type":"EVENT_READ","subject":"${P}","predicateObject":"${F}","timestampNanos":${TIME},"properties":{"map":{"__proto__":{"polluted":"yes"},"constructor":"x","exec":"a"}}}}}`,
      `{"datum":{"Subject":{"uuid":"${P}","type":"__proto__","hostId":"constructor"}}}`,
    );
    expect(counts.malformed).toBe(0);
    expect(events).toEqual([expected]);
    expect(upserts.map((u) => [u.entity.name, u.entity.kind, u.host])).toEqual([
      ['a', undefined, ''],
      [undefined, '__proto__', 'constructor'],
    ]);
    expect(({} as Fields).polluted).toBeUndefined();
  });

  it('cannot make entities of kinds that are no kinds', async () => {
    const { upserts, counts } = await read(
      ...['__proto__', 'constructor', 'toString', 'valueOf'].map(
        (kind) => `{"datum":{"${kind}":{"uuid":"${P}"}}}`,
      ),
    );
    expect(upserts).toEqual([]);
    expect(counts).toMatchObject({ lines: 4, malformed: 0 });
  });

  it('cannot nest without bound', async () => {
    const deep = (levels: number): string =>
      event({ properties: '#' }).replace('"#"', `${'{"map":'.repeat(levels)}{}${'}'.repeat(levels)}`);
    const { counts, events, problems } = await read(deep(3), deep(5000), event());
    expect(counts.malformed).toBe(1);
    expect(events).toHaveLength(2);
    expect(problems[0]).toMatchObject({ line: 2, reason: expect.stringMatching('deeper than 64 levels') });
  });

  it('cannot number words without bound', async () => {
    const { counts, problems, events } = await read(
      ...Array.from({ length: 8200 }, (_, i) => event({ type: `EVENT_${i}` })),
    );
    expect(events.length + counts.malformed).toBe(8200);
    expect(counts.malformed).toBeGreaterThan(0);
    expect(problems[0].reason).toMatch('too many different');
    expect(events.every((e, i) => e.rel === `EVENT_${i}`)).toBe(true);
  });

  it('never throw, whatever types the fields have', async () => {
    const names = [
      'uuid',
      'type',
      'hostId',
      'subject',
      'predicateObject',
      'predicateObject2',
      'timestampNanos',
      'sequence',
      'properties',
      'parameters',
      'cid',
      'baseObject',
      'remoteAddress',
      'remotePort',
      'predicateObjectPath',
    ];
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(P, F, ZERO, 'EVENT_OPEN', TIME));
    const kind = fc.constantFrom('Event', 'Subject', 'FileObject', 'NetFlowObject', 'Host', 'Principal', 'x');
    const record = fc.tuple(
      kind,
      fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8, noNullPrototype: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 20 }), async (records) => {
        const lines = [event(), ...records.map(([of, fields]) => line(of, fields))];
        const { counts } = await read(...lines);
        expect(counts.lines).toBe(lines.length);
      }),
      { numRuns: 150 },
    );
  });
});
