import type { Call } from '../kernel/calls.js';
import type { FileNode, Flow, Memory, Pipe, Process, SimEntity } from '../kernel/entities.js';
import { closing, EVENT_START, entityRecord, NIL_UUID, optionalLong, ref } from './cdm18.js';
import type { AuditEvent, Dialect, EntityRecord, HostIdentity } from './dialect.js';

const SOURCE = 'SOURCE_LINUX_THEIA';

/** Event type, logged name of the system call, and the properties that THEIA adds. */
const SHAPES: Partial<Record<Call, readonly [type: string, name: string, properties?: string]>> = {
  boot: ['BOOT', '', '"uptime":"75"'],
  open: ['OPEN', 'open', '"flags":"0","mode":"0"'],
  openForWriting: ['OPEN', 'open', '"flags":"1025","mode":"438"'],
  create: ['OPEN', 'open', '"flags":"577","mode":"438"'],
  read: ['READ', 'read'],
  write: ['WRITE', 'write'],
  readSocket: ['READ_SOCKET_PARAMS', 'read'],
  writeSocket: ['WRITE_SOCKET_PARAMS', 'write'],
  map: ['MMAP', 'mmap'],
  protect: ['MPROTECT', 'mprotect', '"protType":"5"'],
  fork: ['CLONE', 'clone'],
  clone: ['CLONE', 'clone'],
  execute: ['EXECUTE', ''],
  connect: ['CONNECT', 'connect', '"rc":"0"'],
  sendTo: ['SENDTO', 'sendto'],
  receiveFrom: ['RECVFROM', 'recvfrom'],
  sendMessage: ['SENDMSG', 'sendmsg'],
  receiveMessage: ['RECVMSG', 'recvmsg'],
  unlink: ['UNLINK', 'unlink'],
  changeMode: ['MODIFY_FILE_ATTRIBUTES', 'chmod'],
  sharedMemory: ['SHM', 'shmat'],
};

