import { enlarge } from '../../base/enlarge.js';
import { Batch } from '../batch.js';
import { EntityKey } from '../entity-key.js';
import { ACT, ACT_HEAD, ARG_WORDS, NONE, PATH_WORDS, TAPE_HEAD, TARGET_WORDS, TEXT_WORDS } from './act.js';
import { joinPath } from './path-join.js';

const TYPICAL_TEXTS = 4096;

/** Reads the acts of a batch, and adds acts that wait from batches before. */
export class ActTape {
  batch = new Batch();
  /** The words of all acts. An act is given by its offset. */
  words = new Int32Array(0);
  /** The offsets of the acts, in the order of the tape. */
  readonly acts: number[] = [];
  /** Goes up with each batch. */
  generation = 0;
  #texts = new Int32Array(TYPICAL_TEXTS * TEXT_WORDS);
  #size = 0;
  readonly #strings: (string | undefined)[] = [];
  readonly #added = new Map<string, number>();
  /** The cleaned form of absolute paths, by number. */
  readonly #cleaned = new Map<number, number>();
  readonly #key = new EntityKey();

  attach(batch: Batch): void {
    this.batch = batch;
    this.words = batch.tape;
    this.generation++;
    this.acts.length = 0;
    this.#strings.length = 0;
    this.#added.clear();
    this.#cleaned.clear();
    this.#size = 0;
    if (batch.tapeLength === 0) return;
    const end = batch.tape[0];
    this.#size = batch.tape[1];
    if (this.#size * TEXT_WORDS > this.#texts.length)
      this.#texts = new Int32Array(this.#size * TEXT_WORDS * 2);
    this.#texts.set(batch.tape.subarray(end, end + this.#size * TEXT_WORDS));
    for (let at = TAPE_HEAD; at < end; at += batch.tape[at + ACT.length]) this.acts.push(at);
  }

  /** Appends the words of an act whose texts are numbers of this tape. Returns its offset. */
  append(words: readonly number[]): number {
    const at = this.batch.extendTape(words.length);
    this.words = this.batch.tape;
    this.words.set(words, at);
    return at;
  }

  /** The number of texts. */
  get size(): number {
    return this.#size;
  }

  text(number: number): string | undefined {
    if (number === NONE) return undefined;
    const known = this.#strings[number];
    if (known !== undefined) return known;
    const at = number * TEXT_WORDS;
    const { buffer, byteOffset } = this.batch.text;
    const text = Buffer.from(buffer, byteOffset + this.#texts[at], this.#texts[at + 1]).toString('utf8');
    this.#strings[number] = text;
    return text;
  }

  /** The number of a text that the tape may not have yet. */
  numberOf(text: string | undefined): number {
    if (text === undefined) return NONE;
    const known = this.#added.get(text);
    if (known !== undefined) return known;
    const number = this.#size++;
    const at = number * TEXT_WORDS;
    if (at + TEXT_WORDS > this.#texts.length) this.#texts = enlarge(this.#texts);
    const bytes = Buffer.from(text);
    this.#texts[at] = this.batch.appendText(bytes, 0, bytes.length);
    this.#texts[at + 1] = bytes.length;
    for (let i = at + 2; i < at + TEXT_WORDS; i++) this.#texts[i] = 0;
    this.#strings[number] = text;
    this.#added.set(text, number);
    return number;
  }

  /** The number of an absolute path without empty, `.` and `..` parts. */
  cleaned(path: number): number {
    const known = this.#cleaned.get(path);
    if (known !== undefined) return known;
    const number = this.numberOf(joinPath('/', this.text(path) as string));
    this.#cleaned.set(path, number);
    return number;
  }

  /** Copies the entity key of a text. Parsers make the keys of paths and addresses. */
  keyOf(number: number, key: EntityKey): void {
    const at = number * TEXT_WORDS;
    const texts = this.#texts;
    if ((texts[at + 2] | texts[at + 3] | texts[at + 4] | texts[at + 5]) === 0) {
      this.#key.hash(this.batch.text.subarray(texts[at], texts[at] + texts[at + 1]));
      texts[at + 2] = this.#key.w0;
      texts[at + 3] = this.#key.w1;
      texts[at + 4] = this.#key.w2;
      texts[at + 5] = this.#key.w3;
    }
    key.w0 = texts[at + 2];
    key.w1 = texts[at + 3];
    key.w2 = texts[at + 4];
    key.w3 = texts[at + 5];
  }

  /** Uses a text of the tape as a text of an upsert. */
  setText(upsert: number, field: number, number: number): void {
    const at = number * TEXT_WORDS;
    this.batch.setTextAt(upsert, field, this.#texts[at], this.#texts[at + 1]);
  }

  targetsAt(act: number): number {
    return act + ACT_HEAD;
  }

  argsAt(act: number): number {
    return this.targetsAt(act) + this.words[act + ACT.targets] * TARGET_WORDS;
  }

  pathsAt(act: number): number {
    return this.argsAt(act) + this.words[act + ACT.args] * ARG_WORDS;
  }

  /** The offset of the path at `index`, or -1. */
  pathAt(act: number, index: number): number {
    return index < this.words[act + ACT.paths] ? this.pathsAt(act) + index * PATH_WORDS : -1;
  }

  /** The time of an act as a double of nanoseconds, which is exact to a quarter of a microsecond. */
  timeOf(act: number): number {
    return (this.words[act + ACT.timeHigh] >>> 0) * 0x100000000 + (this.words[act + ACT.timeLow] >>> 0);
  }

  /** The exact time of an act in nanoseconds. */
  exactTimeOf(act: number): bigint {
    return (BigInt(this.words[act + ACT.timeHigh]) << 32n) | BigInt(this.words[act + ACT.timeLow] >>> 0);
  }
}
