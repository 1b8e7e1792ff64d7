import type { EntityType } from '../../ingest/event.js';
import type { Program } from './programs.js';

/** The kind of an entity in the kernel. Each performer's audit system has its own names for these. */
export type EntityKind =
  | 'process'
  | 'unit'
  | 'file'
  | 'directory'
  | 'link'
  | 'char'
  | 'block'
  | 'unix-socket'
  | 'flow'
  | 'pipe'
  | 'memory'
  | 'srcsink';

/** An entity and what the log remembers about it. The recorder sets these fields. */
export abstract class SimEntity {
  abstract readonly kind: EntityKind;
  /** Index of the log file that last described this entity; -1 before the first. */
  describedIn = -1;
  /** Index of the log file with its first event; -1 before. */
  firstSeenIn = -1;
  /** Text that a dialect caches, in up to two pieces; cleared when the entity's name changes. */
  text = '';
  textEnd = '';

  constructor(readonly uuid: string) {}

  /** Path, program name or remote address, JSON-safe by construction. */
  abstract readonly name: string;
}

export interface User {
  readonly name: string;
  readonly uid: number;
  readonly home: string;
  readonly principal: string;
}

export class Process extends SimEntity {
  readonly kind = 'process';
  name: string;
  commandLine = '';
  ended = false;
  /** Number of execution units. */
  units = 0;

  constructor(
    uuid: string,
    readonly pid: number,
    readonly parent: Process | undefined,
    public user: User,
    public program: Program,
    readonly startedAt: number,
    readonly threadId: number,
  ) {
    super(uuid);
    this.name = parent?.name ?? program.name;
  }
}

/** One iteration of an event loop in an instrumented program (TRACE's execution partitioning). */
export class Unit extends SimEntity {
  readonly kind = 'unit';
  constructor(
    uuid: string,
    readonly process: Process,
    readonly iteration: number,
    readonly startedAt: number,
  ) {
    super(uuid);
  }

  get name(): string {
    return this.process.name;
  }
}

export class FileNode extends SimEntity {
  constructor(
    uuid: string,
    readonly kind: 'file' | 'directory' | 'link' | 'char' | 'block' | 'unix-socket' | 'srcsink',
    public name: string,
    readonly inode: number,
    readonly owner: User,
    /** True for temporary files and spool entries: only their records can be late or missing. */
    readonly transient: boolean,
  ) {
    super(uuid);
  }
}

export class Flow extends SimEntity {
  readonly kind = 'flow';
  readonly name: string;
  constructor(
    uuid: string,
    readonly localAddress: string,
    readonly localPort: number,
    readonly remoteAddress: string,
    readonly remotePort: number,
  ) {
    super(uuid);
    this.name = `${remoteAddress}:${remotePort}`;
  }
}

export class Pipe extends SimEntity {
  readonly kind = 'pipe';
  readonly name = '';
  constructor(
    uuid: string,
    readonly owner: Process,
    readonly inode: number,
  ) {
    super(uuid);
  }
}

export class Memory extends SimEntity {
  readonly kind = 'memory';
  readonly name = '';
  constructor(
    uuid: string,
    readonly owner: Process,
    readonly address: number,
    readonly size: number,
  ) {
    super(uuid);
  }
}

/** The entity type (`src/ingest/event.ts`) of each kind. */
export const TYPE_OF_KIND: Readonly<Record<EntityKind, EntityType>> = {
  process: 'process',
  unit: 'process',
  file: 'file',
  directory: 'file',
  link: 'file',
  char: 'file',
  block: 'file',
  'unix-socket': 'file',
  flow: 'flow',
  pipe: 'pipe',
  memory: 'memory',
  srcsink: 'srcsink',
};
