import type { HostIdentity } from '../../audit/dialect.js';
import type { Process, SimEntity } from '../../kernel/entities.js';
import type { Machine } from '../../kernel/machine.js';
import {
  type Collector,
  type CollectorLog,
  hash32,
  type ObservedCall,
  objectKeys,
  pathOf,
} from '../collector.js';
import { ProcessStates } from '../process-states.js';
import { CallDetails } from './call-details.js';
import { Pointers } from './pointers.js';
import { RecordGroup } from './record-group.js';
import { Subjects } from './subjects.js';
import { LOGIN_WRITE, SYSCALLS, type Syscall } from './syscalls.js';

const YES = 'success=yes exit=';
/** The clock of audit records ticks with the kernel's timer, 250 times a second. */
const TICK = 4;

/** A vfork returns when the child has executed its program, so its event follows that of the child. */
interface WaitingFork {
  readonly parent: Process;
  readonly child: Process;
  readonly seconds: number;
  readonly nanos: number;
}

/** The log of auditd, RAW or ENRICHED, under rules that record processes, opens, changes of files and connections. */
export class Auditd implements Collector {
  private readonly states = new ProcessStates();
  private serial: number;
  private readonly pointers: Pointers;
  private readonly details: CallDetails;
  private readonly subjects = new Subjects(this.states);
  private waiting: WaitingFork | undefined;
  private readonly prefix: string;

  constructor(
    host: HostIdentity,
    /** True if other hosts are simulated with this one, so that records name their host. */
    inFleet: boolean,
    private readonly enriched: boolean,
    machine: () => Machine,
  ) {
    this.prefix = inFleet ? `node=${host.name} ` : '';
    const start = hash32(host.uuid);
    this.serial = 1_000 + (start & 0xffff);
    this.pointers = new Pointers(start);
    this.details = new CallDetails(this.states, this.pointers, () => machine().root);
  }

  open(): void {}

  record(call: ObservedCall, log: CollectorLog): boolean {
    const { process, object } = call;
    if (call.call === 'close' && object !== undefined) this.states.of(process).closeDescriptor(object);
    if (call.call === 'changeDirectory' && object !== undefined) this.states.of(process).cwd = pathOf(object);
    const syscall = SYSCALLS[call.call];
    if (syscall === undefined) return false;
    if (call.call === 'fork' || call.call === 'clone') {
      this.flush(log);
      const child = object as Process;
      const { seconds, nanos } = call;
      this.states.fork(process, child, seconds, nanos).keys.push(keyOf(child, timeOf(seconds, nanos)));
      this.waiting = { parent: process, child, seconds, nanos };
      if (call.call === 'clone') this.flush(log, 'clone');
      return true;
    }
    const { waiting } = this;
    const first = waiting !== undefined && call.call === 'execute' && waiting.child === process;
    if (!first) this.flush(log);
    this.write(call, syscall, log);
    if (first) this.flush(log);
    return true;
  }

  flush(log: CollectorLog, as: 'fork' | 'clone' = 'fork'): void {
    if (this.waiting === undefined) return;
    const { parent, child, seconds, nanos } = this.waiting;
    this.waiting = undefined;
    const group = this.group(seconds, nanos);
    const args =
      as === 'clone'
        ? `a0=1200011 a1=0 a2=0 a3=${this.pointers.next()}`
        : `a0=${this.pointers.next()} a1=${this.pointers.next()} a2=0 a3=8`;
    log.mentions(child);
    this.finish(group, SYSCALLS[as] as Syscall, `${YES}${child.pid} `, args, parent, log);
  }

  keysOf(entity: SimEntity): readonly string[] {
    return entity.kind === 'process' ? this.states.of(entity as Process).keys : objectKeys(entity);
  }

  private write(call: ObservedCall, syscall: Syscall, log: CollectorLog): void {
    const { process, object, seconds, nanos } = call;
    if (call.call === 'execute') this.states.execute(process, pathOf(object as SimEntity));
    const state = this.states.of(process);
    if (call.call === 'changeUser') {
      if (this.states.isLogin(process)) this.logIn(process, seconds, nanos, log);
      state.text = '';
    }
    const group = this.group(seconds, nanos);
    const [result, args] = this.details.of(call, state, group);
    if (object !== undefined) log.mentions(object);
    this.finish(group, syscall, result, args, process, log);
  }

  /** A write to /proc/self/loginuid begins the session. */
  private logIn(process: Process, seconds: number, nanos: number, log: CollectorLog): void {
    const before = this.states.of(process);
    const old = `old-auid=${before.auid}`;
    const oldSession = before.session;
    const state = this.states.logIn(process);
    const group = this.group(seconds, nanos);
    const login = group.line(
      'LOGIN',
      `pid=${process.pid} uid=0 ${old} auid=${state.auid} tty=(none) old-ses=${oldSession} ses=${state.session} res=1`,
      `UID="root" OLD-AUID="unset" AUID="${state.auidName}"`,
    );
    const length = String(state.auid).length;
    const lines = group.finish(
      LOGIN_WRITE,
      `${YES}${length} `,
      `a0=4 a1=${this.pointers.next()} a2=${length} a3=0`,
      process,
      this.subjects.describe(process, 0, 'root'),
    );
    this.count(group, log);
    log.event('login', login + lines);
    state.text = '';
  }

  private finish(
    group: RecordGroup,
    syscall: Syscall,
    result: string,
    args: string,
    process: Process,
    log: CollectorLog,
  ): void {
    const state = this.states.of(process);
    if (state.keys.length === 0) state.keys.push(keyOf(process, group.time));
    log.mentions(process);
    const lines = group.finish(syscall, result, args, process, this.subjects.of(process));
    this.count(group, log);
    log.event(syscall.name, lines);
  }

  private count(group: RecordGroup, log: CollectorLog): void {
    for (const [type, count] of Object.entries(group.counts)) log.records(type, count);
  }

  private group(seconds: number, nanos: number): RecordGroup {
    this.serial = (this.serial + 1) >>> 0;
    return new RecordGroup(this.prefix, timeOf(seconds, nanos), this.serial, this.enriched);
  }
}

/** `SECONDS.MILLISECONDS`. */
function timeOf(seconds: number, nanos: number): string {
  const millis = Math.floor(nanos / 1e6);
  return `${seconds}.${String(1000 + millis - (millis % TICK)).slice(1)}`;
}

/** The label key of a process: its number and the time of its first record. */
function keyOf({ pid }: Process, time: string): string {
  return `pid:${pid}@${time.replace('.', '')}000000`;
}
