import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The machine that the figures come from. */
export function describeMachine(): string {
  const load = loadavg()[0].toFixed(1);
  return `${cpus()[0]?.model}, ${availableParallelism()} cores, load ${load}, Node ${process.version}`;
}

/** Runs work in a temporary folder and removes the folder. */
export async function withFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `recal-${name}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

/** The smallest and largest value. */
export function range(values: readonly number[], digits: number): string {
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
}
