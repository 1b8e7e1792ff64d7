import type { ErrorText } from './error-text.js';

/** Errors about log files. */
export const INPUT_ERRORS = {
  'avro-input': {
    when: 'The input is binary Avro, the raw form of the DARPA TC data.',
    action:
      'Use the JSON release of the same data, or convert it with `json_consumer.sh` of DARPA ta3-java-consumer.',
  },
  'corrupt-input': {
    when: 'A compressed file or archive is damaged.',
    action: 'Copy or download it again, then check it with `gzip -t`, `zstd -t` or `tar -tf`.',
  },
  'decompression-ratio': {
    when: 'A file decompresses to far more data than logs do. It may be designed to fill the memory or the disk.',
    action: 'If you trust the file, decompress it first and pass the result to recal.',
  },
  'duplicate-part': { when: 'Two input files are the same part of a log.', action: 'Pass only one of them.' },
  'e3-labels': {
    when: 'The labels folder has no labels for the host.',
    action: "Put `HOST.txt` (ThreaTrace's list) or `E3-HOST.csv` (expert labels) into the folder.",
  },
  'e3-parts': {
    when: 'The data folder does not contain all DARPA Engagement 3 log files that the host and the split need.',
    action:
      'Download the files that the error lists; README-E3 of the DARPA Transparent Computing release says where.',
  },
  'empty-input': {
    when: 'An input file or archive is empty.',
    action: 'Check that the download is complete.',
  },
  'evtx-input': {
    when: 'The input is a binary event log of Windows (.evtx).',
    action: 'Convert it first: `evtx_dump -o jsonl FILE`, or `wevtutil qe FILE /lf:true /f:xml` on Windows.',
  },
  'hash-incomplete': {
    when: 'A program requested the hash of an input that it had not read to the end.',
    action: 'Read the input to the end first.',
  },
  'input-changed': {
    when: 'A file became shorter while it was read.',
    action: 'Ingest the rotated copy, or wait until the writer of the file has finished.',
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
    when: 'recal cannot continue because of a bug.',
    action: 'Run the command again with `--stack` and report the output.',
  },
  'malformed-line': {
    when: '`--strict` is set and a log line is malformed.',
    action: 'Correct the line, or leave out `--strict` to count and skip malformed lines.',
  },
  'nested-archive': {
    when: 'An archive contains another archive.',
    action: 'Unpack the outer archive with `tar -xf` and pass the inner ones.',
  },
  'nested-compression': {
    when: 'A file is compressed twice.',
    action: 'Decompress it once: `gzip -dc FILE | recal … -`.',
  },
  'no-time': {
    when: 'No event has a plausible time in s, ms, µs or ns since 1970.',
    action: 'Set the unit, for example `--time-unit ns`.',
  },
  'nothing-read': {
    when: 'The input contains no usable record.',
    action: 'Inspect it with `recal inspect FILE`.',
  },
  'part-mixed': {
    when: 'The input for one split of an evaluation mixes a store with other inputs.',
    action: 'Ingest the inputs into one store first, or use only log files.',
  },
  'system-error': {
    when: 'The operating system reported an error.',
    action: 'Check the path, the permissions and the free disk space.',
  },
  'time-unit-changes': {
    when: 'The first events of a file have a different time unit from most of the file.',
    action: 'Set the unit with `--time-unit`.',
  },
  'trailing-data': {
    when: 'Other data follows the end of a compressed file or archive.',
    action:
      'Check it with `gzip -t`, `zstd -t` or `tar -tf`, and copy or download it again. If several archives were joined, pass each one separately.',
  },
  'truncated-input': {
    when: 'A compressed file or archive ends too early.',
    action: 'Copy or download it again, then check it with `gzip -t`, `zstd -t` or `tar -tf`.',
  },
  'unknown-format': {
    when: 'The log format is unknown, or one that recal does not read. The message shows the first lines.',
    action: 'Do what the hint says: set `--format`, collect another log, or convert it to recal NDJSON.',
  },
  'unsupported-archive': {
    when: 'The input is an archive that recal cannot read.',
    action: 'Unpack the archive first and pass the files.',
  },
  'unsupported-compression': {
    when: 'Neither recal nor this version of Node can decompress the input.',
    action:
      'Pipe the decompressed data into recal, for example `zstd -dc FILE | recal … -`; zstd needs Node 22.15 or newer.',
  },
  usage: { when: 'The command line is invalid.', action: 'Run `recal COMMAND --help`.' },
} as const satisfies Record<string, ErrorText>;
