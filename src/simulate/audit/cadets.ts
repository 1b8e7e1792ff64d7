import type { Call } from '../kernel/calls.js';
import type { FileNode, Flow, Process, SimEntity } from '../kernel/entities.js';
import {
  closing,
  EVENT_START,
  entityRecord,
  integerParameter,
  optionalLong,
  optionalText,
  ref,
} from './cdm18.js';
import type { AuditEvent, Dialect, EntityRecord, HostIdentity } from './dialect.js';

const SOURCE = 'SOURCE_FREEBSD_DTRACE_CADETS';

interface CallShape {
  readonly type: string;
  /** The BSM audit name. */
  readonly name: string;
  readonly parameters?: string;
  /** The record has the object's path, and repeats it as `partial_path`. */
  readonly path?: boolean;
  readonly partial?: boolean;
  /** The `return_value`; `size` if the call returns a byte count. */
  readonly returns?: string;
  readonly address?: boolean;
  readonly descriptor?: boolean;
}

const opened = (flags: number) => `${integerParameter('flags', flags)},${integerParameter('mode', 0o666)}`;

// The names and properties follow real CADETS records of E1 and E3. EXIT, CHANGE_PRINCIPAL and MODIFY_PROCESS have
// their own process as the object, because they are edges in the vocabularies published for E3.
const SHAPES: Partial<Record<Call, CallShape>> = {
  open: { type: 'OPEN', name: 'aue_openat_rwtc', parameters: opened(0), path: true, returns: '4' },
  openForWriting: {
    type: 'OPEN',
    name: 'aue_open_rwtc',
    parameters: opened(0x201),
    path: true,
    returns: '4',
  },
  create: { type: 'OPEN', name: 'aue_open_rwtc', parameters: opened(0xa01), path: true, returns: '4' },
  read: { type: 'READ', name: 'aue_read', path: true, partial: true, returns: 'size', descriptor: true },
  write: { type: 'WRITE', name: 'aue_write', path: true, partial: true, returns: 'size', descriptor: true },
  readSocket: { type: 'READ', name: 'aue_read', returns: 'size', descriptor: true },
  writeSocket: { type: 'WRITE', name: 'aue_write', returns: 'size', descriptor: true },
  close: { type: 'CLOSE', name: 'aue_close', returns: '0', descriptor: true },
  seek: { type: 'LSEEK', name: 'aue_lseek', returns: '8192', descriptor: true },
  control: {
    type: 'FCNTL',
    name: 'aue_fcntl',
    parameters: integerParameter('cmd', 4),
    returns: '0',
    descriptor: true,
  },
  mapFile: { type: 'MMAP', name: 'aue_mmap', partial: true, descriptor: true },
  fork: { type: 'FORK', name: 'aue_fork', returns: 'pid' },
  clone: { type: 'FORK', name: 'aue_vfork', returns: 'pid' },
  execute: { type: 'EXECUTE', name: 'aue_execve', path: true, returns: '0' },
  exit: { type: 'EXIT', name: 'aue_exit', returns: '0' },
  changeDirectory: { type: 'MODIFY_PROCESS', name: 'aue_chdir', path: true, returns: '0' },
  changeUser: { type: 'CHANGE_PRINCIPAL', name: 'aue_setuid', returns: '0' },
  makeDirectory: {
    type: 'CREATE_OBJECT',
    name: 'aue_mkdir',
    parameters: integerParameter('mode', 0o777),
    path: true,
    returns: '0',
  },
  makePipe: { type: 'CREATE_OBJECT', name: 'aue_pipe', returns: '0' },
  makeSocket: { type: 'CREATE_OBJECT', name: 'aue_socket', returns: '5' },
  connect: {
    type: 'CONNECT',
    name: 'aue_connect',
    path: true,
    returns: '0',
    address: true,
    descriptor: true,
  },
  accept: { type: 'ACCEPT', name: 'aue_accept', path: true, returns: '6', address: true, descriptor: true },
  sendTo: { type: 'SENDTO', name: 'aue_sendto', returns: 'size', descriptor: true },
  receiveFrom: { type: 'RECVFROM', name: 'aue_recvfrom', returns: 'size', address: true, descriptor: true },
  sendMessage: { type: 'SENDMSG', name: 'aue_sendmsg', returns: 'size', address: true, descriptor: true },
  receiveMessage: { type: 'RECVMSG', name: 'aue_recvmsg', returns: 'size', address: true, descriptor: true },
  unlink: { type: 'UNLINK', name: 'aue_unlink', path: true, returns: '0' },
  rename: { type: 'RENAME', name: 'aue_rename', path: true, returns: '0' },
  link: { type: 'LINK', name: 'aue_link', path: true, returns: '0' },
  truncate: { type: 'TRUNCATE', name: 'aue_ftruncate', returns: '0', descriptor: true },
  changeMode: {
    type: 'MODIFY_FILE_ATTRIBUTES',
    name: 'aue_chmod',
    parameters: integerParameter('mode', 0o755),
    path: true,
    returns: '0',
  },
  changeTimes: { type: 'MODIFY_FILE_ATTRIBUTES', name: 'aue_utimes', path: true, returns: '0' },
  signal: { type: 'SIGNAL', name: 'aue_kill', returns: '0' },
  flowsTo: { type: 'FLOWS_TO', name: '' },
};

