import type { Process } from './entities.js';

/** Allocates process ids in order, wraps round and skips those in use, so that ids are reused. */
export class ProcessTable {
  private readonly alive = new Set<number>();
  private readonly used: Uint8Array;
  private next: number;
  /** Number of processes with an id that an earlier process had. */
  reused = 0;
  started = 0;

  constructor(
    private readonly maximum: number,
    first: number,
  ) {
    this.used = new Uint8Array(maximum + 1);
    this.next = first;
  }

  allocate(): number {
    for (let tries = 0; tries <= this.maximum; tries++) {
      const pid = this.next;
      // Low ids belong to the kernel and to daemons started at boot.
      this.next = pid >= this.maximum ? 300 : pid + 1;
      if (this.alive.has(pid)) continue;
      this.claim(pid);
      return pid;
    }
    throw new RangeError(`ProcessTable.allocate: all ${this.maximum} process ids are in use`);
  }

  /** Takes a given id, for init and the daemons started at boot. */
  claim(pid: number): void {
    this.alive.add(pid);
    this.started++;
    if (this.used[pid]) this.reused++;
    this.used[pid] = 1;
  }

  release(process: Process): void {
    this.alive.delete(process.pid);
  }
}
