import type { ErrorText } from './error-text.js';

/** Errors of `recal watch`. */
export const LIVE_ERRORS = {
  'checkpoint-damaged': {
    when: 'The checkpoint of `recal watch` cannot be read, and neither can the one before it.',
    action: 'Restore the folder from a backup, or remove `watch.json`: incidents may then be told again.',
  },
  'listen-failed': {
    when: 'The address for metrics or pushed logs cannot be used.',
    action: 'Choose another address or port, or stop the program that uses it.',
  },
  'listen-unsafe': {
    when: 'Other hosts could send logs without a token or a certificate, or TLS has no certificate.',
    action: 'Set `--listen-token-file`, or `--listen-cert`, `--listen-key` and `--listen-ca`.',
  },
  'no-earlier-model': {
    when: '`--rollback` is set, but no earlier model is kept.',
    action: 'Leave out `--rollback`.',
  },
  'training-failed': {
    when: 'The process that trains the model of `recal watch` failed.',
    action: 'Read its message; it is tried again later, and the model before is kept.',
  },
  'unknown-source': {
    when: 'An argument of `recal watch` is not a source.',
    action: 'Use a file or glob, `-`, `unix:PATH`, or `http://ADDRESS:PORT`.',
  },
} as const satisfies Record<string, ErrorText>;
