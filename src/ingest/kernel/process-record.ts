import type { EntityKey } from '../entity-key.js';
import type { Descriptors } from './descriptors.js';
import { EntityRecord } from './entity-record.js';

const MAX_ANCESTORS = 32;

/** Enough of a parent to refer to it. A reference to the process itself would keep all ancestors in memory. */
export interface ParentRecord {
  readonly id: string;
  readonly key: EntityKey;
}

/** A process: one use of a process number. Its identifier is `pid:<number>@<time of its first record in nanoseconds>`. */
export class ProcessRecord extends EntityRecord {
  readonly pid: number;
  ppid: number;
  /** Nanoseconds as a double, to compare. */
  readonly start: number;
  /** The time of its last call, and of its end. */
  last: number;
  ended = Number.POSITIVE_INFINITY;
  parent: ParentRecord | undefined;
  /** True if an event tells that the parent started it. */
  forked = false;
  /** The numbers of its next ancestors, nearest first. */
  ancestors: readonly number[] = [];
  exe: string | undefined;
  cmd: string | undefined;
  /** The script that the process runs, if the kernel started an interpreter for it. */
  script: string | undefined;
  user: EntityRecord | undefined;
  uid: number;
  session: number;
  container: string | undefined;
  unit: string | undefined;
  /** Threads that were started besides the first one. */
  threads = 0;
  descriptors: Descriptors | undefined;
  /** The number of the text of `exe` in a batch, to notice a change. */
  exeGeneration = 0;
  exeNumber = 0;

  constructor(pid: number, ppid: number, time: bigint, uid: number, session: number) {
    super('process', `pid:${pid}@${time}`);
    this.key.fromText(this.id);
    this.pid = pid;
    this.ppid = ppid;
    this.start = Number(time);
    this.last = this.start;
    this.uid = uid;
    this.session = session;
  }

  setParent(parent: ProcessRecord): void {
    this.parent = { id: parent.id, key: parent.key };
    this.ancestors = [parent.pid, ...parent.ancestors.slice(0, MAX_ANCESTORS - 1)];
  }
}
