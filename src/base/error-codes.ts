/**
 * Every error code: when the error occurs and what to do about it. Codes are stable, lower-case words joined by hyphens.
 * The reference page docs/reference/errors.md is generated from this table.
 */
export const ERROR_CODES = {
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
  'already-ingested': {
    when: 'The store already contains the file, or a file with the same content.',
    action: 'Ingest the other files without it. To assign files to another split, use a new store.',
  },
  'avro-input': {
    when: 'The input is binary Avro, the raw form of the DARPA TC data.',
    action:
      'Use the JSON release of the same data, or convert it with `json_consumer.sh` of DARPA ta3-java-consumer.',
  },
  'config-shape': {
    when: 'The configuration file or a section is not a JSON object, or the value of a setting is one.',
    action: 'Write settings as `"key": value` and sections as `"command": { … }`.',
  },
  'config-syntax': {
    when: 'The configuration file is not valid JSON.',
    action:
      'Correct the line that the error names: JSON has double quotes, no comments and no trailing commas.',
  },
  'config-unknown-key': {
    when: 'The configuration file has a key that no setting or command has.',
    action: 'Correct the spelling; `recal settings` lists the settings.',
  },
  'config-unreadable': {
    when: 'The configuration file does not exist, cannot be read, or is larger than 1 MiB.',
    action: 'Check the path and the permissions of the file.',
  },
  'corrupt-input': {
    when: 'A compressed file or archive is damaged.',
    action: 'Copy or download it again, then check it with `gzip -t`, `zstd -t` or `tar -tf`.',
  },
  'decompression-ratio': {
    when: 'A file decompresses to far more data than logs do. It may be designed to fill the memory or the disk.',
    action: 'If you trust the file, decompress it first and pass the result to recal.',
  },
  'detection-config': {
    when: 'A detection setting has a value that is not allowed.',
    action: 'Correct the value; docs/reference/settings.md lists every setting and its range.',
  },
  'device-memory': {
    when: 'A graph or the word vectors need more than the 4 GiB that WebAssembly can address.',
    action:
      'Use shorter windows (`--set window=MINUTES`), a smaller `--set textDimension=D`, fewer hosts or a shorter time range.',
  },
  'disk-full': {
    when: 'The disk has no space left for the store.',
    action: 'Free some space, or put the store on another disk with `--store`; the store is unchanged.',
  },
  'drop-all': {
    when: '`recal drop` would remove every event in the store.',
    action: 'Choose an earlier `--before`, or confirm with `--all`.',
  },
  'duplicate-part': { when: 'Two input files are the same part of a log.', action: 'Pass only one of them.' },
  'e3-labels': {
    when: 'The labels folder has no labels for the host.',
    action: "Put `HOST.txt` (ThreaTrace's list) or `E3-HOST.csv` (expert labels) into the folder.",
  },
  'e3-parts': {
    when: 'The data folder lacks log files of DARPA Engagement 3 that the host and split need.',
    action:
      'Download the files that the error lists; README-E3 of the DARPA Transparent Computing release says where.',
  },
  'empty-input': {
    when: 'An input file or archive is empty.',
    action: 'Check that the download is complete.',
  },
  'evidence-not-fitted': {
    when: 'The model was trained without a kind of evidence that calibration needs.',
    action: 'Add the kind to `--set evidence=…` and train again, or calibrate without it.',
  },
  'foreign-file': {
    when: 'A file in the folder has the name of a recal result, but recal did not write it.',
    action:
      'To read alerts, use a folder that `recal detect` wrote; to write them, use a new or empty folder.',
  },
  'fusion-covariance': {
    when: 'The fusion `brown` needs covariances, but the model has none.',
    action: 'Run `recal calibrate` with `--set fusion=brown`, or choose another fusion.',
  },
  'hash-incomplete': {
    when: 'A program requested the hash of an input that it had not read to the end.',
    action: 'Read the input to the end first.',
  },
  'input-closed': {
    when: 'An input was closed while it was being read.',
    action: 'Close it after the last read.',
  },
  'input-consumed': { when: 'A program read the same input twice.', action: 'Open it again for each read.' },
  'input-is-directory': {
    when: 'An input path is a folder.',
    action: 'Pass the files in it, for example `DIR/*.json`.',
  },
  'input-no-match': {
    when: 'No file matches an input pattern.',
    action:
      'Correct the pattern: `*` and `?` stop at `/`, `**` crosses folders, and hidden names need a leading `.`.',
  },
  'input-not-found': { when: 'An input file does not exist.', action: 'Check the path.' },
  'input-read-failed': {
    when: 'The operating system reported an error while recal was reading an input.',
    action: 'Check the disk or the network file system.',
  },
  'input-unreadable': {
    when: 'An input file cannot be opened.',
    action: 'Run recal as a user that can read the file, or raise the open-file limit with `ulimit -n`.',
  },
  internal: {
    when: 'recal has a bug and cannot continue.',
    action: 'Run the command again with `--stack` and report the output.',
  },
  'labels-empty': {
    when: 'The label file contains no labels.',
    action: 'Check that the export is complete.',
  },
  'labels-header': {
    when: 'The first row of the label file has several columns, but none is `uuid`.',
    action: 'Begin the file with `uuid,attack,tier`; `attack` and `tier` are optional.',
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
  'malformed-line': {
    when: '`--strict` is set and a log line is malformed.',
    action: 'Correct the line, or leave out `--strict` to count and skip malformed lines.',
  },
  'memory-budget': {
    when: 'Training needs more memory than the limit allows.',
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
  'model-version': {
    when: 'Another version of recal wrote the model, in a format that this version does not read.',
    action: 'Use the version of recal that wrote the model, or train again.',
  },
  'nested-archive': {
    when: 'An archive contains another archive.',
    action: 'Unpack the outer archive with `tar -xf` and pass the inner ones.',
  },
  'nested-compression': { when: 'A file is compressed twice.', action: 'Run `gzip -dc FILE | recal … -`.' },
  'no-alerts': { when: 'The folder contains no alerts.', action: 'Run `recal detect … --out DIR`.' },
  'no-checkpoint': {
    when: '`--resume` is set, but the model has no checkpoint.',
    action: 'Leave out `--resume` to start training from the beginning.',
  },
  'no-edges': {
    when: 'None of the selected events connects two entities, so there is nothing to train on.',
    action: 'Select events that have a subject and an object.',
  },
  'no-model': { when: 'The model file does not exist.', action: 'Check the path, or run `recal train`.' },
  'no-split': {
    when: 'The store has no split with the given name.',
    action: 'Use a split that the hint lists, or create one with `recal ingest … --as NAME`.',
  },
  'no-store': { when: 'The folder contains no store.', action: 'Run `recal ingest FILE… --store DIR`.' },
  'no-time': {
    when: 'No event has a plausible time in s, ms, µs or ns since 1970.',
    action: 'Set the unit, for example `--time-unit ns`.',
  },
  'not-a-model': { when: 'The file is not a recal model.', action: 'Use a file that `recal train` wrote.' },
  'not-a-number': {
    when: 'A weight or an embedding of the model is not a number.',
    action: 'Train again with a lower `--set learningRate=RATE`, and report a bug if this happens again.',
  },
  'not-a-store': {
    when: 'The path of the store is a file, or a folder that contains other files.',
    action: 'Set `--store` to a new or empty folder.',
  },
  'not-calibrated': {
    when: 'The model is trained but not calibrated.',
    action:
      'Run `recal calibrate --store DIR --model FILE --split NAME` on benign events not used for training.',
  },
  'not-chronological': {
    when: 'The training events are not all earlier than the test events.',
    action: 'Train on earlier events, or allow this order with `--allow-past`.',
  },
  'nothing-read': {
    when: 'The input contains no usable record.',
    action: 'Inspect it with `recal inspect FILE`.',
  },
  'nothing-selected': {
    when: 'The store has no events for the selected split, host and time.',
    action: 'Change `--split`, `--host`, `--from` or `--to`; the hint lists what the store contains.',
  },
  'nothing-to-calibrate': {
    when: 'The benign events selected for calibration are too few to set a threshold.',
    action: 'Select a longer benign range with `--split`, `--from` and `--to`.',
  },
  'out-not-empty': { when: 'The output folder contains other files.', action: 'Use a new or empty folder.' },
  'out-place': {
    when: 'The output folder cannot be created or written to.',
    action: 'Set `--out` to a writable folder.',
  },
  'part-mixed': {
    when: 'The input for one split of an evaluation mixes a store with other inputs.',
    action: 'Ingest the inputs into one store first, or use only log files.',
  },
  'resume-beyond': {
    when: 'The checkpoint is beyond the number of training steps requested.',
    action: 'Raise `--epochs` or the setting `steps`, or leave out `--resume` to start from the beginning.',
  },
  'resume-differs': {
    when: 'The checkpoint was made with other settings or other events.',
    action: 'Use the same settings and events, or leave out `--resume` to start from the beginning.',
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
  'simulate-config': {
    when: 'An option of the simulator has a value that is not allowed.',
    action: 'Correct the value; the hint gives an example.',
  },
  'store-busy': {
    when: 'Another process is writing to the store.',
    action: 'Wait until it finishes; if it no longer runs, remove the lock file that the error names.',
  },
  'store-changed': {
    when: 'Another process removed a part of the store during the run, or a part of the store is missing.',
    action:
      'If `recal drop` ran meanwhile, run the command again. Otherwise restore the store or ingest the logs again.',
  },
  'store-damaged': {
    when: 'The manifest of the store cannot be read.',
    action: 'Restore it from a backup, or ingest the logs again into a new folder.',
  },
  'store-not-empty': {
    when: 'The store already contains other files.',
    action: 'Add to it with `--append`, or choose another folder with `--store`.',
  },
  'store-other-data': {
    when: 'The store does not contain the events that the model was trained on, or the files of this run.',
    action: 'Use the store that the model was trained on, or remove the store and ingest the logs again.',
  },
  'store-place': {
    when: 'The path of the store combines a backslash with `[`, `*` or `?`, which the database cannot open.',
    action: 'Move the store to a path without these characters.',
  },
  'store-version': {
    when: 'Another version of recal wrote the store, in a format that this version does not read.',
    action: 'Use the version of recal that wrote the store, or ingest the logs again into a new folder.',
  },
  'sweep-config': {
    when: 'A sweep has an unknown setting, or a value that is not allowed.',
    action: 'Correct the setting or value; the hint lists the alternatives.',
  },
  'sweep-fixed': {
    when: 'A sweep changes a setting that defines the variant.',
    action: 'Sweep the setting over another variant with `--variants`.',
  },
  'system-error': {
    when: 'The operating system reported an error.',
    action: 'Check the path, the permissions and the free disk space.',
  },
  'threshold-invalid': {
    when: 'A threshold rule is unknown, has a value that is not allowed, or cannot be used here.',
    action: 'Use `budget:N/day`, `fpr:P` or `fdr:Q`.',
  },
  'time-unit-changes': {
    when: 'The first events of a file have a different time unit from most of the file.',
    action: 'Set the unit with `--time-unit`.',
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
  'trailing-data': {
    when: 'Other data follows the end of a compressed file or archive.',
    action:
      'Check it with `gzip -t`, `zstd -t` or `tar -tf`, and copy or download it again. Pass joined archives separately.',
  },
  'training-config': {
    when: 'A training setting has a value that is not allowed.',
    action: 'Correct the value; docs/reference/settings.md lists every setting and its range.',
  },
  'training-diverged': {
    when: 'Training diverged: a number overflowed.',
    action: 'Lower the settings `learningRate` or `textRate`, or limit the gradient with `--set clip=1`.',
  },
  'truncated-input': {
    when: 'A compressed file or archive ends too early.',
    action: 'Copy or download it again, then check it with `gzip -t`, `zstd -t` or `tar -tf`.',
  },
  'unknown-dataset': { when: 'The dataset is unknown.', action: 'Use a dataset that the hint lists.' },
  'unknown-format': {
    when: 'The log format is unknown.',
    action: 'Set `--format` to one that the hint lists.',
  },
  'unknown-variant': { when: 'The variant is unknown.', action: 'Use a variant that the hint lists.' },
  'unsupported-archive': {
    when: 'The input is an archive that recal cannot read.',
    action: 'Unpack the archive first and pass the files.',
  },
  'unsupported-compression': {
    when: 'The input is compressed in a way that recal, or this version of Node, cannot read.',
    action:
      'Pipe the unpacked data into recal, for example `zstd -dc FILE | recal … -`; zstd needs Node 22.15 or newer.',
  },
  usage: { when: 'The command line is invalid.', action: 'Run `recal COMMAND --help`.' },
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
    when: 'The option is now a setting for `--set`.',
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
} as const satisfies Record<string, { readonly when: string; readonly action: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
