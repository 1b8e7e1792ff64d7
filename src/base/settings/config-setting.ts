import type { z } from 'zod';

/**
 * Where the value of profile `paper` comes from: the paper gives it, it follows from the paper's sweeps or citations, or
 * the paper does not give it.
 */
export type SettingOrigin = 'paper' | 'implied' | 'ours';

/** A setting of a training or detection configuration, with the reason for its default. */
export interface ConfigSetting<T extends z.ZodType = z.ZodType> {
  readonly origin: SettingOrigin;
  readonly type: T;
  readonly description: string;
  readonly reason: string;
  /** The placeholder for the value in `--help`. */
  readonly value?: string;
}

export function configSetting<T extends z.ZodType>(
  origin: SettingOrigin,
  type: T,
  description: string,
  reason: string,
  value?: string,
): ConfigSetting<T> {
  return { origin, type, description, reason, ...(value === undefined ? {} : { value }) };
}
