import type { Random } from '../../base/random.js';
import type { Call, CallSink } from './calls.js';
import { type FileNode, Flow, Memory, Pipe, Process, type SimEntity, Unit, type User } from './entities.js';
import { FileTree } from './file-tree.js';
import { ProcessTable } from './process-table.js';
import type { Program, Programs } from './programs.js';
import type { Scheduler } from './scheduler.js';
import type { UuidScheme } from './uuid-schemes.js';

export interface MachineOptions {
  readonly random: Random;
  readonly uuids: UuidScheme;
  readonly sink: CallSink;
  readonly scheduler: Scheduler;
  readonly programs: Programs;
  readonly root: User;
  readonly address: string;
  readonly system: 'freebsd' | 'linux';
  readonly maximumPid: number;
}

/**
 * The kernel of a simulated host: processes, files, sockets, pipes and memory. Every method makes one system call, or the
 * short fixed sequence that a C library makes of it, and reports it to the audit system.
 */
export class Machine {
  readonly files: FileTree;
  readonly processes: ProcessTable;
  readonly programs: Programs;
  readonly root: User;
  readonly address: string;
  readonly system: 'freebsd' | 'linux';
  readonly scheduler: Scheduler;
  /** The processes that ran before the log began. */
  readonly booted: Process[] = [];
  private readonly random: Random;
  private readonly uuids: UuidScheme;
  private readonly sink: CallSink;
  private nextInode = 40_000;
  private nextPort = 0;

  constructor(options: MachineOptions) {
    this.random = options.random;
    this.uuids = options.uuids;
    this.sink = options.sink;
    this.scheduler = options.scheduler;
    this.programs = options.programs;
    this.root = options.root;
    this.address = options.address;
    this.system = options.system;
    this.files = new FileTree(this.uuids, this.root, 8_000 + this.random.below(4_000));
    this.processes = new ProcessTable(options.maximumPid, Math.floor(options.maximumPid * 0.3));
  }

  get now(): number {
    return this.scheduler.now;
  }

  /** Makes a call that changes no state of the machine. */
  call(
    call: Call,
    subject: Process | Unit,
    object?: SimEntity,
    size = -1,
    object2?: SimEntity,
    path?: string,
  ): void {
    // A session may outlive its process, and an ended process makes no calls.
    if (subject.kind === 'process' ? subject.ended : subject.process.ended) return;
    this.sink.record(call, subject, object, object2, size, path);
  }

  // --- processes

  /** Starts a process that runs before the log begins. */
  bootDaemon(name: string, user: User, pid?: number): Process {
    const program = this.programs.get(name);
    const number = pid ?? this.processes.allocate();
    if (pid !== undefined) this.processes.claim(pid);
    const process = new Process(
      this.uuids.process(number, this.now),
      number,
      undefined,
      user,
      program,
      0,
      100_000,
    );
    process.commandLine = program.path;
    this.booted.push(process);
    return process;
  }

  fork(parent: Process, program: Program = parent.program): Process {
    const pid = this.processes.allocate();
    const uuid = this.uuids.process(pid, this.now);
    const thread = this.system === 'freebsd' ? 100_000 + this.random.below(1_000) : pid;
    const child = new Process(uuid, pid, parent, parent.user, program, this.now, thread);
    child.commandLine = parent.commandLine;
    this.sink.created(child);
    this.call(this.system === 'freebsd' || this.random.chance(0.5) ? 'fork' : 'clone', parent, child);
    return child;
  }

  /** Replaces the program of a process and loads its libraries. */
  execute(process: Process, program: Program, commandLine: string): void {
    process.commandLine = commandLine;
    this.call('execute', process, this.files.get(program.path));
    process.program = program;
    process.name = program.name;
    process.text = '';
    this.load(process);
  }

  /** Forks and executes, as a shell does for a command. */
  spawn(parent: Process, name: string, ...args: string[]): Process {
    const program = this.programs.get(name);
    const child = this.fork(parent, program);
    this.execute(child, program, args.length > 0 ? `${name} ${args.join(' ')}` : name);
    return child;
  }

  exit(process: Process): void {
    if (process.ended) return;
    this.call('exit', process, process);
    process.ended = true;
    this.processes.release(process);
  }

  /** setuid and similar calls. */
  changeUser(process: Process, user: User): void {
    process.user = user;
    process.text = '';
    this.call('changeUser', process, process);
  }