/** A shape with its constant text. */
interface Template extends CallShape {
  readonly beforeSubject: string;
  readonly beforeSize: string;
}

const FILE_TYPES: Partial<Record<SimEntity['kind'], string>> = {
  directory: 'FILE_OBJECT_DIR',
  'unix-socket': 'FILE_OBJECT_UNIX_SOCKET',
};

/** FreeBSD with DTrace, as in CADETS: events carry the names of programs and files, entity records do not. */
export function cadets(host: HostIdentity, nextUuid: () => string): Dialect {
  const hostLower = host.uuid.toLowerCase();
  const base = `"baseObject":{"hostId":"${host.uuid}","permission":null,"epoch":null,"properties":{"map":{}}}`;
  const end = `}}}${closing(SOURCE)}`;
  const templates = new Map<Call, Template>();
  const relations: Partial<Record<Call, string>> = {};
  for (const [call, shape] of Object.entries(SHAPES) as [Call, CallShape][]) {
    relations[call] = `EVENT_${shape.type}`;
    templates.set(call, {
      ...shape,
      beforeSubject: `},"type":"EVENT_${shape.type}","threadId":{"int":`,
      beforeSize: `,"name":{"string":"${shape.name}"},"parameters":{"array":[${shape.parameters ?? ''}]},"location":null,"size":`,
    });
  }
  const afterSize = `,"programPoint":null,"properties":{"map":{"host":"${hostLower}"`;

  // `join` makes a flat string; V8 keeps a template literal as a tree that it would walk for every event.
  function renderSubject(process: Process): void {
    process.text = [
      process.threadId,
      `},"hostId":"${host.uuid}","subject":`,
      ref(process.uuid),
      ',"predicateObject":',
    ].join('');
    process.textEnd = [',"ppid":"', process.parent?.pid ?? 1, '"', end].join('');
  }

  function event(e: AuditEvent): string {
    const head = `${EVENT_START}${nextUuid()}","sequence":{"long":${e.sequence}`;
    const { object, object2, size } = e;
    if (e.subject === undefined) {
      return `${head}},"type":"${e.relation}","threadId":{"int":0},"hostId":"${host.uuid}","subject":null,"predicateObject":${optionalRef(object)},"predicateObjectPath":null,"predicateObject2":${optionalRef(object2)},"predicateObject2Path":null,"timestampNanos":${e.time},"name":null,"parameters":null,"location":null,"size":null,"programPoint":null,"properties":{"map":{${end}`;
    }
    const template = templates.get(e.call) as Template;
    const process = e.subject as Process;
    if (process.text === '') renderSubject(process);
    let line = head + template.beforeSubject + process.text;
    if (object === undefined) {
      line += NO_OBJECT;
    } else if (object2 !== undefined || object.kind === 'process') {
      line += objects(object, object2, template.path === true);
    } else {
      if (object.text === '') renderObject(object);
      line += template.path ? object.text : object.textEnd;
    }
    line += e.time + template.beforeSize + optionalLong(size) + afterSize;
    if (template.returns === 'size') line += `,"return_value":"${size}"`;
    else if (template.returns === 'pid') line += `,"return_value":"${(object as Process).pid}"`;
    else if (template.returns) line += `,"return_value":"${template.returns}"`;
    if (object !== undefined && template.partial && isNamed(object))
      line += `,"partial_path":"${object.name}"`;
    if (template.descriptor) line += `,"fd":"${3 + (e.sequence & 7)}"`;
    line += `,"exec":"${process.name}"`;
    if (e.call === 'execute') line += `,"cmdLine":${JSON.stringify(process.commandLine)}`;
    if (template.address) line += addressOf(object);
    if (template.returns === 'pid') line += `,"arg_pid":"${(object as Process).pid}"`;
    return line + process.textEnd;
  }

  function entity(e: SimEntity): EntityRecord {
    const uuid = `"uuid":"${e.uuid}",`;
    switch (e.kind) {
      case 'process': {
        const p = e as Process;
        return entityRecord(
          'Subject',
          `${uuid}"type":"SUBJECT_PROCESS","cid":${p.pid},"parentSubject":${p.parent ? ref(p.parent.uuid) : 'null'},"hostId":"${host.uuid}","localPrincipal":"${p.user.principal}","startTimestampNanos":0,"unitId":{"int":0},"iteration":null,"count":null,"cmdLine":null,"privilegeLevel":null,"importedLibraries":null,"exportedLibraries":null,"properties":{"map":{"host":"${hostLower}"}}`,
          SOURCE,
        );
      }
      case 'flow': {
        const f = e as Flow;
        return entityRecord(
          'NetFlowObject',
          `${uuid}${base},"localAddress":"${f.localAddress}","localPort":${f.localPort},"remoteAddress":"${f.remoteAddress}","remotePort":${f.remotePort},"ipProtocol":null,"fileDescriptor":null`,
          SOURCE,
        );
      }
      case 'pipe':
        return entityRecord(
          'UnnamedPipeObject',
          `${uuid}${base},"sourceFileDescriptor":null,"sinkFileDescriptor":null,"sourceUUID":${ref(e.uuid)},"sinkUUID":${ref(e.uuid)}`,
          SOURCE,
        );
      default:
        return entityRecord(
          'FileObject',
          `${uuid}${base},"type":"${FILE_TYPES[e.kind] ?? 'FILE_OBJECT_FILE'}","fileDescriptor":null,"localPrincipal":null,"size":null,"peInfo":null,"hashes":null`,
          SOURCE,
        );
    }
  }

  return {
    relations,
    resolution: 1,
    opening: () => [
      entityRecord(
        'Host',
        `"uuid":"${host.uuid}","hostName":"${host.name}","hostIdentifiers":[],"osDetails":"FreeBSD 11.1-RELEASE amd64","hostType":"HOST_SERVER","interfaces":[{"name":"em0","macAddress":"52:54:00:a1:0c:49","ipAddresses":["${host.address}"]}]`,
        SOURCE,
      ),
    ],
    user: (user) =>
      entityRecord(
        'Principal',
        `"uuid":"${user.principal}","type":"PRINCIPAL_LOCAL","hostId":"${host.uuid}","userId":"${user.uid}","username":{"string":"${user.name}"},"groupIds":[],"properties":{"map":{}}`,
        SOURCE,
      ),
    entity,
    event,
  };
}

