import type { HostIdentity } from '../../audit/dialect.js';
import type { Flow, Process, SimEntity } from '../../kernel/entities.js';
import type { Machine } from '../../kernel/machine.js';
import {
  argumentsOf,
  type Collector,
  type CollectorLog,
  type ObservedCall,
  objectKeys,
  pathOf,
} from '../collector.js';
import { type ProcessState, ProcessStates } from '../process-states.js';

const DNS = 53;
const MAY_READ = 4;
const MAY_WRITE = 2;
const PROT_READ_EXEC = 5;

/** A process under one exec_id, as JSON: it stays the same until the process executes another program. */
interface Identity {
  readonly execId: string;
  readonly json: string;
}

/**
 * Tetragon with policies for opened, read, written and mapped files, TCP connections and changes of user. Each execution
 * has its own exec_id; a forked process has one from its fork until it executes a program.
 */
export class Tetragon implements Collector {
  private readonly states = new ProcessStates();
  private readonly identities = new WeakMap<Process, Identity>();
  private readonly end: string;
  private second = -1;
  private secondText = '';

  constructor(
    private readonly host: HostIdentity,
    private readonly bootSeconds: number,
    private readonly machine: () => Machine,
  ) {
    this.end = `,"node_name":"${host.name}","time":"`;
  }

  /** Tetragon reports the running processes first, with the flag procFS. */
  open(log: CollectorLog, first: boolean, seconds: number, nanos: number): void {
    if (!first) return;
    for (const process of this.machine().booted) this.write('process_exec', process, '', seconds, nanos, log);
  }

  record(call: ObservedCall, log: CollectorLog): boolean {
    const { process, object, seconds, nanos } = call;
    switch (call.call) {
      case 'fork':
      case 'clone':
        // No event of its own: the child shows in its later events.
        this.states.fork(process, object as Process, seconds, nanos);
        return false;
      case 'execute': {
        const state = this.states.execute(process, pathOf(object as SimEntity));
        const before = state.executions > 1 ? this.identities.get(process)?.execId : undefined;
        this.identities.set(process, this.identify(process, state, seconds, nanos, before));
        log.mentions(object as SimEntity);
        this.write('process_exec', process, '', seconds, nanos, log);
        return true;
      }
      case 'exit':
        this.write('process_exit', process, `,"time":"${this.time(seconds, nanos)}"`, seconds, nanos, log);
        return true;
      case 'close':
        if (object !== undefined) this.states.of(process).closeDescriptor(object);
        return false;
      case 'changeDirectory':
        this.states.of(process).cwd = pathOf(object as SimEntity);
        return false;
      case 'changeUser':
        if (this.states.isLogin(process)) this.states.logIn(process);
        this.kprobe(call, log, '__x64_sys_setuid', `{"int_arg":${process.user.uid}}`, '', 'process-creds');
        return true;
      case 'connect':
      case 'accept':
        return this.socket(call, log);
      default:
        return this.file(call, log);
    }
  }

  flush(): void {}

  keysOf(entity: SimEntity): readonly string[] {
    return entity.kind === 'process' ? this.states.of(entity as Process).keys : objectKeys(entity);
  }

  private socket(call: ObservedCall, log: CollectorLog): boolean {
    const { object } = call;
    if (object?.kind !== 'flow') return false;
    const flow = object as Flow;
    if (call.call === 'connect') {
      if (flow.remotePort === DNS) return false; // UDP
      this.kprobe(call, log, 'tcp_connect', socketArgument(flow, 'TCP_SYN_SENT'), '', 'connect');
    } else {
      const listening = `{"sock_arg":{"family":"AF_INET","type":"SOCK_STREAM","protocol":"IPPROTO_TCP","saddr":"0.0.0.0","daddr":"0.0.0.0","sport":${flow.localPort},"state":"TCP_LISTEN"}}`;
      const accepted = `,"return":${socketArgument(flow, 'TCP_ESTABLISHED')}`;
      this.kprobe(call, log, 'inet_csk_accept', listening, accepted, 'accept');
    }
    return true;
  }

  private file(call: ObservedCall, log: CollectorLog): boolean {
    const { object, process } = call;
    if (object === undefined || objectKeys(object).length === 0 || object.kind === 'flow') return false;
    const file = `{"file_arg":{"path":"${pathOf(object)}","permission":"${permission(object)}"}}`;
    const allowed = ',"return":{"int_arg":0}';
    switch (call.call) {
      case 'open':
      case 'openForWriting':
      case 'create': {
        const descriptor = this.states.of(process).openDescriptor(object);
        this.kprobe(call, log, 'fd_install', `{"int_arg":${descriptor}},${file}`, '', 'file-open');
        return true;
      }
      case 'read':
      case 'write': {
        const mask = call.call === 'read' ? MAY_READ : MAY_WRITE;
        const args = `${file},{"int_arg":${mask}}`;
        this.kprobe(call, log, 'security_file_permission', args, allowed, 'file-monitoring');
        return true;
      }
      case 'mapFile':
        this.kprobe(
          call,
          log,
          'security_mmap_file',
          `${file},{"uint_arg":${PROT_READ_EXEC}}`,
          allowed,
          'file-monitoring',
        );
        return true;
      case 'truncate':
        this.kprobe(
          call,
          log,
          'security_path_truncate',
          `{"path_arg":{"path":"${pathOf(object)}","permission":"${permission(object)}"}}`,
          allowed,
          'file-monitoring',
        );
        return true;
      default:
        return false;
    }
  }

