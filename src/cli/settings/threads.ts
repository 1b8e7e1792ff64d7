import { availableParallelism } from 'node:os';
import { z } from 'zod';

/** The setting of every command that computes; `what` is the same with any number of threads. */
export function threadsSetting(what: string) {
  return {
    type: z.coerce.number().int().min(0).max(64).optional(),
    description: `threads that compute, by default one a core; ${what} the same with any number`,
    value: 'N',
  } as const;
}

/** How many: one a core unless told otherwise, and the calling one at least. */
export function threadsOf({ threads }: { threads?: number | undefined }): number {
  return Math.max(1, threads ?? availableParallelism());
}
