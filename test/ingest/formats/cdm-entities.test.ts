import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/ingest/event.js';
import { F, G, P, ZERO } from '../ids.js';
import { event, type Fields, HOST, line, nameOf, read, TIME } from './cdm-lines.js';

async function entityOf(kind: string, fields: Fields): Promise<Entity> {
  const { upserts, counts } = await read(line(kind, fields));
  expect(counts.malformed).toBe(0);
  expect(upserts).toHaveLength(1);
  return upserts[0].entity;
}

describe('entities', () => {
  it('of every kind have a type and the kind of the log', async () => {
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

  it('without a UUID, or with the all-zero one, are skipped and counted', async () => {
    const { upserts, skipped, records } = await read(
      line('Subject', { type: 'SUBJECT_PROCESS' }),
      line('FileObject', { uuid: ZERO, type: 'FILE_OBJECT_FILE' }),
      line('FileObject', { uuid: null }),
    );
    expect(upserts).toEqual([]);
    expect(skipped).toEqual({ noUuid: 3 });
    expect(records).toEqual({ Subject: 1, FileObject: 2 });
  });

  it('of type process have a number, a parent, a principal and a command line', async () => {
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

  it('may follow the events that refer to them', async () => {
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
  it('of CADETS are on events: exec and predicateObjectPath', async () => {
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

  it('of CADETS may be hints in partial_path, which never replace stated names', async () => {
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

  it('are never `<unknown>` or empty', async () => {
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

  it('of THEIA include the command line of an EXECUTE event, and of no other event', async () => {
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

  it('are upserted once, and again when they change', async () => {
    const named = (exec: string, i: number): string =>
      event({ properties: { exec }, timestampNanos: TIME + BigInt(i) * 1_000_000n });
    const { upserts } = await read(...['a', 'a', 'a', 'b', 'b', 'a'].map(named));
    expect(upserts.map((u) => u.entity.name)).toEqual(['a', 'b', 'a']);
  });

  it('are upserted once if they repeat, also out of order', async () => {
    const late = event({ properties: { exec: 'a' }, timestampNanos: TIME - 1_000_000n });
    const { log } = await read(event({ properties: { exec: 'a' } }), late);
    expect(log.map((record) => 'event' in record)).toEqual([true, false, true]);
  });
});

describe('network flows', () => {
  const flow = (fields: Fields): Promise<Entity> => entityOf('NetFlowObject', { uuid: F, ...fields });

  it('are named by their remote address, and have a local one', async () => {
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

  it('may have wrapped addresses as in CDM20, and IPv6 addresses', async () => {
    const entity = await flow({
      localAddress: { string: '::1' },
      localPort: { int: 22 },
      remoteAddress: { string: 'fe80::1' },
      remotePort: { int: 443 },
    });
    expect(entity).toMatchObject({ name: '[fe80::1]:443', local: '[::1]:22' });
  });

  it('have no name if the log has no address', async () => {
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
