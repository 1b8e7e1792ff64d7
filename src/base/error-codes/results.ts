import type { ErrorText } from './error-text.js';

/** Errors about alerts folders and thresholds. */
export const RESULTS_ERRORS = {
  'accept-impossible': {
    when: 'The incident has no behaviours to accept, because its model judges single nodes.',
    action: 'Train with `--set unit=episode`, or use a suppression (`recal suppress add`).',
  },
  'accept-unknown': {
    when: 'No acceptance has the given id, or it is already undone.',
    action: 'List the acceptances with `recal accept --list --model FILE`.',
  },
  'alerts-ambiguous': {
    when: 'Several alerts or incidents have an id that begins with the given text.',
    action: 'Give more characters of the id; the hint lists the candidates.',
  },
  'alerts-damaged': {
    when: 'A file in an alerts folder cannot be read, or its checksum does not match.',
    action: 'Run `recal detect` again.',
  },
  'alerts-too-large': {
    when: 'A file in an alerts folder is too large to read.',
    action: 'Run `recal detect` again with a stricter `--threshold`.',
  },
  'alerts-unknown': {
    when: 'No alert or incident in the folder has the given id.',
    action: 'Use one of the ids that the hint or `alerts.csv` lists.',
  },
  'alerts-version': {
    when: 'Another version of recal wrote the alerts folder, in a format that this version does not read.',
    action: 'Run `recal detect` again, or use a newer recal if the alerts are newer.',
  },
  'foreign-file': {
    when: 'A file in the folder has the name of a recal result, but recal did not write it.',
    action:
      'To read alerts, use a folder that `recal detect` wrote; to write them, use a new or empty folder.',
  },
  'ledger-busy': {
    when: 'Another process held the lock of a decisions file for ten seconds.',
    action: 'Try again. If no other recal process is running, remove the lock file that the error names.',
  },
  'ledger-damaged': {
    when: 'A line of a decisions file (acceptances, triage) was changed or removed.',
    action: 'Restore the file from a backup, or keep the lines before the one that the error names.',
  },
  'no-alerts': { when: 'The folder contains no alerts.', action: 'Run `recal detect … --out DIR`.' },
  'out-not-empty': { when: 'The output folder contains other files.', action: 'Use a new or empty folder.' },
  'out-place': {
    when: 'The output folder cannot be created or written to.',
    action: 'Set `--out` to a writable folder.',
  },
  'since-last-damaged': {
    when: '`since-last.json`, the record of the last run of `recal detect --since-last`, is damaged or belongs to another store.',
    action: 'Use another `--out` folder, or remove the file to score everything again.',
  },
  'sink-state-damaged': {
    when: 'The file that lists delivered notifications cannot be read.',
    action: 'Restore the file, or delete it to send the notifications again.',
  },
  'sink-unusable': {
    when: 'The file that a receiver names cannot be opened.',
    action: 'Choose a file in an existing, writable folder.',
  },
  'suppression-invalid': {
    when: 'A suppression has no rule or several rules, or it ends in the past.',
    action:
      'Give exactly one rule (`--entity`, `--path`, or `--parent` with `--relation` and `--child`) and an `--expires` time in the future.',
  },
  'suppression-unknown': {
    when: 'No suppression has the given id, or it is already removed.',
    action: 'List the suppressions with `recal suppress list`.',
  },
  'threshold-invalid': {
    when: 'A threshold rule is unknown, has a value that is not allowed, or cannot be used here.',
    action: 'Use `top:N/day`, `budget:N/day`, `fpr:P` or `fdr:Q`.',
  },
  undelivered: {
    when: 'Some notifications could not be delivered to a receiver.',
    action: 'Correct the cause that the error shows, then run `recal send` again.',
  },
  'unknown-sink': {
    when: 'A receiver of `recal send` or `recal watch --to` has an unknown shape, or no target.',
    action: 'Use `SHAPE:TARGET`, such as `slack:https://…` or `ocsf:findings.jsonl`.',
  },
} as const satisfies Record<string, ErrorText>;
