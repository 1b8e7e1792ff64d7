import type { ErrorText } from './error-text.js';

/** Errors about the command line and the configuration. */
export const USAGE_ERRORS = {
  'config-shape': {
    when: 'The configuration file or a section of it is not a JSON object, or the value of a setting is an object.',
    action: 'Write settings as `"key": value` and sections as `"command": { … }`.',
  },
  'config-syntax': {
    when: 'The configuration file is not valid JSON.',
    action:
      'Correct the line that the error names: JSON has double quotes, no comments and no trailing commas.',
  },
  'config-unknown-key': {
    when: 'The configuration file contains an unknown key.',
    action: 'Correct the spelling; `recal settings` lists the settings.',
  },
  'config-unreadable': {
    when: 'The configuration file does not exist, cannot be read, or is larger than 1 MiB.',
    action: 'Check the path and the permissions of the file.',
  },
  'seeds-invalid': { when: '`--seeds` is not a list of seeds.', action: 'Write `0-4`, `7` or `0,2,9-11`.' },
  'settings-invalid': {
    when: 'An option, environment variable or configuration key has a value that is not allowed.',
    action: 'Correct the value; the hint describes the setting.',
  },
  'settings-missing': {
    when: 'A required setting is not set.',
    action: 'Set it with the option, environment variable or configuration key that the hint names.',
  },
  'usage-calibrate': {
    when: 'The options for calibration contradict each other.',
    action:
      'Leave out `--no-calibrate` or `--calibrate-split`, or calibrate on a split that is not used for training.',
  },
  'usage-invalid-argument': { when: 'An argument is not allowed.', action: 'Run `recal COMMAND --help`.' },
  'usage-missing-argument': {
    when: 'A required argument is missing.',
    action: 'Run `recal COMMAND --help`.',
  },
  'usage-missing-value': { when: 'An option has no value.', action: 'Run `recal COMMAND --help`.' },
  'usage-moved-option': {
    when: 'The option no longer exists; `--set` replaces it.',
    action: 'Use `--set key=value` as the hint shows.',
  },
  'usage-repeated-setting': {
    when: 'A setting is given both as an option and with `--set`, or twice with `--set`.',
    action: 'Leave out one of them.',
  },
  'usage-too-many-arguments': {
    when: 'The command has too many arguments.',
    action: 'Run `recal COMMAND --help`.',
  },
  'usage-unknown-command': { when: 'The command is unknown.', action: 'Run `recal --help`.' },
  'usage-unknown-option': { when: 'The option is unknown.', action: 'Run `recal COMMAND --help`.' },
  'usage-unknown-setting': {
    when: 'The key of `--set` is not a setting of the command.',
    action: 'Run `recal settings COMMAND`.',
  },
} as const satisfies Record<string, ErrorText>;
