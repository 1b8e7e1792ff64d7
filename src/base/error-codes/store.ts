import type { ErrorText } from './error-text.js';

/** Errors about stores. */
export const STORE_ERRORS = {
  'already-ingested': {
    when: 'The store already contains the file, or a file with the same content.',
    action: 'Ingest the other files without it. To assign files to another split, use a new store.',
  },
  'disk-full': {
    when: 'The disk has no space left for the store.',
    action: 'Free some space, or use a store on another disk with `--store`. The store is unchanged.',
  },
  'drop-all': {
    when: '`recal drop` would remove every event in the store.',
    action: 'Choose an earlier `--before`, or confirm with `--all`.',
  },
  'manifest-missing': {
    when: 'A folder has parts of a store but no manifest.',
    action: 'Rebuild the manifest with `recal repair --store DIR`, or use another folder.',
  },
  'no-split': {
    when: 'The store has no split with the given name.',
    action: 'Use a split that the hint lists, or create one with `recal ingest … --as NAME`.',
  },
  'no-store': { when: 'The folder contains no store.', action: 'Run `recal ingest FILE… --store DIR`.' },
  'not-a-store': {
    when: 'The path of the store is a file, or a folder that contains other files.',
    action: 'Set `--store` to a new or empty folder.',
  },
  'nothing-selected': {
    when: 'The store has no events for the selected split, host and time.',
    action: 'Change `--split`, `--host`, `--from` or `--to`; the hint lists what the store contains.',
  },
  'segment-damaged': {
    when: 'A segment of the store was changed after it was written, or the disk cannot read it.',
    action: 'Restore it from a backup, or remove it from the store with `recal repair --store DIR`.',
  },
  'store-busy': {
    when: 'Another process is writing to the store.',
    action: 'Wait until it finishes. If it is no longer running, remove the lock file that the error names.',
  },
  'store-changed': {
    when: 'Another process removed a part of the store during the run, or a part of the store is missing.',
    action:
      'If `recal drop` ran at the same time, run the command again. Otherwise restore the store or ingest the logs again.',
  },
  'store-damaged': {
    when: 'The manifest, the journal or the reader states of the store cannot be read, or were changed after recal wrote them.',
    action: 'Restore the file from a backup, or run `recal repair --store DIR`.',
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
    when: 'The path of the store contains a backslash and also `[`, `*` or `?`. The database cannot open such a path.',
    action: 'Move the store to a path without backslashes.',
  },
  'store-unowned': {
    when: 'The folder of the store contains files or links that recal did not write, in places where it has to write.',
    action: 'Choose another folder, or move these files to `set-aside` with `recal repair --store DIR`.',
  },
  'store-version': {
    when: 'Another version of recal wrote the store, in a format that this version does not read.',
    action: 'Use the version of recal that wrote the store, or ingest the logs again into a new folder.',
  },
} as const satisfies Record<string, ErrorText>;
