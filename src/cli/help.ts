import { EXIT } from '../base/errors.js';
import { CONFIG_FILE } from '../base/settings/config-file.js';

const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  done: 'success',
  error: 'an error, reported on stderr',
  usage: 'wrong usage or configuration',
  alerts: 'success with alerts (--fail-on-alert)',
  interrupted: 'stopped by Ctrl-C',
  terminated: 'stopped by SIGTERM',
};

/** The end of `recal --help`. */
export function generalNotes(): string {
  const codes = Object.entries(EXIT).map(
    ([name, code]) => `  ${String(code).padEnd(5)}${EXIT_MEANINGS[name as keyof typeof EXIT]}`,
  );
  return [
    '',
    'Exit codes:',
    ...codes,
    '',
    'Settings:',
    '  Every option and every --set key can also be set in the environment',
    '  (--time-unit as RECAL_TIME_UNIT, --set maskBase=0.3 as RECAL_MASK_BASE=0.3) or in',
    `  ${CONFIG_FILE} ("timeUnit", at the top level or in a section named after the command).`,
    '  Options override the environment, and the environment overrides the file.',
    '  NO_COLOR and FORCE_COLOR are respected.',
  ].join('\n');
}
