/**
 * The options of every command, before or after its name. They are plain data, so that `recal --help` need not load the
 * modules that check values.
 */
export const GLOBAL_OPTIONS = {
  quiet: { flags: '-q, --quiet', description: 'hide progress and notes' },
  json: { flags: '--json', description: 'print the result as one JSON object' },
  color: { flags: '--no-color', description: 'disable colours; --color forces them' },
  stack: { flags: '--stack', description: 'print the stack trace of an error' },
  config: {
    flags: '--config <FILE>',
    description: 'configuration file (default: recal.config.json in the working folder)',
  },
} as const;
