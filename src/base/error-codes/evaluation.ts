import type { ErrorText } from './error-text.js';

/** Errors about evaluation and simulation. */
export const EVALUATION_ERRORS = {
  'labels-empty': {
    when: 'The label file contains no labels.',
    action: 'Check that the export is complete.',
  },
  'labels-header': {
    when: 'The first row of the label file has several columns, but none is `uuid` or `key`.',
    action: 'Begin the file with `uuid,attack,tier` or `key,attack,tier`; `attack` and `tier` are optional.',
  },
  'labels-no-match': {
    when: 'No label matches an entity in the test split.',
    action: 'Check that the labels are for this host and these days.',
  },
  'labels-not-text': { when: 'The label file is not text.', action: 'Unpack it first if it is compressed.' },
  'labels-row': {
    when: 'A row of the label file is malformed.',
    action:
      'Correct the line that the error names: one id per line, or a CSV row with as many cells as the header.',
  },
  'labels-tier': { when: 'No label has the tier `core`.', action: 'Use `--tier all`.' },
  'labels-too-large': {
    when: 'The label file is larger than 256 MiB.',
    action: 'Check that the file contains labels and not a log.',
  },
  'labels-utf16': { when: 'The label file is encoded in UTF-16.', action: 'Save it as UTF-8.' },
  'not-chronological': {
    when: 'Some training events are later than the first test or calibration event.',
    action: 'Train on earlier events, or allow the overlap with `--allow-past`.',
  },
  'simulate-config': {
    when: 'An option of the simulator has a value that is not allowed.',
    action: 'Correct the value; the hint gives an example.',
  },
  'sweep-config': {
    when: 'A sweep has an unknown setting, or a value that is not allowed.',
    action: 'Correct the setting or value; the hint lists the alternatives.',
  },
  'sweep-fixed': {
    when: 'A sweep changes a setting that defines the variant.',
    action: 'Sweep the setting over another variant with `--variants`.',
  },
  'unknown-dataset': { when: 'The dataset is unknown.', action: 'Use a dataset that the hint lists.' },
  'unknown-variant': { when: 'The variant is unknown.', action: 'Use a variant that the hint lists.' },
} as const satisfies Record<string, ErrorText>;
