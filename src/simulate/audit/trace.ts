import type { Call } from '../kernel/calls.js';
import type { FileNode, Flow, Memory, Process, SimEntity, Unit } from '../kernel/entities.js';
import { CDM, closing, EVENT_START, entityRecord, optionalLong, ref } from './cdm18.js';
import type { AuditEvent, Dialect, EntityRecord, HostIdentity } from './dialect.js';

const SOURCE = 'SOURCE_LINUX_SYSCALL_TRACE';

/** Event type and the properties that TRACE adds. */
const SHAPES: Partial<Record<Call, readonly [type: string, properties?: string]>> = {
  open: ['OPEN', '"flags":"O_RDONLY"'],
  openForWriting: ['OPEN', '"flags":"O_WRONLY|O_APPEND"'],
  create: ['CREATE_OBJECT', '"mode":"0","flags":"O_RDWR|O_CREAT"'],
  read: ['READ'],
  write: ['WRITE'],
  readSocket: ['READ'],
  writeSocket: ['WRITE'],
  close: ['CLOSE'],
  map: ['MMAP', '"protection":"PROT_READ"'],
  mapFile: ['LOADLIBRARY'],
  protect: ['MPROTECT', '"protection":"PROT_READ|PROT_EXEC"'],
  fork: ['FORK'],
  clone: ['CLONE'],
  execute: ['EXECUTE'],
  exit: ['EXIT'],
  unit: ['UNIT'],
  changeUser: ['CHANGE_PRINCIPAL'],
  makeDirectory: ['CREATE_OBJECT', '"mode":"755"'],
  connect: ['CONNECT'],
  accept: ['ACCEPT'],
  sendTo: ['SENDMSG'],
  sendMessage: ['SENDMSG'],
  receiveFrom: ['RECVMSG'],
  receiveMessage: ['RECVMSG'],
  unlink: ['UNLINK'],
  rename: ['RENAME'],
  link: ['LINK'],
  truncate: ['TRUNCATE'],
  changeMode: ['MODIFY_FILE_ATTRIBUTES', '"mode":"755"'],
};

const FILE_TYPES: Partial<Record<SimEntity['kind'], string>> = {
  directory: 'FILE_OBJECT_DIR',
  link: 'FILE_OBJECT_LINK',
  char: 'FILE_OBJECT_CHAR',
  block: 'FILE_OBJECT_BLOCK',
  'unix-socket': 'FILE_OBJECT_UNIX_SOCKET',
};