  unit(process: Process): Unit {
    const unit = new Unit(this.uuids.pipe(), process, ++process.units, this.now);
    this.call('unit', process, unit);
    return unit;
  }

  private load(process: Process): void {
    const { libraries, configuration } = process.program;
    if (libraries.length === 0) return; // a static binary has no loader
    if (this.system === 'freebsd') {
      this.readFile(process, '/etc/libmap.conf', 1);
      this.readFile(process, '/var/run/ld-elf.so.hints', 2);
    } else {
      this.readFile(process, '/etc/ld.so.cache', 0);
      this.map(process, 2 << 20);
    }
    for (const library of libraries) {
      const file = this.files.get(library);
      this.call('open', process, file);
      if (this.system === 'linux') this.call('read', process, file, 832);
      this.call('mapFile', process, file, 6_598_656);
      if (this.system === 'freebsd') this.call('mapFile', process, file, 8_572_928); // text and data apart
      if (this.system === 'linux') this.call('protect', process, this.map(process, 2 << 20));
      this.call('close', process, file);
    }
    for (const path of configuration) this.readFile(process, path, 1);
  }

  // --- files

  /** Opens a file, reads it and closes it. */
  readFile(process: Process, path: string, reads: number): void {
    const file = this.files.get(path);
    this.call('open', process, file);
    for (let i = 0; i < reads; i++) this.call('read', process, file, 1 + this.random.below(4096));
    this.call('close', process, file);
  }

  /** Opens or creates a file, writes to it and closes it. */
  writeFile(process: Process, path: string, writes: number, transient = false): FileNode {
    const existing = this.files.has(path);
    const file = existing ? this.files.get(path) : this.files.create(path, process.user, transient);
    if (!existing) this.sink.created(file);
    this.call(existing ? 'openForWriting' : 'create', process, file);
    for (let i = 0; i < writes; i++) this.call('write', process, file, 1 + this.random.below(8192));
    this.call('close', process, file);
    return file;
  }

  /** Writes once to a file that is already open, such as a log. */
  append(process: Process, path: string): void {
    this.call('write', process, this.files.get(path), 40 + this.random.below(200));
  }

  unlink(process: Process, file: FileNode): void {
    this.call('unlink', process, file);
    this.files.remove(file);
  }

  rename(process: Process, file: FileNode, to: string): void {
    const target = this.files.has(to) ? this.files.get(to) : undefined;
    this.call('rename', process, file, -1, target, to);
    this.files.move(file, to);
  }

  // --- sockets, pipes and memory

  pipe(process: Process): Pipe {
    const pipe = new Pipe(this.uuids.pipe(), process, this.nextInode++);
    this.sink.created(pipe);
    this.call('makePipe', process, pipe);
    return pipe;
  }

  connect(process: Process, address: string, port: number): Flow {
    const flow = new Flow(this.uuids.flow(), this.address, this.ephemeralPort(), address, port);
    this.sink.created(flow);
    this.call('makeSocket', process, flow);
    this.call('connect', process, flow);
    return flow;
  }

  accept(process: Process, localPort: number, address: string, port = this.ephemeralPort()): Flow {
    const flow = new Flow(this.uuids.flow(), this.address, localPort, address, port);
    this.sink.created(flow);
    this.call('accept', process, flow);
    return flow;
  }

  /** Connects to the UNIX socket of a local service. */
  connectLocal(process: Process, path: string): FileNode {
    const socket = this.files.anonymous('unix-socket', path);
    this.sink.created(socket);
    this.call('makeSocket', process, socket);
    this.call('connect', process, socket);
    return socket;
  }

  map(process: Process, size: number): Memory {
    const address = 0x7f00_0000_0000 + this.random.below(0x1000_0000) * 0x1000;
    const memory = new Memory(this.uuids.memory(process.pid, address), process, address, size);
    this.call('map', process, memory, size);
    return memory;
  }

  /** Moves data between two objects without a process, as sendfile does. */
  flowsTo(from: SimEntity, to: SimEntity): void {
    this.sink.record('flowsTo', undefined, from, to, -1);
  }

  /** Records that the machine booted. */
  boot(): void {
    this.sink.record('boot', undefined, undefined, undefined, -1);
  }

  private ephemeralPort(): number {
    this.nextPort = (this.nextPort + 1 + this.random.below(31)) % 45_000;
    return 16_384 + this.nextPort;
  }
}
