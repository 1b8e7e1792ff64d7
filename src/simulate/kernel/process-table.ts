import type { Process } from './entities.js';

/** Hands out process numbers in turn, wraps round, and skips those still alive: pids are reused, as on any host. */
export class ProcessTable {
  private readonly alive = new Set<number>();
  private readonly used: Uint8Array;
  private next: number;
  /** How many processes got a number that an earlier process had. */
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
      // Low numbers belong to the kernel and to daemons started at boot.
      this.next = pid >= this.maximum ? 300 : pid + 1;
      if (this.alive.has(pid)) continue;
      this.claim(pid);
      return pid;
    }
    throw new RangeError(`ProcessTable.allocate: all ${this.maximum} process numbers are alive`);
  }

  /** Takes a given number: init and the daemons of the boot sequence. */
  claim(pid: number): void {
    this.alive.add(pid);
    this.started++;
    if (this.used[pid]) this.reused++;
    this.used[pid] = 1;
  }

  release(process: Process): void {
    this.alive.delete(process.pid);
  }

  get size(): number {
    return this.alive.size;
  }
}
