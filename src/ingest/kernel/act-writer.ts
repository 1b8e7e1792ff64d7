import type { Batch } from '../batch.js';
import {
  ACT,
  ACT_HEAD,
  ARG_WORDS,
  NONE,
  PATH,
  PATH_WORDS,
  SEEN,
  TAPE_HEAD,
  TARGET_WORDS,
  TEXT_WORDS,
} from './act.js';
import type { ActBuilder } from './act-builder.js';
import { folderArgument, WORKING_FOLDER } from './act-folders.js';
import { BlockTexts } from './block-texts.js';
import type { WordList } from './word-list.js';

/** Writes the acts of a block to the tape of its batch. */
export class ActWriter {
  readonly texts = new BlockTexts();
  #acts = 0;

  begin(batch: Batch): void {
    this.texts.begin(batch);
    this.#acts = 0;
    batch.extendTape(TAPE_HEAD);
  }

  add(batch: Batch, { words, targets, args, paths }: ActBuilder): void {
    this.#acts++;
    if (paths.length > 0) this.#resolve(words, paths);
    const full = (words[ACT.seen] & SEEN.full) !== 0;
    const length = full ? ACT_HEAD + targets.length + args.length + paths.length : ACT.call;
    words[ACT.length] = length;
    words[ACT.targets] = targets.length / TARGET_WORDS;
    words[ACT.args] = args.length / ARG_WORDS;
    words[ACT.paths] = paths.length / PATH_WORDS;
    let at = batch.extendTape(length);
    const { tape } = batch;
    for (let i = 0; i < (full ? ACT_HEAD : ACT.call); i++) tape[at++] = words[i];
    if (!full) return;
    at = targets.copyTo(tape, at);
    at = args.copyTo(tape, at);
    paths.copyTo(tape, at);
  }

  /** Makes names absolute, unless they depend on a descriptor. */
  #resolve(words: Int32Array, list: WordList): void {
    const paths = list.words;
    for (let at = 0; at < list.length; at += PATH_WORDS) {
      const argument = folderArgument(words[ACT.call], paths[at + PATH.role], paths[at + PATH.item]);
      const folder = argument < 0 || words[ACT.a0 + argument] === WORKING_FOLDER ? words[ACT.cwd] : NONE;
      paths[at + PATH.path] = this.texts.path(folder, paths[at + PATH.name]);
    }
  }

  /** Adds the texts. The tape is complete after it. */
  end(batch: Batch): void {
    const { words, size } = this.texts;
    batch.tape[0] = batch.tapeLength;
    batch.tape[1] = size;
    const at = batch.extendTape(size * TEXT_WORDS);
    batch.tape.set(words.subarray(0, size * TEXT_WORDS), at);
    batch.eventRoom = this.#acts + (this.#acts >> 3) + 64;
    batch.upsertRoom = (this.#acts >> 1) + 64;
  }
}