const NO_OBJECT =
  'null,"predicateObjectPath":null,"predicateObject2":null,"predicateObject2Path":null,"timestampNanos":';

/** Caches a single object with its path in `text` and without it in `textEnd`. */
function renderObject(object: SimEntity): void {
  object.text = objects(object, undefined, true);
  object.textEnd = objects(object, undefined, false);
}

function objects(object: SimEntity, object2: SimEntity | undefined, withPath: boolean): string {
  const path = withPath && isNamed(object) ? `{"string":"${object.name}"}` : 'null';
  const second =
    object2 === undefined
      ? 'null,"predicateObject2Path":null'
      : `${ref(object2.uuid)},"predicateObject2Path":${optionalText(object2.name)}`;
  return [
    ref(object.uuid),
    ',"predicateObjectPath":',
    path,
    ',"predicateObject2":',
    second,
    ',"timestampNanos":',
  ].join('');
}

function optionalRef(entity: SimEntity | undefined): string {
  return entity === undefined ? 'null' : ref(entity.uuid);
}

/** Files and UNIX sockets have paths; flows, pipes and processes do not. */
function isNamed(entity: SimEntity): entity is FileNode {
  return entity.kind !== 'process' && entity.kind !== 'flow' && entity.kind !== 'pipe';
}

function addressOf(object: SimEntity | undefined): string {
  if (object?.kind === 'flow') {
    const flow = object as Flow;
    return `,"address":"${flow.remoteAddress}","port":"${flow.remotePort}"`;
  }
  return object?.kind === 'unix-socket' ? `,"address":"${object.name}"` : '';
}
