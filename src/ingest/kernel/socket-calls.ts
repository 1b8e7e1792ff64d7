import { ACT, FAMILY, NONE } from './act.js';
import { objectOf } from './descriptor-calls.js';
import type { EntityRecord } from './entity-record.js';
import { joinPath } from './path-join.js';
import type { Outcome, Scene, SkipReason } from './scene.js';

const EINPROGRESS = -115;
const SOCK_CLOEXEC = 0x80000;

/**
 * A connection that is not blocking ends with EINPROGRESS, and usually succeeds. It is kept with an unknown result. Failed
 * connections over the network are kept too: scans consist of them.
 */
export function connect(scene: Scene): Outcome {
  const remote = addressOf(scene);
  if (typeof remote === 'string') return remote;
  const pending = scene.word(ACT.exit) === EINPROGRESS;
  if (remote.type === 'file' && scene.failed && !pending && !scene.denied) return 'failedCall';
  const number = scene.argument(0);
  const bound = scene.process.descriptors?.get(number);
  if (bound?.type === 'flow' && bound.local !== undefined) remote.local = bound.local;
  if (!scene.failed || pending) scene.descriptors.set(number, remote, false);
  scene.out.event(scene.kind(), pending ? 0 : scene.word(ACT.ok), scene.process, remote);
  return 'kept';
}

export function bind(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  const local = addressOf(scene);
  if (typeof local === 'string') return local;
  if (local.type === 'flow') local.local = local.id;
  if (!scene.failed) scene.descriptors.set(scene.argument(0), local, false);
  return scene.event(scene.kind(), local);
}

/** The address is the one of the peer. Peers on a local socket have none, so the socket itself stands for them. */
export function accept(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const listening = scene.process.descriptors?.get(scene.argument(0));
  let peer = addressOf(scene);
  if (typeof peer === 'string') {
    const isLocal = scene.word(ACT.family) === FAMILY.unix || scene.word(ACT.family) === FAMILY.none;
    if (!isLocal || listening === undefined) return peer;
    peer = listening;
  } else if (peer.type === 'flow' && listening?.type === 'flow') peer.local = listening.local;
  const number = scene.word(ACT.exit);
  const closeOnExec = scene.call.name === 'accept4' && (scene.argument(3) & SOCK_CLOEXEC) !== 0;
  if (number >= 0) scene.descriptors.set(number, peer, closeOnExec);
  return scene.event(scene.kind(), peer);
}

/** Sends and receives: to the address of the call or, on a connected socket, to that of the descriptor. */
export function socketData(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const address = addressOf(scene);
  const object = typeof address === 'string' ? objectOf(scene, scene.argument(0)) : address;
  return object === undefined ? 'unknownDescriptor' : scene.event(scene.kind(), object);
}

/** The flow or local socket of the address of the act. */
function addressOf(scene: Scene): EntityRecord | SkipReason {
  const family = scene.word(ACT.family);
  const address = scene.word(ACT.address);
  if (family === FAMILY.none) return 'noAddress';
  if (family === FAMILY.other) return 'otherAddress';
  if (address === NONE) return 'noAddress';
  if (family !== FAMILY.unix) return scene.out.flow(address);
  const path = scene.tape.text(address) as string;
  if (path.startsWith('@') || path.startsWith('/')) {
    return scene.out.file(path.startsWith('@') ? address : scene.tape.cleaned(address), 'socket');
  }
  const cwd = scene.text(ACT.cwd);
  return cwd === undefined
    ? 'unknownFolder'
    : scene.out.file(scene.tape.numberOf(joinPath(cwd, path)), 'socket');
}
