import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CdmRecord,
  cdmRecords,
  lines,
  makeSimulation,
  removeSimulations,
  type TestSimulation,
  uuidOf,
} from './simulations.js';

// Keys in the order of real records: E3 releases of CADETS and TRACE, and THEIA's CDM18 samples.
const EVENT =
  'uuid sequence type threadId hostId subject predicateObject predicateObjectPath predicateObject2 predicateObject2Path timestampNanos name parameters location size programPoint properties';
const SUBJECT =
  'uuid type cid parentSubject hostId localPrincipal startTimestampNanos unitId iteration count cmdLine privilegeLevel importedLibraries exportedLibraries properties';
const KEYS: Readonly<Record<string, string>> = {
  Event: EVENT,
  Subject: SUBJECT,
  Host: 'uuid hostName hostIdentifiers osDetails hostType interfaces',
  Principal: 'uuid type hostId userId username groupIds properties',
  FileObject: 'uuid baseObject type fileDescriptor localPrincipal size peInfo hashes',
  NetFlowObject: 'uuid baseObject localAddress localPort remoteAddress remotePort ipProtocol fileDescriptor',
  UnnamedPipeObject: 'uuid baseObject sourceFileDescriptor sinkFileDescriptor sourceUUID sinkUUID',
  MemoryObject: 'uuid baseObject memoryAddress pageNumber pageOffset size',
  SrcSinkObject: 'uuid baseObject type fileDescriptor',
  StartMarker: 'sessionNumber',
};

const PERFORMERS = [
  {
    scenario: 'freebsd-server',
    source: 'SOURCE_FREEBSD_DTRACE_CADETS',
    nodeTypes:
      'SUBJECT_PROCESS FILE_OBJECT_FILE FILE_OBJECT_UNIX_SOCKET UnnamedPipeObject NetFlowObject FILE_OBJECT_DIR',
    relations:
      'CLOSE CREATE_OBJECT CONNECT ACCEPT WRITE READ OPEN EXIT FORK EXECUTE MMAP MODIFY_PROCESS LSEEK CHANGE_PRINCIPAL SENDTO RECVMSG RECVFROM UNLINK RENAME FCNTL MODIFY_FILE_ATTRIBUTES LINK SIGNAL SENDMSG FLOWS_TO TRUNCATE',
    // Real E3 map keys; others of the release (ret_fd1 …) are not simulated.
    properties: 'host return_value partial_path fd exec cmdLine address port arg_pid ppid',
  },
  {
    scenario: 'linux-desktop',
    source: 'SOURCE_LINUX_THEIA',
    nodeTypes: 'SUBJECT_PROCESS MemoryObject FILE_OBJECT_BLOCK NetFlowObject',
    relations:
      'BOOT MMAP OPEN READ MPROTECT CONNECT SENDTO RECVMSG READ_SOCKET_PARAMS SENDMSG CLONE EXECUTE RECVFROM WRITE WRITE_SOCKET_PARAMS UNLINK MODIFY_FILE_ATTRIBUTES SHM',
    properties: 'uptime flags mode protType cmdLine rc',
  },
  {
    scenario: 'linux-workstation',
    source: 'SOURCE_LINUX_SYSCALL_TRACE',
    nodeTypes:
      'SUBJECT_PROCESS MemoryObject FILE_OBJECT_CHAR FILE_OBJECT_FILE FILE_OBJECT_DIR FILE_OBJECT_LINK FILE_OBJECT_BLOCK FILE_OBJECT_UNIX_SOCKET SUBJECT_UNIT UnnamedPipeObject SRCSINK_UNKNOWN NetFlowObject',
    relations:
      'MPROTECT OPEN READ CLOSE MMAP CLONE UNIT WRITE CONNECT RECVMSG ACCEPT SENDMSG MODIFY_FILE_ATTRIBUTES TRUNCATE UNLINK EXIT FORK LOADLIBRARY EXECUTE CREATE_OBJECT RENAME LINK CHANGE_PRINCIPAL',
    properties: 'flags mode protection',
  },
] as const;

const words = (text: string) => text.split(' ');

