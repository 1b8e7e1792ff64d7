/** Sums the seconds spent in each stage. */
export class Stopwatch {
  readonly seconds: Record<string, number> = {};

  async time<T>(stage: string, work: () => T | Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.add(stage, (performance.now() - started) / 1000);
    }
  }

  measure<T>(stage: string, work: () => T): T {
    const started = performance.now();
    try {
      return work();
    } finally {
      this.add(stage, (performance.now() - started) / 1000);
    }
  }

  add(stage: string, seconds: number): void {
    this.seconds[stage] = (this.seconds[stage] ?? 0) + seconds;
  }
}
