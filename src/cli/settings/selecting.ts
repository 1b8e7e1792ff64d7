import { z } from 'zod';
import { parseRfc3339 } from '../../ingest/time.js';
import type { Selection } from '../../store/store.js';

/** A moment as people write it: RFC 3339, a day (its midnight, UTC), or nanoseconds since 1970. */
const moment = z
  .string()
  .refine(
    (text) => parseMoment(text) !== undefined,
    'expected 2018-04-06, 2018-04-06T10:00:00Z or nanoseconds',
  )
  .transform((text) => parseMoment(text) as bigint)
  .optional();

/** The settings of every command that takes some of a store's events. */
export const selectingSettings = {
  split: {
    type: z.string().min(1).optional(),
    description: 'named split, as given to recal ingest --as',
    value: 'NAME',
  },
  host: {
    type: z.string().min(1).optional(),
    description: 'hosts by identifier or name; * and ? stand for anything',
    value: 'GLOB',
  },
  from: { type: moment, description: 'first moment, included', value: 'TIME' },
  to: { type: moment, description: 'last moment, not included', value: 'TIME' },
} as const;

interface SelectingValues {
  split?: string | undefined;
  host?: string | undefined;
  from?: bigint | undefined;
  to?: bigint | undefined;
}

export function selectionOf({ split, host, from, to }: SelectingValues): Selection {
  return { split, host, from, to };
}

/** What was calibrated on is known to be harmless; unless something else is selected, what comes after it is meant. */
export function selectAfter(selection: Selection, last: bigint): Selection {
  const { split, from, to } = selection;
  if (split !== undefined || from !== undefined || to !== undefined) return selection;
  return { ...selection, from: last + 1n };
}

function parseMoment(text: string): bigint | undefined {
  const trimmed = text.trim();
  if (/^-?\d{1,19}$/.test(trimmed)) return BigInt(trimmed);
  return parseRfc3339(/^\d{4}-\d\d-\d\d$/.test(trimmed) ? `${trimmed}T00:00:00Z` : trimmed);
}
