import type { ErrorText } from './error-text.js';

/** Errors of `recal watch`. */
export const LIVE_ERRORS = {
  'checkpoint-damaged': {
    when: 'Neither the checkpoint of `recal watch` nor the one before it can be read.',
    action: 'Restore the folder from a backup, or remove `watch.json`. Incidents may then be sent again.',
  },
  'listen-failed': {
    when: '`recal watch` cannot listen on the address for metrics or for pushed logs.',
    action: 'Choose another address or port, or stop the program that uses it.',
  },
  'listen-unsafe': {
    when: 'The address accepts logs from other hosts without a token or a client certificate, or an `https` source has no certificate.',
    action: 'Set `--listen-token-file`, or `--listen-cert`, `--listen-key` and `--listen-ca`.',
  },
  'no-earlier-model': {
    when: '`--rollback` is set, but no earlier model is kept.',
    action: 'Leave out `--rollback`.',
  },
  'training-failed': {
    when: 'The process that trains the model of `recal watch` failed.',
    action: 'Read the message. RECAL retries the training later and keeps the previous model until then.',
  },
  'unknown-source': {
    when: 'An argument of `recal watch` is not a source.',
    action: 'Use a file or glob, `-`, `unix:PATH`, or `http://ADDRESS:PORT`.',
  },
} as const satisfies Record<string, ErrorText>;
