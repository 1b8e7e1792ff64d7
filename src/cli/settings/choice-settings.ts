import { z } from 'zod';
import type { ConfigSetting } from '../../base/config-setting.js';
import type { Setting } from '../../base/settings.js';
import { DEFAULT_PROFILE } from '../../model/training/training-config.js';

/**
 * A table of choices as settings. None has a default here: what is not said, the preset says. A list is written with
 * commas.
 */
export function choiceSettings<K extends string>(
  choices: Readonly<Record<K, ConfigSetting>>,
  presets: Readonly<Record<string, Readonly<Partial<Record<K, unknown>>>>>,
): Record<K, Setting> {
  const entries = Object.entries<ConfigSetting>(choices).map(([key, { type, description, value }]) => {
    const standard = type.parse(undefined);
    const saidBy = (preset: string) => String(presets[preset]?.[key as K] ?? standard);
    const usual = saidBy(DEFAULT_PROFILE);
    const unlike = Object.keys(presets)
      .filter((name) => saidBy(name) !== usual)
      .map((name) => `, ${name}: ${saidBy(name)}`);
    const inner = (type as unknown as { unwrap(): z.ZodType }).unwrap();
    const setting: Setting = {
      type: (Array.isArray(standard) ? z.string() : inner).optional(),
      description: `${description} (default: ${usual}${unlike.join('')})`,
      standard: `${usual}${unlike.join('')}`,
      ...(value === undefined ? {} : { value }),
    };
    return [key, setting] as const;
  });
  return Object.fromEntries(entries) as Record<K, Setting>;
}

/** The values of those settings that were given. */
export function chosen(
  choices: Readonly<Record<string, ConfigSetting>>,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(choices).map(([key, { type }]) => {
      const given = settings[key];
      const isList = typeof given === 'string' && Array.isArray(type.parse(undefined));
      return [key, isList ? given.split(',').map((part) => part.trim()) : given];
    }),
  );
}
