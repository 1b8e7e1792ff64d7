import { ACT, ARG, ARG_WORDS, NONE, PATH, ROLE, TARGET_WORDS } from './act.js';
import { joinPath } from './path-join.js';
import type { ProcessRecord } from './process-record.js';
import { targetOf } from './processes.js';
import type { Outcome, Scene } from './scene.js';

const CLONE_THREAD = 0x10000;
const MAX_COMMAND = 8192;
const PTRACE_TRACEME = 0;
const PTRACE_PEEKS = new Set([1, 2, 3]);

/** The child appears with its own first call, because only then its identifier is known. */
export function fork(scene: Scene): Outcome {
  if (scene.failed) return 'failedCall';
  const { process, host, time } = scene;
  if (scene.call.name === 'clone' && (scene.argument(0) & CLONE_THREAD) !== 0) {
    process.threads++;
    return 'thread';
  }
  const child = scene.word(ACT.exit);
  if (child <= 0) return 'failedCall';
  const known = host.processes.get(child);
  if (known !== undefined && known.start >= time) {
    // The first record of the child came before the one of the fork. If it was also before the first record of the
    // parent, nothing told yet who started the child.
    if (known.forked || (known.parent !== undefined && known.parent.id !== process.id)) return 'merged';
    if (known.parent === undefined) {
      known.setParent(process);
      scene.out.describe(known);
    }
    known.forked = true;
    // The event is the child's, as for every other fork.
    scene.out.event(scene.out.fork, 2, process, known);
    return 'merged';
  }
  if (known !== undefined) known.ended = Math.min(known.ended, time);
  host.addPending(child, { parent: process, time });
  return 'merged';
}

export function exec(scene: Scene): Outcome {
  const { tape, process, out } = scene;
  if (scene.failed && !scene.denied) return 'failedCall';
  const path = pathOfItem(scene, 0);
  let file = scene.file(path);
  if (typeof file === 'string') {
    const exe = scene.text(ACT.exe);
    if (exe === undefined) return file;
    file = out.file(tape.numberOf(joinPath('/', exe)), undefined);
  }
  if (!scene.failed) becomeProgram(scene, process, path, file.id);
  return scene.event(scene.kind(), file);
}

function becomeProgram(scene: Scene, process: ProcessRecord, path: number, file: string): void {
  const exe = scene.text(ACT.exe);
  process.exe = exe;
  process.script = scriptOf(scene, path, file, process);
  process.name = process.script ?? exe ?? file;
  process.cmd = commandOf(scene) ?? scene.text(ACT.cmd) ?? scene.text(ACT.title);
  process.threads = 0;
  process.descriptors?.exec();
  process.changed();
}

/**
 * The script that was run. The kernel starts the interpreter with its name, an optional option and the script; its record
 * has the script as the first path and the interpreter as the second. `#!/usr/bin/env python3` execs once more.
 */
function scriptOf(scene: Scene, path: number, file: string, process: ProcessRecord): string | undefined {
  if (path < 0 || scene.word(ACT.args) === 0) return undefined;
  const { tape } = scene;
  const first = tape.argsAt(scene.act);
  const [a0, a1, a2] = [ARG.a0, ARG.a1, ARG.a2].map((word) => tape.text(tape.words[first + word]));
  const interpreter = pathOfItem(scene, 1);
  if (interpreter >= 0 && a0 !== undefined && tape.text(tape.words[interpreter + PATH.name]) === a0) {
    const name = tape.text(tape.words[path + PATH.name]);
    if (name === a1 || name === a2) return file;
  }
  const { script } = process;
  return script !== undefined && (a1 === script || a2 === script) ? script : undefined;
}