/** Linux with SPADE, as in TRACE: processes and files have names, units divide long-running programs, times are in ms. */
export function trace(host: HostIdentity, nextUuid: () => string): Dialect {
  const end = `}}}${closing(SOURCE)}`;
  const relations: Partial<Record<Call, string>> = {};
  const afterSize = new Map<Call, string>();
  for (const [call, shape] of Object.entries(SHAPES) as [Call, readonly [string, string?]][]) {
    relations[call] = `EVENT_${shape[0]}`;
    afterSize.set(call, `,"programPoint":null,"properties":{"map":{${shape[1] ?? ''}${end}`);
  }

  function event(e: AuditEvent): string {
    const subject = e.subject as Process | Unit;
    if (subject.text === '') {
      const { pid } = subject.kind === 'unit' ? subject.process : subject;
      subject.text = `","threadId":{"int":${pid}},"hostId":"${host.uuid}","subject":${ref(subject.uuid)},"predicateObject":`;
    }
    const { object, object2 } = e;
    const path = object !== undefined && isPath(object) ? `{"string":"${object.name}"}` : 'null';
    const second =
      object2 === undefined
        ? 'null,"predicateObject2Path":null'
        : `${ref(object2.uuid)},"predicateObject2Path":{"string":"${object2.name}"}`;
    return `${EVENT_START}${nextUuid()}","sequence":{"long":${e.sequence}},"type":"${e.relation}${subject.text}${object === undefined ? 'null' : ref(object.uuid)},"predicateObjectPath":${path},"predicateObject2":${second},"timestampNanos":${e.time},"name":null,"parameters":null,"location":null,"size":${optionalLong(e.size)}${afterSize.get(e.call)}`;
  }

  const base = (permission: string, properties: string) =>
    `"baseObject":{"hostId":"${host.uuid}","permission":${permission},"epoch":{"int":0},"properties":{"map":{${properties}}}}`;
  const noPermission = base('null', '');

  function subject(
    uuid: string,
    kind: string,
    p: Process,
    parent: string,
    unit: string,
    at: number,
  ): EntityRecord {
    const started = at === 0 ? '0' : millis(host, at, '000000');
    // The command line is logged at execution, so a process that ran before the log has none.
    const command = p.parent === undefined ? 'null' : `{"string":${JSON.stringify(p.commandLine)}}`;
    return entityRecord(
      'Subject',
      `"uuid":"${uuid}","type":"${kind}","cid":${p.pid},"parentSubject":${parent},"hostId":"${host.uuid}","localPrincipal":"${p.user.principal}","startTimestampNanos":${started},${unit},"cmdLine":${command},"privilegeLevel":null,"importedLibraries":null,"exportedLibraries":null,"properties":{"map":{"name":"${p.program.name}","seen time":"${seenTime(host, at)}","ppid":"${p.parent?.pid ?? 1}"}}`,
      SOURCE,
    );
  }

  function entity(e: SimEntity): EntityRecord {
    const uuid = `"uuid":"${e.uuid}",`;
    switch (e.kind) {
      case 'process': {
        const p = e as Process;
        const parent = p.parent === undefined ? 'null' : ref(p.parent.uuid);
        return subject(
          p.uuid,
          'SUBJECT_PROCESS',
          p,
          parent,
          '"unitId":{"int":0},"iteration":null,"count":null',
          p.startedAt,
        );
      }
      case 'unit': {
        const u = e as Unit;
        const unit = `"unitId":{"int":1},"iteration":{"int":${u.iteration}},"count":{"int":0}`;
        return subject(u.uuid, 'SUBJECT_UNIT', u.process, ref(u.process.uuid), unit, u.startedAt);
      }
      case 'flow': {
        const f = e as Flow;
        return entityRecord(
          'NetFlowObject',
          `${uuid}${noPermission},"localAddress":"${f.localAddress}","localPort":${f.localPort},"remoteAddress":"${f.remoteAddress}","remotePort":${f.remotePort},"ipProtocol":null,"fileDescriptor":null`,
          SOURCE,
        );
      }
      case 'pipe':
        return entityRecord(
          'UnnamedPipeObject',
          `${uuid}${noPermission},"sourceFileDescriptor":{"int":3},"sinkFileDescriptor":{"int":4},"sourceUUID":null,"sinkUUID":null`,
          SOURCE,
        );
      case 'memory': {
        const m = e as Memory;
        return entityRecord(
          'MemoryObject',
          `${uuid}${noPermission},"memoryAddress":${m.address},"pageNumber":null,"pageOffset":null,"size":{"long":${m.size}}`,
          SOURCE,
        );
      }
      case 'srcsink':
        return entityRecord(
          'SrcSinkObject',
          `${uuid}${base('null', '"pid":"412"')},"type":"SRCSINK_UNKNOWN","fileDescriptor":{"int":8}`,
          SOURCE,
        );
      default: {
        const f = e as FileNode;
        const permission = `{"${CDM}.SHORT":"0000"}`;
        return entityRecord(
          'FileObject',
          `${uuid}${base(permission, `"path":"${f.name}"`)},"type":"${FILE_TYPES[f.kind] ?? 'FILE_OBJECT_FILE'}","fileDescriptor":null,"localPrincipal":null,"size":null,"peInfo":null,"hashes":null`,
          SOURCE,
        );
      }
    }
  }

  return {
    relations,
    resolution: 1_000_000,
    opening: () => [
      entityRecord('StartMarker', '"sessionNumber":3', SOURCE),
      entityRecord(
        'Host',
        `"uuid":"${host.uuid}","hostName":"${host.name}","hostIdentifiers":[{"idType":"serial number","idValue":"${host.uuid.replaceAll('-', '').toLowerCase()}"}],"osDetails":"#192-Ubuntu","hostType":"HOST_DESKTOP","interfaces":[{"name":"em2","macAddress":"52:54:00:36:af:14","ipAddresses":["${host.address}"]},{"name":"lo","macAddress":"","ipAddresses":["0000:0000:0000:0000:0000:0000:0000:0001","127.0.0.1"]}]`,
        SOURCE,
      ),
    ],
    user: (user) =>
      entityRecord(
        'Principal',
        `"uuid":"${user.principal}","type":"PRINCIPAL_LOCAL","hostId":"${host.uuid}","userId":"${user.uid}","username":null,"groupIds":["${user.uid}","${user.uid}"],"properties":{"map":{"euid":"${user.uid}"}}`,
        SOURCE,
      ),
    entity,
    event,
  };
}

function isPath(entity: SimEntity): boolean {
  return entity.kind in FILE_TYPES || entity.kind === 'file';
}

function millis(host: HostIdentity, at: number, end: string): string {
  const seconds = Math.floor(at / 1e9);
  const rest = Math.floor((at - seconds * 1e9) / 1e6);
  return `${host.startSeconds + seconds}${String(1000 + rest).slice(1)}${end}`;
}

function seenTime(host: HostIdentity, at: number): string {
  const digits = millis(host, at, '');
  return `${digits.slice(0, -3)}.${digits.slice(-3)}`;
}
