import { z } from 'zod';
import { defineSettings } from '../../base/settings.js';

/** Which file to read is itself a setting, but of course not one that the file can hold. */
export const configSetting = defineSettings({
  config: {
    type: z.string().min(1).optional(),
    description: 'configuration file (default: recal.config.json, if it is here)',
    value: 'FILE',
  },
});

/** What every command understands, before or after its name. */
export const globalSettings = defineSettings({
  quiet: { type: z.boolean().default(false), description: 'only results, warnings and errors', short: '-q' },
  json: { type: z.boolean().default(false), description: 'print the result as one JSON object' },
  color: { type: z.boolean().optional(), description: 'no colours (--color: even without a terminal)' },
  stack: { type: z.boolean().default(false), description: 'print the stack trace of an error' },
});