describe.each(PERFORMERS)(
  'records of $scenario',
  ({ scenario, source, nodeTypes, relations, properties }) => {
    let simulation: TestSimulation;
    let records: CdmRecord[];

    beforeAll(async () => {
      simulation = await makeSimulation({ scenario, events: 60_000, seed: 2 });
      records = (
        await Promise.all(
          ['train.json', 'calibrate.json', 'test.json'].map((name) => cdmRecords(simulation.directory, name)),
        )
      ).flat();
    });
    afterAll(removeSimulations);

    it('have the envelope and the keys of real records, in order', () => {
      const shapes = new Map<string, string>();
      const digits = /"(?:timestampNanos|startTimestampNanos)":\d+/g;
      for (const { kind, body, line } of records) {
        shapes.set(`${kind}: ${Object.keys(body).join(' ')}`, line);
        if ('baseObject' in body)
          shapes.set(`baseObject: ${Object.keys(body.baseObject as object).join(' ')}`, line);
        const start = `{"datum":{"com.bbn.tc.schema.avro.cdm18.${kind}":{`;
        const end = `}},"CDMVersion":"18","source":"${source}"}`;
        if (!line.startsWith(start) || !line.endsWith(end)) shapes.set(`envelope ${line}`, line);
        // Parsing and writing gives the same text, except for 64-bit times.
        const again = JSON.stringify(JSON.parse(line)).replace(digits, '');
        if (again !== line.replace(digits, '')) shapes.set(`escapes ${line}`, line);
      }
      const known = Object.entries({ ...KEYS, baseObject: 'hostId permission epoch properties' }).map(
        ([kind, keys]) => `${kind}: ${keys}`,
      );
      expect([...shapes.keys()].filter((shape) => !known.includes(shape))).toEqual([]);
    });

    it('use only event and node types of the published vocabulary', () => {
      const types = new Set<string>();
      const nodes = new Set<string>();
      for (const { kind, body } of records) {
        if (kind === 'Event') types.add((body.type as string).replace('EVENT_', ''));
        else if (!['Host', 'Principal', 'StartMarker'].includes(kind))
          nodes.add((body.type as string | undefined) ?? kind);
      }
      expect([...types].filter((type) => !words(relations).includes(type))).toEqual([]);
      expect([...nodes].filter((type) => !words(nodeTypes).includes(type))).toEqual([]);
      // A simulation of this size may lack the rarest types.
      expect(types.size).toBeGreaterThanOrEqual(words(relations).length - 2);
    });

    it('have the event properties of real records', () => {
      const names = new Set<string>();
      for (const { kind, body } of records) {
        if (kind === 'Event')
          for (const name of Object.keys((body.properties as { map: object }).map)) names.add(name);
      }
      expect([...names].filter((name) => !words(properties).includes(name))).toEqual([]);
    });

    it('have upper-case ids and ascending nanoseconds', () => {
      const shape = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
      const odd = records.filter(({ body }) => typeof body.uuid === 'string' && !shape.test(body.uuid));
      expect(odd).toEqual([]);
      const times = records
        .filter(({ kind }) => kind === 'Event')
        .map(({ line }) => /"timestampNanos":(\d+)/.exec(line)?.[1] as string);
      // Nineteen digits each, so text sorts like numbers.
      expect(times.every((time) => time.length === 19)).toBe(true);
      expect(times.every((time, i) => i === 0 || time >= (times[i - 1] as string))).toBe(true);
      expect(new Set(times).size).toBeLessThan(times.length); // ties, as in real traces
    });

    it('describe an entity before its first use in each file, except those left out on purpose', async () => {
      for (const file of simulation.manifest.hosts[0]?.files ?? []) {
        const described = new Set<string>();
        const early = new Set<string>();
        let unresolved = 0;
        for (const { kind, body } of await cdmRecords(simulation.directory, file.name)) {
          if (kind !== 'Event') {
            described.add(body.uuid as string);
            continue;
          }
          for (const union of [body.subject, body.predicateObject, body.predicateObject2]) {
            const uuid = uuidOf(union);
            if (uuid === undefined || described.has(uuid) || uuid.startsWith('00000000-0000-0000-0000'))
              continue;
            early.add(uuid);
            unresolved++;
          }
        }
        const never = [...early].filter((uuid) => !described.has(uuid));
        expect(never.length).toBe(file.missing);
        expect(early.size - never.length).toBe(file.late);
        if (file.late === 0) expect(unresolved).toBe(file.unresolvedEndpoints);
      }
    });
  },
);

describe('recal NDJSON', () => {
  afterAll(removeSimulations);

  it('describes entities inside events, with the relations of the performer', async () => {
    const { directory, manifest } = await makeSimulation({
      scenario: 'demo',
      events: 20_000,
      format: 'ndjson',
    });
    const events = (await lines(directory, 'test.ndjson')).map((line) => JSON.parse(line));
    expect(events.length).toBe(manifest.hosts[0]?.files[2]?.events);
    const first = events.find((event) => event.rel === 'EVENT_READ' && event.obj.name);
    expect(Object.keys(first)).toEqual(['ts', 'seq', 'host', 'rel', 'subj', 'obj', 'attrs']);
    expect(first.ts).toMatch(/^\d{19}$/);
    expect(first.subj).toMatchObject({ type: 'process', kind: 'SUBJECT_PROCESS' });
    expect(events.some((event) => event.flow === 'out')).toBe(true);
    expect(
      events.some((event) => event.obj?.kind === 'NetFlowObject' && /^[\d.]+:\d+$/.test(event.obj.name)),
    ).toBe(true);
  });
});
