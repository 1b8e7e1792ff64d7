import { z } from 'zod';
import type { ConfigSetting } from '../../base/settings/config-setting.js';
import type { Setting } from '../../base/settings/settings.js';
import { DEFAULT_PROFILE } from '../../model/training/training-config.js';

/**
 * Settings of a command from a table of configuration settings. They have no default here, because the default depends
 * on the profile. Lists are written with commas. Those named in `options` get an option of their own; all others are
 * given with `--set key=value`.
 */
export function configSettings<K extends string>(
  table: Readonly<Record<K, ConfigSetting>>,
  presets: Readonly<Record<string, Readonly<Partial<Record<K, unknown>>>>>,
  { options = [] }: { options?: readonly K[] } = {},
): Record<K, Setting> {
  const entries = Object.entries<ConfigSetting>(table).map(([key, { type, description, value }]) => {
    const fallback = type.parse(undefined);
    const defaultOf = (preset: string) => String(presets[preset]?.[key as K] ?? fallback ?? '');
    const usual = defaultOf(DEFAULT_PROFILE);
    const others = Object.keys(presets)
      .filter((name) => defaultOf(name) !== usual)
      .map((name) => `, ${name}: ${defaultOf(name)}`);
    const inner = (type as unknown as { unwrap(): z.ZodType }).unwrap();
    const setting: Setting = {
      type: (Array.isArray(fallback) ? z.string() : inner).optional(),
      description:
        fallback === undefined ? description : `${description} (default: ${usual}${others.join('')})`,
      ...(fallback === undefined ? {} : { defaultText: `${usual}${others.join('')}` }),
      bySet: !options.includes(key as K),
      ...(value === undefined ? {} : { value }),
    };
    return [key, setting] as const;
  });
  return Object.fromEntries(entries) as Record<K, Setting>;
}

/** The values of the table's settings that were given. */
export function givenValues(
  table: Readonly<Record<string, ConfigSetting>>,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).map(([key, { type }]) => {
      const given = settings[key];
      const isList = typeof given === 'string' && Array.isArray(type.parse(undefined));
      return [key, isList ? given.split(',').map((part) => part.trim()) : given];
    }),
  );
}
