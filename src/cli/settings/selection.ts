import { z } from 'zod';
import { parseRfc3339 } from '../../ingest/time.js';
import type { Selection } from '../../store/store.js';

/** A time as RFC 3339, as a day (its midnight, UTC), or in nanoseconds since 1970. */
const time = z
  .string()
  .refine((text) => parseTime(text) !== undefined, 'expected 2018-04-06, 2018-04-06T10:00:00Z or nanoseconds')
  .transform((text) => parseTime(text) as bigint)
  .optional();

/** The settings of every command that reads events of a store. */
export const selectionSettings = {
  split: {
    type: z.string().min(1).optional(),
    description: 'split of the store, as named with recal ingest --as',
    value: 'NAME',
  },
  host: {
    type: z.string().min(1).optional(),
    description: 'host ids or names; * and ? are wildcards',
    value: 'GLOB',
  },
  from: {
    type: time,
    description: 'start time, inclusive (2018-04-06, RFC 3339 or nanoseconds)',
    value: 'TIME',
  },
  to: { type: time, description: 'end time, exclusive', value: 'TIME' },
} as const;

interface SelectionValues {
  split?: string | undefined;
  host?: string | undefined;
  from?: bigint | undefined;
  to?: bigint | undefined;
}

export function selectionOf({ split, host, from, to }: SelectionValues): Selection {
  return { split, host, from, to };
}

function parseTime(text: string): bigint | undefined {
  const trimmed = text.trim();
  if (/^-?\d{1,19}$/.test(trimmed)) return BigInt(trimmed);
  return parseRfc3339(/^\d{4}-\d\d-\d\d$/.test(trimmed) ? `${trimmed}T00:00:00Z` : trimmed);
}
