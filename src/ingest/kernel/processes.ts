import { ACT, NONE } from './act.js';
import { END_GRACE, type HostState } from './host-state.js';
import { ProcessRecord } from './process-record.js';
import type { Scene } from './scene.js';

const INIT = 1;
const MOST_STEPS = 32;
const DELETED = ' (deleted)';

/** The process that made the call. It is new if its number was not in use, or was used for another process before. */
export function subjectOf(scene: Scene): ProcessRecord {
  const { host, time } = scene;
  const pid = scene.word(ACT.pid);
  const ppid = scene.word(ACT.ppid);
  const known = host.processes.get(pid);
  if (known !== undefined && !isReused(known, ppid, time, host)) {
    if (ppid !== NONE) known.ppid = ppid;
    if (time > known.last) known.last = time;
    update(scene, known);
    return known;
  }
  const process = start(scene, pid, ppid);
  update(scene, process);
  return process;
}

/** Tells whether a call with this process number comes from another process than the known one. */
function isReused(known: ProcessRecord, ppid: number, time: number, host: HostState): boolean {
  const fork = host.pending.get(known.pid);
  if (fork !== undefined && time >= fork.time) return true;
  if (time - known.ended > END_GRACE) return true;
  if (ppid === NONE || ppid === known.ppid || ppid === INIT) return false;
  // A process gets another parent only when its own one has ended, and then it is one of its ancestors.
  const other = host.processes.get(ppid);
  if (other === undefined || other.start > time) return false;
  const isAbove = isAncestor(known, ppid, host);
  if (isAbove === true) return false;
  const parent = host.processes.get(known.ppid);
  if (parent !== undefined && parent.ended >= time) return true;
  // What is above the known ancestors ran before the log, so a process that was started later is not among it.
  return isAbove === false || other.forked;
}

/** Whether a process number is above a process; undefined if not all that is above it is known. */
function isAncestor(
  { ancestors, ppid, start }: ProcessRecord,
  pid: number,
  host: HostState,
): boolean | undefined {
  if (ancestors.includes(pid)) return true;
  let above = ancestors.at(-1) ?? ppid;
  for (let step = 0; step < MOST_STEPS; step++) {
    if (above === pid) return true;
    if (above === INIT || above === 0) return false;
    const next = host.processes.get(above);
    if (next === undefined || next.start > start) return undefined;
    above = next.ppid;
  }
  return undefined;
}

function start(scene: Scene, pid: number, ppid: number): ProcessRecord {
  const { host, time, tape, out } = scene;
  const process = new ProcessRecord(
    pid,
    ppid,
    tape.exactTimeOf(scene.act),
    scene.word(ACT.user),
    scene.word(ACT.session),
  );
  const fork = host.pending.get(pid);
  const isForked = fork !== undefined && time >= fork.time;
  if (isForked) host.pending.delete(pid);
  const parent = isForked ? fork.parent : ppid === NONE ? undefined : host.alive(ppid, time);
  const waiting = host.orphans.get(pid);
  host.orphans.delete(pid);
  host.add(process, tape.batch);
  if (parent !== undefined) {
    inherit(process, parent);
    // The first call of the child may be the one that changes its user.
    process.uid = parent.uid;
    process.user = parent.user;
    out.event(out.fork, 2, parent, process);
    process.forked = true;
  } else {
    process.user = host.user(process.uid, scene.text(ACT.userName));
    process.name = scene.text(ACT.exe) ?? scene.text(ACT.comm);
    process.exe = scene.text(ACT.exe);
    process.cmd = scene.text(ACT.cmd) ?? scene.text(ACT.title);
    if (ppid > 0) host.addOrphan(process);
  }
  // Processes that were there before the log started find their parents when those make their first call.
  if (!isForked && waiting !== undefined) {
    for (const child of waiting) {
      if (child.parent !== undefined) continue;
      child.setParent(process);
      out.describe(child);
    }
  }
  return process;
}

function inherit(child: ProcessRecord, parent: ProcessRecord): void {
  child.setParent(parent);
  child.name = parent.name;
  child.exe = parent.exe;
  child.cmd = parent.cmd;
  child.script = parent.script;
  child.container = parent.container;
  child.unit = parent.unit;
  child.descriptors = parent.descriptors?.fork();
}

/** Takes over what the record of a call tells of its process. */
function update(scene: Scene, process: ProcessRecord): void {
  const user = scene.word(ACT.user);
  scene.userChanged = user !== NONE && user !== process.uid;
  if (scene.userChanged) {
    process.uid = user;
    process.user = scene.host.user(user, scene.text(ACT.userName));
    process.changed();
  }
  const session = scene.word(ACT.session);
  if (session !== process.session && session !== NONE) {
    process.session = session;
    process.changed();
  }
  for (const [word, field] of PLACES) {
    const number = scene.word(word);
    if (number === NONE || process[field] !== undefined) continue;
    process[field] = scene.text(word);
    process.changed();
  }
  noticeProgram(scene, process);
}

const PLACES = [
  [ACT.container, 'container'],
  [ACT.unit, 'unit'],
] as const;

/** Notices a program that the process runs without an exec in the log. The exec itself is left to its own record. */
function noticeProgram(scene: Scene, process: ProcessRecord): void {
  const number = scene.word(ACT.exe);
  if (number === NONE) return;
  const { generation } = scene.tape;
  if (process.exeGeneration === generation && process.exeNumber === number) return;
  process.exeGeneration = generation;
  process.exeNumber = number;
  const exe = scene.tape.text(number);
  // The file of a running program may be deleted: an upgrade does so.
  if (exe === process.exe || exe === `${process.exe}${DELETED}` || scene.isExec) return;
  if (process.exe !== undefined) {
    process.script = undefined;
    process.cmd = scene.text(ACT.cmd) ?? scene.text(ACT.title);
  }
  process.exe = exe;
  process.name = process.script ?? exe;
  process.changed();
}

/** The process that a call is aimed at. One that made no call yet starts here. */
export function targetOf(scene: Scene, pid: number, name: string | undefined): ProcessRecord {
  const { host, time, tape } = scene;
  const known = host.alive(pid, time);
  const fork = host.pending.get(pid);
  if (known !== undefined && !(fork !== undefined && time >= fork.time)) return known;
  const process = new ProcessRecord(pid, NONE, tape.exactTimeOf(scene.act), NONE, NONE);
  process.name = name;
  if (fork !== undefined) {
    host.pending.delete(pid);
    inherit(process, fork.parent);
    scene.out.event(scene.out.fork, 2, fork.parent, process);
    process.forked = true;
  }
  host.add(process, tape.batch);
  return process;
}
