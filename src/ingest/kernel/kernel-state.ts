import type { Batch } from '../batch.js';
import { ACT, NONE, SEEN } from './act.js';
import { ActTape } from './act-tape.js';
import { CALLS, type CallKind, callByName } from './calls.js';
import { close, control, descriptor, duplicate, map, pair, socket, transfer } from './descriptor-calls.js';
import { EventOutput } from './event-output.js';
import { kernelModule, memoryFile, mount, open, path, twoPaths } from './file-calls.js';
import { HostState } from './host-state.js';
import { exec, exit, fork, login, setUser, signal, trace } from './process-calls.js';
import { subjectOf } from './processes.js';
import { type Outcome, Scene } from './scene.js';
import { accept, bind, connect, socketData } from './socket-calls.js';

const BPF_PROG_LOAD = 5;
/** Hosts whose state is kept. */
const MAX_HOSTS = 4096;

/** What the calls of each kind do. */
const HANDLERS: Readonly<Record<CallKind, (scene: Scene) => Outcome>> = {
  fork,
  exec,
  exit,
  open,
  path,
  twoPaths,
  mount,
  descriptor,
  transfer,
  socketData,
  connect,
  bind,
  accept,
  dup: duplicate,
  fcntl: control,
  close,
  socket,
  pair,
  memfd: memoryFile,
  map,
  setuid: setUser,
  setgid: setUser,
  signal,
  trace,
  module: kernelModule,
  bpf: (scene) => (scene.argument(0) === BPF_PROG_LOAD ? alone(scene) : 'otherCall'),
  alone,
  socketcall: () => 'otherCall',
  other: () => 'otherCall',
};

/** What each call does, by its index in CALLS. */
const HANDLER_OF = CALLS.map(({ kind }) => HANDLERS[kind]);

/** The calls behind `socketcall`, by its first argument. */
const SOCKET_CALLS = [
  '',
  'socket',
  'bind',
  'connect',
  'listen',
  'accept',
  '',
  '',
  'socketpair',
  'send',
  'recv',
  'sendto',
  'recvfrom',
  '',
  '',
  '',
  'sendmsg',
  'recvmsg',
  'accept4',
  'recvmmsg',
  'sendmmsg',
].map(callByName);

/** A call that matters by itself. */
function alone(scene: Scene): Outcome {
  return scene.failed && !scene.denied ? 'failedCall' : scene.event(scene.kind());
}

/** Follows the processes of hosts, and turns acts into events. */
export class KernelState {
  readonly tape = new ActTape();
  readonly out = new EventOutput(this.tape);
  /** By name. The host without a name is ''. */
  readonly hosts = new Map<string, HostState>();
  /** Goes up with each file. */
  file = 1;
  readonly #scene = new Scene(this.tape, this.out);
  /** The host of the last act. */
  #name: string | undefined;
  #host!: HostState;

  /** Goes on with a batch. The acts of its tape are in `tape.acts`. */
  begin(batch: Batch): void {
    this.tape.attach(batch);
    this.out.beginBatch();
  }

  /** Adds the events of an act of the current batch, and counts it if it has none. */
  take(act: number): void {
    const { batch } = this.tape;
    const outcome = this.#handle(act);
    if (outcome === 'kept') return;
    if (outcome === 'merged') batch.merge('calls');
    else batch.skip(outcome);
  }

  #handle(act: number): Outcome {
    const { tape, out } = this;
    const scene = this.#scene;
    out.beginAct(act);
    scene.act = act;
    scene.time = tape.timeOf(act);
    const host = this.#hostOf(out.hostName ?? '');
    host.goOn(this.file, scene.time);
    scene.host = host;
    const seen = tape.words[act + ACT.seen];
    if ((seen & SEEN.login) !== 0) return login(scene);
    if (tape.words[act + ACT.pid] === NONE) return 'noProcess';
    let call = tape.words[act + ACT.call];
    if (call !== NONE && CALLS[call].kind === 'socketcall') call = SOCKET_CALLS[scene.argument(0)] ?? NONE;
    scene.isExec = call !== NONE && CALLS[call].kind === 'exec';
    scene.process = subjectOf(scene);
    if (call === NONE) return 'unknownCall';
    scene.call = CALLS[call];
    scene.callNumber = call;
    return HANDLER_OF[call](scene);
  }

  /** The host of an act started again. */
  boot(act: number): void {
    this.out.beginAct(act);
    this.#hostOf(this.out.hostName ?? '').clear();
  }

  #hostOf(name: string): HostState {
    if (name === this.#name) return this.#host;
    this.#name = name;
    this.#host = this.#findHost(name);
    return this.#host;
  }

  #findHost(name: string): HostState {
    let host = this.hosts.get(name);
    if (host === undefined) {
      if (this.hosts.size >= MAX_HOSTS) this.hosts.delete(this.hosts.keys().next().value as string);
      host = new HostState();
      this.hosts.set(name, host);
    }
    return host;
  }
}
