import { CONFIG_FILE } from '../base/config-file.js';
import { EXIT } from '../base/errors.js';

const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  done: 'done',
  error: 'an error, reported on stderr',
  usage: 'wrong usage or configuration',
  alerts: 'done, and there are alerts',
  interrupted: 'stopped by Ctrl-C',
  terminated: 'stopped by SIGTERM',
};

/** The end of `recal --help`: what holds for all commands. */
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
    '  Every option can also be set in the environment (--time-unit as RECAL_TIME_UNIT)',
    `  or in ${CONFIG_FILE} (as "timeUnit", at the top or in a section named after`,
    '  the command). Flags win over the environment, the environment over the file.',
    '  NO_COLOR and FORCE_COLOR are respected.',
  ].join('\n');
}