/** The command line, joined from the records that have parts of it. */
function commandOf(scene: Scene): string | undefined {
  const { tape } = scene;
  const count = scene.word(ACT.args);
  if (count === 0) return undefined;
  const first = tape.argsAt(scene.act);
  if (count === 1) return tape.text(tape.words[first + ARG.text]);
  const parts = Array.from({ length: count }, (_, i) => first + i * ARG_WORDS).sort(
    (a, b) =>
      tape.words[a + ARG.index] - tape.words[b + ARG.index] ||
      tape.words[a + ARG.piece] - tape.words[b + ARG.piece],
  );
  let command = '';
  for (const [i, part] of parts.entries()) {
    // A piece of an argument goes on where the piece before it ended.
    const glue = i === 0 || tape.words[part + ARG.piece] > 0 ? '' : ' ';
    command += glue + (tape.text(tape.words[part + ARG.text]) ?? '');
    if (command.length > MAX_COMMAND) break;
  }
  return command.slice(0, MAX_COMMAND).toWellFormed();
}

function pathOfItem({ tape, act }: Scene, item: number): number {
  for (let i = 0; ; i++) {
    const at = tape.pathAt(act, i);
    if (at < 0 || (tape.words[at + PATH.item] === item && tape.words[at + PATH.role] !== ROLE.parent))
      return at;
  }
}

export function exit(scene: Scene): Outcome {
  const { process } = scene;
  // `exit` ends one thread; a process ends with its last one.
  if (scene.call.name === 'exit' && process.threads > 0) {
    process.threads--;
    return 'thread';
  }
  process.ended = Math.min(process.ended, scene.time);
  return scene.event(scene.kind());
}

/** The record has the users after the call. `subjectOf` left the change to this function. */
export function setUser(scene: Scene): Outcome {
  const { process, host } = scene;
  if (scene.failed) return scene.denied ? scene.event(scene.kind()) : 'failedCall';
  if (scene.call.kind === 'setgid') {
    const group = host.user(scene.word(ACT.group), undefined, 'gid');
    return group === undefined ? 'unchangedUser' : scene.event(scene.kind(), group);
  }
  if (!scene.userChanged || process.user === undefined) return 'unchangedUser';
  return scene.event(scene.kind(), process.user);
}

/** Signals and access to the memory of other processes. */
export function signal(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  const { call } = scene;
  const probe = call.action === 'signal' && call.name === 'kill' && scene.argument(1) === 0;
  const kind = probe ? scene.out.kind(call, '_probe', 'query', true) : scene.kind();
  return aimed(scene, kind);
}

export function trace(scene: Scene): Outcome {
  if (scene.failed && !scene.denied) return 'failedCall';
  const request = scene.argument(0);
  if (request === PTRACE_TRACEME) {
    const parent = scene.host.alive(scene.process.ppid, scene.time);
    return parent === undefined
      ? 'unknownProcess'
      : scene.event(scene.out.kind(scene.call, '_traceme', 'access', false), parent);
  }
  if (PTRACE_PEEKS.has(request)) return aimed(scene, scene.out.kind(scene.call, '_peek', 'access', true));
  return aimed(scene, scene.kind());
}

/** Adds an event for each process that the call is aimed at. */
function aimed(scene: Scene, kind: ReturnType<Scene['kind']>): Outcome {
  const { tape, act } = scene;
  const count = scene.word(ACT.targets);
  for (let i = 0; i < count; i++) {
    const at = tape.targetsAt(act) + i * TARGET_WORDS;
    scene.event(kind, targetOf(scene, tape.words[at], tape.text(tape.words[at + 1])));
  }
  if (count > 0) return 'kept';
  const { argument } = scene.call;
  const pid = argument < 0 ? NONE : scene.argument(argument);
  const target = pid > 0 ? scene.host.alive(pid, scene.time) : undefined;
  return target === undefined ? 'unknownProcess' : scene.event(kind, target);
}

/** A login that a program reports: the process gets the session, and an event with the account. */
export function login(scene: Scene): Outcome {
  const pid = scene.word(ACT.pid);
  if (pid === NONE) return 'noProcess';
  const process = targetOf(scene, pid, scene.text(ACT.exe));
  scene.process = process;
  const account = scene.text(ACT.account);
  const user =
    scene.host.user(scene.word(ACT.group), account) ??
    (account === undefined ? undefined : scene.host.principal(`user:${account}`, account));
  const session = scene.word(ACT.session);
  if (session !== NONE && process.session !== session) {
    process.session = session;
    process.changed();
  }
  return scene.event(scene.out.login, user);
}
