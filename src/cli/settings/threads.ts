import { z } from 'zod';

/** The setting of every command that computes. `result` does not depend on the number of threads. */
export function threadsSetting(result: string) {
  return {
    type: z.coerce.number().int().min(0).max(64).optional(),
    description: `compute threads (default: one per core); ${result} does not depend on it`,
    value: 'N',
  } as const;
}
