import type { z } from 'zod';

/** A setting of a training or detection configuration, with the reason for its default. */
export interface ConfigSetting<T extends z.ZodType = z.ZodType> {
  readonly type: T;
  readonly description: string;
  readonly reason: string;
  /** The placeholder for the value in `--help`. */
  readonly value?: string;
}

export function configSetting<T extends z.ZodType>(
  type: T,
  description: string,
  reason: string,
  value?: string,
): ConfigSetting<T> {
  return { type, description, reason, ...(value === undefined ? {} : { value }) };
}
