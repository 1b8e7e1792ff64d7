import { availableParallelism } from 'node:os';

/** The number of compute threads: one per core unless given, and at least one. */
export function threadCount(threads: number | undefined): number {
  return Math.max(1, threads ?? availableParallelism());
}
