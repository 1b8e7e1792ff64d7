import type { ErrorText } from './error-text.js';

/** Errors about models, training and calibration. */
export const MODEL_ERRORS = {
  'detection-config': {
    when: 'A detection setting has a value that is not allowed.',
    action: 'Correct the value; docs/reference/settings.md lists every setting and its range.',
  },
  'device-memory': {
    when: 'A graph or the word vectors need more than the 4 GiB that WebAssembly can address.',
    action:
      'Use shorter windows (`--set window=MINUTES`), a smaller `--set textDimension=D`, fewer hosts or a shorter time range.',
  },
  'evidence-not-fitted': {
    when: 'The model was trained without a kind of evidence that calibration needs.',
    action: 'Add the kind to `--set evidence=…` and train again, or calibrate without it.',
  },
  'fusion-covariance': {
    when: 'The fusion `brown` needs covariances, but the model has none.',
    action: 'Run `recal calibrate` with `--set fusion=brown`, or choose another fusion.',
  },
  'key-invalid': {
    when: 'A key file is not an Ed25519 key in PEM form, or a new key would replace an existing file.',
    action: 'Create a pair of keys with `recal model key FILE`, at a path that does not exist yet.',
  },
  'memory-budget': {
    when: 'Training or detection needs more memory than the limit allows.',
    action:
      'Raise `--memory`, or use shorter windows (`--set window=MINUTES`), fewer hosts or a shorter time range.',
  },
  'model-damaged': {
    when: 'A model file is damaged or was changed after recal wrote it.',
    action: 'Restore the file from a backup, or train and calibrate again.',
  },
  'model-place': {
    when: 'The model cannot be written to the given path, or the path is a file that is not a model.',
    action: 'Set `--model` to a path in an existing, writable folder.',
  },
  'model-shape': {
    when: 'The graph or the weights do not have the dimensions of the model.',
    action: 'Build the graph with the vocabularies of the model, and load weights of the same configuration.',
  },
  'model-too-large': {
    when: 'The header of a model file would exceed its size limit.',
    action: 'Train on a shorter time range or fewer hosts.',
  },
  'model-unsigned': {
    when: 'A trusted key is set, but the model is not signed with that key, or it was changed after it was signed.',
    action:
      'If you trust the file, sign it with `recal model sign FILE --key KEY`; otherwise get the file again from its source.',
  },
  'model-version': {
    when: 'Another version of recal wrote the model, in a format that this version does not read.',
    action: 'Use the version of recal that wrote the model, or train again.',
  },
  'no-checkpoint': {
    when: '`--resume` is set, but the model has no checkpoint.',
    action: 'Leave out `--resume` to start training from the beginning.',
  },
  'no-edges': {
    when: 'None of the selected events connects two entities, so there is nothing to train on.',
    action: 'Select events that have a subject and an object.',
  },
  'no-model': { when: 'The model file does not exist.', action: 'Check the path, or run `recal train`.' },
  'not-a-model': { when: 'The file is not a recal model.', action: 'Use a file that `recal train` wrote.' },
  'not-a-number': {
    when: 'A weight or an embedding of the model is not a number.',
    action: 'Train again with a lower `--set learningRate=RATE`. If this happens again, report a bug.',
  },
  'not-calibrated': {
    when: 'The model is trained but not calibrated.',
    action:
      'Run `recal calibrate --store DIR --model FILE --split NAME` on benign events not used for training.',
  },
  'nothing-to-calibrate': {
    when: 'The selection has too few benign events to set a threshold.',
    action: 'Select a longer benign time range with `--split`, `--from` and `--to`.',
  },
  'resume-beyond': {
    when: 'The checkpoint is beyond the number of training steps requested.',
    action: 'Raise `--epochs` or the setting `steps`, or leave out `--resume` to start from the beginning.',
  },
  'resume-differs': {
    when: 'The checkpoint was made with other settings or other events.',
    action: 'Use the same settings and events, or leave out `--resume` to start from the beginning.',
  },
  'too-many-entities': {
    when: 'The selected events have more entities than recal can load at once.',
    action: 'Select fewer hosts or a shorter time range.',
  },
  'too-many-relations': {
    when: 'The events have more relations than a model can have.',
    action: 'Map rare event types to fewer names before `recal ingest`.',
  },
  'too-many-words': {
    when: 'The input has too many different relations, entity types and hosts.',
    action: 'Check that the input is a log, or ingest its files in several runs.',
  },
  'training-config': {
    when: 'A training setting has a value that is not allowed.',
    action: 'Correct the value; docs/reference/settings.md lists every setting and its range.',
  },
  'training-diverged': {
    when: 'Training diverged: a number overflowed.',
    action: 'Lower the settings `learningRate` or `textRate`, or limit the gradient with `--set clip=1`.',
  },
} as const satisfies Record<string, ErrorText>;
