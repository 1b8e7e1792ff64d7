import { z } from 'zod';
import { defineSettings } from '../../base/settings/settings.js';
import { GLOBAL_OPTIONS } from './global-options.js';

const { quiet, json, color, stack, config } = GLOBAL_OPTIONS;

/** The path of the configuration file. The file itself cannot set it. */
export const configSetting = defineSettings({
  config: { type: z.string().min(1).optional(), description: config.description, value: 'FILE' },
});

/** The settings of every command. */
export const globalSettings = defineSettings({
  quiet: { type: z.boolean().default(false), description: quiet.description, short: '-q' },
  json: { type: z.boolean().default(false), description: json.description },
  color: { type: z.boolean().optional(), description: color.description },
  stack: { type: z.boolean().default(false), description: stack.description },
});
