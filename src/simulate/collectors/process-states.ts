import type { Process, SimEntity } from '../kernel/entities.js';

/** The value of an audit uid or session that was never set. */
const UNSET = 4_294_967_295;

/** What a collector knows about a process beyond the simulated kernel. */
export class ProcessState {
  auid = UNSET;
  auidName = 'unset';
  session = UNSET;
  tty = '(none)';
  /** The terminal of the programs that this process starts. */
  ttyOfChildren = '(none)';
  cwd = '/';
  /** The executed file; the parent's until the process executes one. */
  exe: string;
  commandLine: string;
  /** Number of executions since the process was forked. */
  executions = 0;
  /** Start of the process in the log. */
  seconds = 0;
  nanos = 0;
  /** Ids in the log, for labels. */
  readonly keys: string[] = [];
  /** Text that a collector caches; cleared when the process changes. */
  text = '';
  private readonly descriptors: (SimEntity | undefined)[] = [];

  constructor(exe: string, commandLine: string) {
    this.exe = exe;
    this.commandLine = commandLine;
  }

  /** The lowest free descriptor. */
  openDescriptor(entity: SimEntity): number {
    let index = 0;
    while (index < MOST_DESCRIPTORS && this.descriptors[index] !== undefined) index++;
    this.descriptors[index] = entity;
    return FIRST_DESCRIPTOR + index;
  }

  closeDescriptor(entity: SimEntity): void {
    const index = this.descriptors.indexOf(entity);
    if (index >= 0) this.descriptors[index] = undefined;
  }
}

const FIRST_DESCRIPTOR = 3;
/** Simulated programs leave some files open; beyond this many the last descriptor is reused. */
const MOST_DESCRIPTORS = 256;

/** The processes of a host as its collector knows them. Ended processes are forgotten with their process. */
export class ProcessStates {
  private readonly states = new WeakMap<Process, ProcessState>();
  private sessions = 2;

  /** The state of a process. One that ran before the log has no known start. */
  of(process: Process): ProcessState {
    let state = this.states.get(process);
    if (state === undefined) {
      state = new ProcessState(process.program.path, process.commandLine);
      if (process.user.uid >= 1000) {
        // The desktop session that was open before the log began.
        state.auid = process.user.uid;
        state.auidName = process.user.name;
        state.session = 2;
        state.cwd = process.user.home;
      }
      this.states.set(process, state);
    }
    return state;
  }

  /** Adds a forked process, which inherits from its parent. */
  fork(parent: Process, child: Process, seconds: number, nanos: number): ProcessState {
    const from = this.of(parent);
    const state = new ProcessState(from.exe, from.commandLine);
    state.auid = from.auid;
    state.auidName = from.auidName;
    state.session = from.session;
    state.cwd = from.cwd;
    state.tty = from.ttyOfChildren;
    state.ttyOfChildren = from.ttyOfChildren;
    state.seconds = seconds;
    state.nanos = nanos;
    this.states.set(child, state);
    return state;
  }

  /** Executes a file in a process. */
  execute(process: Process, path: string): ProcessState {
    const state = this.of(process);
    state.exe = path;
    state.commandLine = process.commandLine;
    state.executions++;
    state.text = '';
    return state;
  }

  /** True if a change of user is the login of a person or of a cron job, which begins an audit session. */
  isLogin(process: Process): boolean {
    return this.of(process).auid === UNSET && /^(sshd|cron)/.test(process.program.name);
  }

  logIn(process: Process): ProcessState {
    const state = this.of(process);
    state.auid = process.user.uid;
    state.auidName = process.user.name;
    state.session = ++this.sessions;
    if (process.program.name.startsWith('sshd')) state.ttyOfChildren = `pts${this.sessions % 8}`;
    state.text = '';
    return state;
  }
}
