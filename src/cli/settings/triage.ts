import { z } from 'zod';
import { parseRfc3339 } from '../../ingest/time.js';

/** The ledger of decisions, for every command that reads or writes it. */
export const triageSetting = {
  type: z.string().min(1).optional(),
  description: 'file with the decisions about incidents (default: STORE.triage.jsonl beside the store)',
  value: 'FILE',
} as const;

/** The alerts folders of a command. */
export const alertFoldersSetting = {
  type: z.array(z.string().min(1)).default([]),
  description: 'folder that recal detect wrote, or a folder of such folders',
  value: 'DIR',
} as const;

export const authorSetting = {
  type: z.string().min(1).max(256).optional(),
  description: 'who made the decision (default: your user name)',
  value: 'NAME',
} as const;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A time from now on, such as 14d, or a day or RFC 3339 time. */
export const untilSetting = z
  .string()
  .refine(
    (text) => parseUntil(text, 0) !== undefined,
    'expected 12h, 14d, 2w, 2026-12-31 or an RFC 3339 time',
  )
  .transform((text) => new Date(parseUntil(text, Date.now()) as number))
  .optional();

function parseUntil(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(trimmed) ?? [];
  if (count !== undefined) return now + Number(count) * UNITS[unit];
  const at = parseRfc3339(/^\d{4}-\d\d-\d\d$/.test(trimmed) ? `${trimmed}T00:00:00Z` : trimmed);
  return at === undefined ? undefined : Number(at / 1_000_000n);
}
