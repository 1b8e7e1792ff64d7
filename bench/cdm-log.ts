import { Buffer } from 'node:buffer';

const SOURCE = '"CDMVersion":"18","source":"SOURCE_FREEBSD_DTRACE_CADETS"}\n';
const AVRO = 'com.bbn.tc.schema.avro.cdm18';
const HOST = '5EC0A1D5-0000-4000-8000-0000000000B1';
const FIRST_NS = 1_522_800_000_000_000_000n;
const LINES_PER_CHUNK = 4096;
const HOT = 256;

const PROGRAMS = ['nginx', 'postgres', 'sshd', 'cron', 'sh', 'find', 'sendmail', 'python3.6'];
const FOLDERS = ['/var/log', '/usr/local/etc', '/tmp', '/var/db/app', '/usr/home/ops/src', '/etc'];

/** Relations with their weights, which span more than four decades, as in real logs. */
const RELATIONS: readonly [string, number][] = [
  ['EVENT_WRITE', 36_000],
  ['EVENT_READ', 30_000],
  ['EVENT_CLOSE', 9_000],
  ['EVENT_OPEN', 8_000],
  ['EVENT_MMAP', 7_000],
  ['EVENT_LSEEK', 1_900],
  ['EVENT_FCNTL', 1_500],
  ['EVENT_RECVFROM', 1_000],
  ['EVENT_SENDTO', 900],
  ['EVENT_EXECUTE', 800],
  ['EVENT_FORK', 800],
  ['EVENT_RENAME', 600],
  ['EVENT_UNLINK', 80],
  ['EVENT_TRUNCATE', 2],
  ['EVENT_LINK', 1],
];

export interface CdmLogOptions {
  events: number;
  /** Each entity has a record before its first event. */
  entities: number;
  /** Number of recent entities that events use. */
  window?: number;
}

/** A CDM18 log like CADETS' E3 release, of any length in constant memory. The same options give the same bytes. */
export function* cdmLog({ events, entities, window = 4096 }: CdmLogOptions): Generator<Buffer> {
  const random = lcg(1);
  const wheel = relationWheel();
  let defined = 0;
  let lines: string[] = [
    `{"datum":{"${AVRO}.Host":{"uuid":"${HOST}","hostName":"bench-1","hostIdentifiers":[],"osDetails":null,"hostType":"HOST_DESKTOP","interfaces":[]}},${SOURCE}`,
  ];
  for (let i = 0; i < events; i++) {
    const due = Math.min(entities, Math.max(64, Math.ceil(((i + 1) * entities) / events)));
    while (defined < due) lines.push(entityLine(defined++));
    // As on a real host, a few entities have most of the events.
    const reach = random() % 8 === 0 ? window : HOT;
    const recent = (): number => defined - 1 - (random() % Math.min(defined, reach));
    const subject = recent() & ~3; // every fourth entity is a process
    lines.push(eventLine(i, wheel[random() % wheel.length], subject, recent() | 1));
    if (lines.length >= LINES_PER_CHUNK) {
      yield Buffer.from(lines.join(''), 'latin1');
      lines = [];
    }
  }
  yield Buffer.from(lines.join(''), 'latin1');
}

function lcg(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 4;
  };
}

function relationWheel(): string[] {
  return RELATIONS.flatMap(([name, weight]) => new Array<string>(weight).fill(name));
}

function uuid(kind: string, n: number): string {
  const hex = n.toString(16).toUpperCase().padStart(12, '0');
  const mixed = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).toUpperCase().padStart(8, '0');
  return `${mixed}-${kind}-11E8-BF66-${hex}`;
}

const kindOf = (n: number): string => (n % 4 === 0 ? '39AF' : n % 16 === 3 ? '4A5E' : '221A');
const idOf = (n: number): string => uuid(kindOf(n), n);

function entityLine(n: number): string {
  const id = idOf(n);
  const base = `"baseObject":{"hostId":"${HOST}","permission":null,"epoch":null,"properties":{"map":{}}}`;
  if (n % 4 === 0) {
    const parent = n === 0 ? 'null' : `{"${AVRO}.UUID":"${idOf((n - 4) & ~3)}"}`;
    return `{"datum":{"${AVRO}.Subject":{"uuid":"${id}","type":"SUBJECT_PROCESS","cid":${1000 + (n % 90_000)},"parentSubject":${parent},"hostId":"${HOST}","localPrincipal":"5EC0A1D5-0000-4000-8000-000000000060","startTimestampNanos":0,"unitId":{"int":0},"iteration":null,"count":null,"cmdLine":null,"privilegeLevel":null,"importedLibraries":null,"exportedLibraries":null,"properties":{"map":{"host":"${HOST}"}}}},${SOURCE}`;
  }
  if (n % 16 === 3) {
    return `{"datum":{"${AVRO}.NetFlowObject":{"uuid":"${id}",${base},"localAddress":"10.0.4.7","localPort":80,"remoteAddress":"192.0.2.${n % 251}","remotePort":${1024 + (n % 60_000)},"ipProtocol":{"int":6},"fileDescriptor":null}},${SOURCE}`;
  }
  return `{"datum":{"${AVRO}.FileObject":{"uuid":"${id}",${base},"type":"FILE_OBJECT_FILE","fileDescriptor":null,"localPrincipal":null,"size":null,"peInfo":null,"hashes":null}},${SOURCE}`;
}

function eventLine(i: number, relation: string, subject: number, object: number): string {
  const time = FIRST_NS + BigInt(i) * 41_003n;
  const path = `${FOLDERS[object % FOLDERS.length]}/file-${object % 9973}.dat`;
  const exec = PROGRAMS[subject % PROGRAMS.length];
  const flags =
    relation === 'EVENT_OPEN'
      ? `{"size":-1,"type":"VALUE_TYPE_CONTROL","valueDataType":"VALUE_DATA_TYPE_INT","isNull":false,"name":{"string":"flags"},"runtimeDataType":null,"valueBytes":{"bytes":"${i % 3 === 0 ? '0601' : '00'}"},"provenance":null,"tag":null,"components":null}`
      : '';
  return `{"datum":{"${AVRO}.Event":{"uuid":"${uuid('5E7E', i)}","sequence":{"long":${i}},"type":"${relation}","threadId":{"int":${100_000 + (subject % 977)}},"hostId":"${HOST}","subject":{"${AVRO}.UUID":"${idOf(subject)}"},"predicateObject":{"${AVRO}.UUID":"${idOf(object)}"},"predicateObjectPath":{"string":"${path}"},"predicateObject2":null,"predicateObject2Path":null,"timestampNanos":${time},"name":{"string":"aue_call"},"parameters":{"array":[${flags}]},"location":null,"size":{"long":${i % 4096}},"programPoint":null,"properties":{"map":{"host":"${HOST}","return_value":"${i % 4096}","fd":"${i % 31}","exec":"${exec}","ppid":"1"}}}},${SOURCE}`;
}