/** Linux with THEIA: process records have path and command line, file records have names; no close, exit, rename or accept. */
export function theia(host: HostIdentity, nextUuid: () => string): Dialect {
  const end = `}}}${closing(SOURCE)}`;
  const relations: Partial<Record<Call, string>> = {};
  const beforeSize = new Map<Call, string>();
  const afterSize = new Map<Call, string>();
  for (const [call, shape] of Object.entries(SHAPES) as [Call, readonly [string, string, string?]][]) {
    const [type, name, properties] = shape;
    relations[call] = `EVENT_${type}`;
    const nameText = name === '' ? 'null' : `{"string":"${name}"}`;
    beforeSize.set(call, `,"name":${nameText},"parameters":null,"location":null,"size":`);
    afterSize.set(call, `,"programPoint":null,"properties":{"map":{${properties ?? ''}`);
  }

  function event(e: AuditEvent): string {
    const process = e.subject as Process | undefined;
    let subject: string;
    if (process === undefined) {
      subject = `","threadId":{"int":0},"hostId":"${host.uuid}","subject":${ref(NIL_UUID)},"predicateObject":`;
    } else {
      if (process.text === '') {
        process.text = `","threadId":{"int":${process.pid}},"hostId":"${host.uuid}","subject":${ref(process.uuid)},"predicateObject":`;
      }
      subject = process.text;
    }
    const object = e.object === undefined ? 'null' : ref(e.object.uuid);
    const object2 = e.object2 === undefined ? 'null' : ref(e.object2.uuid);
    const properties =
      e.call === 'execute' ? `"cmdLine":${JSON.stringify((process as Process).commandLine)}` : '';
    return `${EVENT_START}${nextUuid()}","sequence":{"long":${e.sequence}},"type":"${e.relation}${subject}${object},"predicateObjectPath":null,"predicateObject2":${object2},"predicateObject2Path":null,"timestampNanos":${e.time}${beforeSize.get(e.call)}${optionalLong(e.size)}${afterSize.get(e.call)}${properties}${end}`;
  }

  const base = (properties: string) =>
    `"baseObject":{"hostId":"${host.uuid}","permission":null,"epoch":null,"properties":${properties}}`;

  const netFlow = (uuid: string, local: string, localPort: number, remote: string, remotePort: number) =>
    entityRecord(
      'NetFlowObject',
      `"uuid":"${uuid}",${base('null')},"localAddress":"${local}","localPort":${localPort},"remoteAddress":"${remote}","remotePort":${remotePort},"ipProtocol":null,"fileDescriptor":null`,
      SOURCE,
    );

  const file = (uuid: string, inode: number, properties: string, principal: string) =>
    entityRecord(
      'FileObject',
      `"uuid":"${uuid}",${base(`{"map":{"dev":"265289729",${properties}"inode":"${inode}"}}`)},"type":"FILE_OBJECT_BLOCK","fileDescriptor":null,"localPrincipal":${ref(principal)},"size":null,"peInfo":null,"hashes":null`,
      SOURCE,
    );

  function entity(e: SimEntity): EntityRecord {
    switch (e.kind) {
      case 'process': {
        const p = e as Process;
        const parent = p.parent;
        const command = JSON.stringify(p.commandLine || p.program.path);
        return entityRecord(
          'Subject',
          `"uuid":"${p.uuid}","type":"SUBJECT_PROCESS","cid":${p.pid},"parentSubject":${ref(parent?.uuid ?? NIL_UUID)},"hostId":"${host.uuid}","localPrincipal":"${p.user.principal}","startTimestampNanos":${epochNanos(host, p.startedAt)},"unitId":null,"iteration":null,"count":null,"cmdLine":{"string":${command}},"privilegeLevel":null,"importedLibraries":null,"exportedLibraries":null,"properties":{"map":{"tgid":"${p.pid}","path":"${p.program.path}","ppid":"${parent?.pid ?? 1}"}}`,
          SOURCE,
        );
      }
      case 'flow': {
        const f = e as Flow;
        return netFlow(f.uuid, f.localAddress, f.localPort, f.remoteAddress, f.remotePort);
      }
      case 'unix-socket':
        return netFlow(e.uuid, 'LOCAL', 0, 'NA', 0);
      case 'memory': {
        const m = e as Memory;
        return entityRecord(
          'MemoryObject',
          `"uuid":"${m.uuid}",${base('{"map":{"rc":"0"}}')},"memoryAddress":${m.address},"pageNumber":null,"pageOffset":null,"size":{"long":${m.size}}`,
          SOURCE,
        );
      }
      case 'pipe': {
        const p = e as Pipe;
        return file(p.uuid, p.inode, '', p.owner.user.principal);
      }
      default: {
        const f = e as FileNode;
        return file(f.uuid, f.inode, `"filename":"${f.name}",`, f.owner.principal);
      }
    }
  }

  return {
    relations,
    resolution: 1,
    opening: () => [
      entityRecord(
        'Host',
        `"uuid":"${host.uuid}","hostName":"${host.name}","hostIdentifiers":[],"osDetails":"","hostType":"HOST_DESKTOP","interfaces":[{"name":"eth0","macAddress":"52:54:00:f0:0d:23","ipAddresses":["${host.address}"]}]`,
        SOURCE,
      ),
    ],
    user: (user) =>
      entityRecord(
        'Principal',
        // THEIA marks users who came over the network as remote, and root too.
        `"uuid":"${user.principal}","type":"${user.uid === 0 ? 'PRINCIPAL_REMOTE' : 'PRINCIPAL_LOCAL'}","hostId":"${host.uuid}","userId":"${user.uid}","username":null,"groupIds":["${user.uid}","${user.uid}","${user.uid}","${user.uid}"],"properties":{"map":{"cred":"${user.uid}/${user.uid}/${user.uid}/${user.uid}/${user.uid}/${user.uid}/${user.uid}/${user.uid}"}}`,
        SOURCE,
      ),
    entity,
    event,
  };
}

function epochNanos(host: HostIdentity, at: number): string {
  const seconds = Math.floor(at / 1e9);
  return `${host.startSeconds + seconds}${String(1e9 + (at - seconds * 1e9)).slice(1)}`;
}
