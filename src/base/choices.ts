import type { z } from 'zod';

/** One choice of a table of choices: its type with the default, what it is, and why the default is what it is. */
export interface Choice<T extends z.ZodType = z.ZodType> {
  readonly type: T;
  readonly description: string;
  readonly reason: string;
  /** What `--help` calls the value. */
  readonly value?: string;
}

export function choice<T extends z.ZodType>(
  type: T,
  description: string,
  reason: string,
  value?: string,
): Choice<T> {
  return { type, description, reason, ...(value === undefined ? {} : { value }) };
}