  private kprobe(
    { process, object, seconds, nanos }: ObservedCall,
    log: CollectorLog,
    name: string,
    args: string,
    result: string,
    policy: string,
  ): void {
    if (object !== undefined) log.mentions(object);
    const fields = `,"function_name":"${name}","args":[${args}]${result},"action":"KPROBE_ACTION_POST","policy_name":"${policy}","return_action":"KPROBE_ACTION_POST"`;
    this.write('process_kprobe', process, fields, seconds, nanos, log, name);
  }

  private write(
    type: 'process_exec' | 'process_exit' | 'process_kprobe',
    process: Process,
    fields: string,
    seconds: number,
    nanos: number,
    log: CollectorLog,
    relation: string = type,
  ): void {
    const own = this.mention(process, log).json;
    const parent = process.parent === undefined ? '' : `,"parent":${this.mention(process.parent, log).json}`;
    log.records(type, 1);
    log.event(
      relation,
      `{"${type}":{"process":${own}${parent}${fields}}${this.end}${this.time(seconds, nanos)}"}\n`,
    );
  }

  private mention(process: Process, log: CollectorLog): Identity {
    log.mentions(process);
    const identity = this.identity(process);
    const { keys } = this.states.of(process);
    if (keys.at(-1) !== identity.execId) keys.push(identity.execId);
    return identity;
  }

  private identity(process: Process): Identity {
    let identity = this.identities.get(process);
    if (identity === undefined) {
      const state = this.states.of(process);
      const ran = state.seconds === 0;
      const seconds = ran ? this.bootSeconds : state.seconds;
      identity = this.identify(process, state, seconds, ran ? process.pid * 1e6 : state.nanos, undefined);
      this.identities.set(process, identity);
    }
    return identity;
  }

  private identify(
    process: Process,
    state: ProcessState,
    seconds: number,
    nanos: number,
    /** The exec_id before an execution without a fork. */
    before: string | undefined,
  ): Identity {
    const { parent, pid } = process;
    const uptime = (BigInt(seconds - this.bootSeconds) + 20n) * 1_000_000_000n + BigInt(nanos);
    const execId = Buffer.from(`${this.host.name}:${uptime}:${pid}`).toString('base64');
    const started = this.time(seconds, nanos);
    const parentId = before ?? (parent === undefined ? undefined : this.identity(parent).execId);
    const args = argumentsOf(state.commandLine).slice(1).join(' ');
    const fields = [
      `"exec_id":"${execId}"`,
      `"pid":${pid}`,
      `"uid":${process.user.uid}`,
      `"cwd":"${state.cwd}"`,
      `"binary":"${state.exe}"`,
      ...(args === '' ? [] : [`"arguments":${JSON.stringify(args)}`]),
      `"flags":"${flagsOf(state, before !== undefined)}"`,
      `"start_time":"${started}"`,
      `"auid":${state.auid}`,
      ...(parentId === undefined ? [] : [`"parent_exec_id":"${parentId}"`]),
      `"tid":${pid}`,
      '"in_init_tree":false',
    ];
    return { execId, json: `{${fields.join(',')}}` };
  }

  /** RFC 3339 with nanoseconds. */
  private time(seconds: number, nanos: number): string {
    if (seconds !== this.second) {
      this.second = seconds;
      this.secondText = new Date(seconds * 1000).toISOString().slice(0, 20);
    }
    return `${this.secondText}${String(1e9 + nanos).slice(1)}Z`;
  }
}

function flagsOf(state: ProcessState, again: boolean): string {
  const root = state.cwd === '/' ? ' rootcwd' : '';
  if (state.seconds === 0) return `procFS auid${root}`;
  if (state.executions === 0) return `clone${root}`;
  return again ? `execve${root}` : `execve${root} clone`;
}

function socketArgument(flow: Flow, state: string): string {
  return `{"sock_arg":{"family":"AF_INET","type":"SOCK_STREAM","protocol":"IPPROTO_TCP","saddr":"${flow.localAddress}","daddr":"${flow.remoteAddress}","sport":${flow.localPort},"dport":${flow.remotePort},"state":"${state}"}}`;
}

function permission(file: SimEntity): string {
  if (file.kind === 'directory') return 'drwxr-xr-x';
  if (file.kind === 'char') return 'crw-rw-rw-';
  return file.kind === 'unix-socket' ? 'srw-rw-rw-' : '-rw-r--r--';
}
