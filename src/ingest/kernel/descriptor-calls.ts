import { ACT, NONE, ROLES } from './act.js';
import { EntityRecord } from './entity-record.js';
import type { Outcome, Scene } from './scene.js';

const F_DUPFD = 0;
const F_DUPFD_CLOEXEC = 1030;
const O_CLOEXEC = 0x80000;
const PROT_EXEC = 4;

/** Calls on a descriptor. Sensors that resolve descriptors themselves give the path or the address with the call. */
export function descriptor(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const object = objectOf(scene, scene.argument(0));
  return object === undefined ? 'unknownDescriptor' : scene.event(scene.kind(), object);
}

export function objectOf(scene: Scene, number: number): EntityRecord | undefined {
  const path = scene.word(ACT.paths) > 0 ? scene.file(scene.lastPath(ROLES.normal)) : undefined;
  if (path !== undefined && typeof path !== 'string') return path;
  return scene.process.descriptors?.get(number);
}

/** Calls that copy from one descriptor to another. */
export function transfer(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const { call } = scene;
  const { name } = call;
  const reversed = name.startsWith('sendfile');
  const [from, to] = reversed ? [1, 0] : [0, name === 'tee' ? 1 : 2];
  const source = scene.process.descriptors?.get(scene.argument(from));
  const target = scene.process.descriptors?.get(scene.argument(to));
  if (source !== undefined) scene.event(scene.out.kind(call, '_read', 'read', true), source);
  if (target !== undefined) scene.event(scene.out.kind(call, '_write', 'write', false), target);
  return source === undefined && target === undefined ? 'unknownDescriptor' : 'kept';
}

export function duplicate(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const [from, to] = [scene.argument(0), scene.word(ACT.exit)];
  const closeOnExec = scene.call.name === 'dup3' && (scene.argument(2) & O_CLOEXEC) !== 0;
  copyDescriptor(scene, from, to, closeOnExec);
  return 'merged';
}

export function control(scene: Scene): Outcome {
  const command = scene.argument(1);
  if (command !== F_DUPFD && command !== F_DUPFD_CLOEXEC) return 'otherCall';
  if (scene.failed) return 'failedCall';
  copyDescriptor(scene, scene.argument(0), scene.word(ACT.exit), command === F_DUPFD_CLOEXEC);
  return 'merged';
}

function copyDescriptor(scene: Scene, from: number, to: number, closeOnExec: boolean): void {
  if (to < 0 || from === to) return;
  const entity = scene.process.descriptors?.get(from);
  if (entity === undefined) scene.process.descriptors?.delete(to);
  else scene.descriptors.set(to, entity, closeOnExec);
}

export function close(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const { descriptors } = scene.process;
  const first = scene.argument(0);
  if (scene.call.name === 'close') descriptors?.delete(first);
  else descriptors?.deleteRange(first >>> 0, scene.argument(1) >>> 0);
  return 'merged';
}

/** Calls without an object: a new socket only frees the number of an old descriptor. */
export function socket(scene: Scene): Outcome {
  if (scene.call.name !== 'socket') return 'otherCall';
  if (scene.failed) return 'failedCall';
  scene.process.descriptors?.delete(scene.word(ACT.exit));
  return 'merged';
}

/** Pipes and pairs of sockets: two descriptors of one entity. */
export function pair(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const [first, second] = [scene.word(ACT.fd0), scene.word(ACT.fd1)];
  if (first === NONE || second === NONE) return 'unknownDescriptor';
  const { name } = scene.call;
  const id = `pipe:${scene.process.pid}@${scene.tape.exactTimeOf(scene.act)}#${first}`;
  const entity = EntityRecord.of('pipe', id, name === 'socketpair' ? 'socket-pair' : 'pipe', 'pipe');
  const closeOnExec = name === 'pipe2' && (scene.argument(1) & O_CLOEXEC) !== 0;
  scene.descriptors.set(first, entity, closeOnExec);
  scene.descriptors.set(second, entity, closeOnExec);
  return scene.event(scene.kind(), entity);
}

/** A mapping of a file. One that may run is the load of a program or library. */
export function map(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const number = scene.word(ACT.fd0);
  if (number === NONE || number < 0) return 'otherCall';
  const object = objectOf(scene, number);
  if (object === undefined) return 'unknownDescriptor';
  const executable = (scene.argument(2) & PROT_EXEC) !== 0;
  const kind = executable ? scene.out.kind(scene.call, '_exec', 'load', true) : scene.kind();
  return scene.event(kind, object);
}
