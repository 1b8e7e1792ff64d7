import { ACT, NONE, ROLES } from './act.js';
import type { EntityRecord } from './entity-record.js';
import { EntityRecord as Entity } from './entity-record.js';
import type { Outcome, Scene } from './scene.js';

const ACCESS_MODE = 3;
const WRITE_ONLY = 1;
const READ_WRITE = 2;
const CLOSE_ON_EXEC = 0x80000;
const PATH_ONLY = 0x200000;
const CREAT_FLAGS = 0x241;
const MFD_CLOEXEC = 1;

/**
 * An open tells by its flags what the process is going to do. The relation says so too: `openat_read`, `openat_write`,
 * `openat_create`. An open for both gives two events.
 */
export function open(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  scene.learnParents();
  const path = scene.lastPath(ROLES.normal | ROLES.create | ROLES.unknown);
  const file = scene.file(path);
  const flags = flagsOf(scene);
  if (!scene.failed) keepDescriptor(scene, file, flags);
  if (typeof file === 'string') return file;
  const { out, call } = scene;
  if (flags === NONE) return scene.event(out.kind(call, '', 'open', true), file);
  if ((flags & PATH_ONLY) !== 0) return 'merged';
  if (scene.lastPath(ROLES.create) >= 0) return scene.event(out.kind(call, '_create', 'create', false), file);
  const mode = flags & ACCESS_MODE;
  if (mode !== WRITE_ONLY) scene.event(out.kind(call, '_read', 'read', true), file);
  if (mode === WRITE_ONLY || mode === READ_WRITE) scene.event(out.kind(call, '_write', 'write', false), file);
  return 'kept';
}

function flagsOf(scene: Scene): number {
  const { argument, name } = scene.call;
  if (argument >= 0) return scene.argument(argument);
  return name === 'creat' ? CREAT_FLAGS : scene.word(ACT.flags);
}

function keepDescriptor(scene: Scene, file: EntityRecord | string, flags: number): void {
  const number = scene.word(ACT.exit);
  if (number < 0) return;
  if (typeof file === 'string') scene.descriptors.delete(number);
  else scene.descriptors.set(number, file, flags !== NONE && (flags & CLOSE_ON_EXEC) !== 0);
}

/** Calls with one path. */
export function path(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  scene.learnParents();
  const at = scene.lastPath(ROLES.normal | ROLES.create | ROLES.delete);
  const file = scene.file(at >= 0 ? at : scene.lastPath(ROLES.unknown));
  return typeof file === 'string' ? file : scene.event(scene.kind(), file);
}

/** Renames and links: the old and the new name. */
export function twoPaths(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  scene.learnParents();
  const isRename = scene.call.action === 'rename';
  const from = isRename ? scene.firstPath(ROLES.delete) : scene.firstPath(ROLES.normal | ROLES.unknown);
  const created = scene.lastPath(ROLES.create);
  const to = created >= 0 || !isRename ? created : scene.lastPath(ROLES.normal);
  const [old, fresh] = [scene.file(from), scene.file(to)];
  const known = [old, fresh].filter((file): file is EntityRecord => typeof file !== 'string');
  if (known.length === 0) return old as 'noPath';
  return scene.event(scene.kind(), known[0], known[1]);
}

/** The kernel looks up the folder first, then the device. */
export function mount(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  const [first, last] = [scene.firstPath(ROLES.normal), scene.lastPath(ROLES.normal)];
  const folder = scene.file(first);
  if (typeof folder === 'string') return folder;
  const device = last === first ? undefined : scene.file(last);
  return scene.event(scene.kind(), folder, typeof device === 'string' ? undefined : device);
}

/** A file in memory has no path that a later process could know, so each one is an entity of its own. */
export function memoryFile(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const number = scene.word(ACT.exit);
  const id = `memfd:${scene.process.pid}@${scene.tape.exactTimeOf(scene.act)}#${number}`;
  const file = Entity.of('memory', id, 'memfd', 'memfd');
  if (number >= 0) scene.descriptors.set(number, file, (scene.argument(1) & MFD_CLOEXEC) !== 0);
  return scene.event(scene.kind(), file);
}

/** The kernel runs the code of modules, so information goes out to them. */
export function kernelModule(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  const name = scene.text(ACT.module);
  const file =
    scene.call.name === 'finit_module' ? scene.process.descriptors?.get(scene.argument(0)) : undefined;
  const module =
    name === undefined ? undefined : Entity.of('module', `module:${name}`, 'kernel-module', name);
  if (module === undefined && file === undefined) return scene.event(scene.kind());
  return module === undefined ? scene.event(scene.kind(), file) : scene.event(scene.kind(), module, file);
}
