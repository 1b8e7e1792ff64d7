import type { Batch } from '../batch.js';
import { NONE } from './act.js';
import { EntityRecord } from './entity-record.js';
import type { ProcessRecord } from './process-record.js';
import { RecentFolders } from './recent-folders.js';

/** Bounds of the state of a host. The entries that were not used for longest are forgotten. */
const MAX_PROCESSES = 1 << 17;
const MAX_PENDING = 1 << 16;
const MAX_ORPHANS = 1 << 14;
const MAX_FOLDERS = 1 << 16;
const MAX_USERS = 1 << 14;

/** A call of another thread of a process may have a time up to this much after its end, in nanoseconds. */
export const END_GRACE = 1e9;

/** The first record of a file may be this much older than the last one before it, in nanoseconds. */
const FILE_TOLERANCE = 2e9;

/** A fork whose child has made no call yet. */
export interface PendingFork {
  readonly parent: ProcessRecord;
  readonly time: number;
}

/** What is known of a host: its processes by number, the folders by inode, its users. */
export class HostState {
  readonly processes = new Map<number, ProcessRecord>();
  readonly pending = new Map<number, PendingFork>();
  /** Processes whose parent made no call yet, by the number of the parent. */
  readonly orphans = new Map<number, ProcessRecord[]>();
  /** The time of the last call, and the file that it was in. */
  last = 0;
  #file = 0;
  readonly recent = new RecentFolders();
  readonly #folders = new Map<string, string>();
  readonly #users = new Map<string, EntityRecord>();

  /** Takes the time of the next call. A file that starts earlier is of another time, so what is known does not hold. */
  goOn(file: number, time: number): void {
    if (file !== this.#file) {
      this.#file = file;
      if (time < this.last - FILE_TOLERANCE) {
        this.clear();
        this.last = 0;
      }
    }
    if (time > this.last) this.last = time;
  }

  /** The process that has a number at a time, if it is known and did not end before. */
  alive(pid: number, time: number): ProcessRecord | undefined {
    const process = this.processes.get(pid);
    return process !== undefined && time - process.ended <= END_GRACE ? process : undefined;
  }

  add(process: ProcessRecord, batch: Batch): void {
    this.processes.set(process.pid, process);
    if (this.processes.size > MAX_PROCESSES) this.#forgetOldest(batch);
  }

  addPending(child: number, fork: PendingFork): void {
    this.pending.delete(child);
    this.pending.set(child, fork);
    dropFirst(this.pending, MAX_PENDING);
  }

  addOrphan(process: ProcessRecord): void {
    const list = this.orphans.get(process.ppid);
    if (list === undefined) this.orphans.set(process.ppid, [process]);
    else if (list.length < MAX_ORPHANS) list.push(process);
    dropFirst(this.orphans, MAX_ORPHANS);
  }

  /** Remembers the path of a folder by its device and inode. */
  setFolder(inode: string, path: string): void {
    if (this.#folders.get(inode) === path) return;
    this.#folders.delete(inode);
    this.#folders.set(inode, path);
    if (this.#folders.size <= MAX_FOLDERS) return;
    dropFirst(this.#folders, MAX_FOLDERS);
    this.recent.clear(); // the folder that was dropped may be one of them
  }

  folder(inode: string): string | undefined {
    return this.#folders.get(inode);
  }

  get folders(): Iterable<[string, string]> {
    return this.#folders;
  }

  /** The principal of a user or group number: `uid:0`. */
  user(number: number, name: string | undefined, prefix: 'uid' | 'gid' = 'uid'): EntityRecord | undefined {
    return number === NONE ? undefined : this.principal(`${prefix}:${number >>> 0}`, name);
  }

  principal(id: string, name: string | undefined): EntityRecord {
    let user = this.#users.get(id);
    if (user === undefined) {
      user = EntityRecord.of('principal', id);
      this.#users.set(id, user);
      dropFirst(this.#users, MAX_USERS);
    }
    if (name !== undefined && user.name !== name) {
      user.name = name;
      user.changed();
    }
    return user;
  }

  /** The host started again. */
  clear(): void {
    this.processes.clear();
    this.pending.clear();
    this.orphans.clear();
    this.#folders.clear();
    this.recent.clear();
  }

  #forgetOldest(batch: Batch): void {
    const byUse = [...this.processes.values()].sort((a, b) => a.last - b.last);
    for (const process of byUse.slice(0, MAX_PROCESSES >> 2)) {
      this.processes.delete(process.pid);
      batch.repair('forgottenProcess');
    }
  }
}

function dropFirst<K>(map: Map<K, unknown>, most: number): void {
  if (map.size > most) map.delete(map.keys().next().value as K);
}
