import { readFileSync } from 'node:fs';
import type { Shape, Slot } from './shape.js';
import { symbolText } from './symbol-text.js';

/** What became of a line. */
export const LINE_END = 0;
export const LINE_RECORD = 1;
export const LINE_MALFORMED = 2;
export const LINE_BLANK = 3;
export const LINE_OVERSIZE = 4;

const REASONS = [
  'expected a value',
  'a control character inside a string',
  'a wrong escape in a string',
  'expected a key',
  'expected a colon',
  'expected a comma or a closing bracket',
  'nested deeper than 64 levels',
  'ends too early',
  'text after the end of the record',
  'not a JSON object',
  'a union that does not have exactly one member',
  'an object given twice',
];

const TAG_KIND = 0x0f;
const TAG_STRING = 1;
const TAG_NUMBER = 2;
const TAG_TRUE = 3;
const TAG_FALSE = 4;
const TAG_RAW = 5;
const TAG_ESCAPED = 0x10;
const TAG_WIDE = 0x20;
const TAG_UUID = 0x40;
const TAG_INTEGER = 0x80;

/** Words of a slot in the row. */
const SLOT_WORDS = 8;

const PAGE = 65_536;
/** Memory before the blocks: the shape's tables and the row, then the dictionary, then the steps. */
const TABLES_AT = 4096;
const DICTIONARY_AT = 2 * PAGE;
const STEPS_AT = 8 * PAGE;
const BLOCKS_AT = 10 * PAGE;
const NO_SYMBOL = 0xffffffff;
/** Words that the kernel has numbers for, as in kernels/json-scan/dictionary.ts; further ones are numbered here. */
const KERNEL_SYMBOLS = 8192;
/** Batches keep numbers of words in 16 bits, and the last stands for none. */
const MAX_SYMBOLS = 0xffff;
/** Behind the row: room for a key with escapes. */
const KEY_SCRATCH = 128;
/** The kernel reads up to 16 bytes at a time, and one newline closes the block. */
const PADDING = 64;

interface Kernel {
  configure(root: number, row: number, slots: number, maxLine: number): void;
  configureDictionary(address: number, length: number): void;
  configureSteps(address: number, length: number): void;
  begin(address: number, length: number): void;
  next(): number;
  failureReason(): number;
  failurePosition(): number;
  lineStartAddress(): number;
  lineEndAddress(): number;
}

let compiled: WebAssembly.Module | undefined;

/** Compiled once for all threads: they share the machine code, and what the engine learns about it. */
export function kernelModule(given?: WebAssembly.Module): WebAssembly.Module {
  compiled ??= given ?? new WebAssembly.Module(readFileSync(new URL('./json-scan.wasm', import.meta.url)));
  return compiled;
}

/**
 * Memory for scanning: the kernel's tables and `count` blocks of input. It is shared, so that one thread can fill a
 * block from a file while another scans the one before it, and no byte is copied on the way.
 */
export class ScanMemory {
  readonly memory: WebAssembly.Memory;
  readonly blockBytes: number;
  readonly blocks: Uint8Array[];

  constructor(blockBytes: number, count: number, memory?: WebAssembly.Memory) {
    const stride = Math.ceil((blockBytes + PADDING) / PAGE) * PAGE;
    const pages = (BLOCKS_AT + stride * count) / PAGE;
    this.blockBytes = blockBytes;
    this.memory = memory ?? new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    const { buffer } = this.memory;
    this.blocks = Array.from(
      { length: count },
      (_, i) => new Uint8Array(buffer, BLOCKS_AT + stride * i, blockBytes + PADDING),
    );
  }
}

/**
 * Scans JSON lines for the fields of a shape. After `next` gives LINE_RECORD, the slots hold what was found; texts
 * are made only when asked for. The work is done in kernels/json-scan.ts.
 */
export class JsonScan {
  /** All memory, as bytes: slots' starts and stops are offsets into it. */
  readonly bytes: Uint8Array;
  readonly #kernel: Kernel;
  readonly #row: Uint32Array;
  readonly #text: Buffer;
  readonly #symbols: string[] = [];
  /** Numbers of words that the kernel has no room for. */
  readonly #extraSymbols = new Map<string, number>();

  constructor(memory: ScanMemory, shape: Shape, maxLine: number) {
    const { buffer } = memory.memory;
    this.bytes = new Uint8Array(buffer);
    this.#text = Buffer.from(buffer);
    const { root, end } = shape.compile(buffer, TABLES_AT);
    if (end + shape.slots * SLOT_WORDS * 4 + KEY_SCRATCH > DICTIONARY_AT)
      throw new RangeError('a shape too large for its tables');
    this.#row = new Uint32Array(buffer, end, shape.slots * SLOT_WORDS);
    const instance = new WebAssembly.Instance(kernelModule(), { env: { memory: memory.memory } });
    this.#kernel = instance.exports as unknown as Kernel;
    this.#kernel.configure(root, end, shape.slots, maxLine);
    this.#kernel.configureDictionary(DICTIONARY_AT, STEPS_AT - DICTIONARY_AT);
    this.#kernel.configureSteps(STEPS_AT, BLOCKS_AT - STEPS_AT);
  }

  /** Starts on the first `length` bytes of a block of this memory. */
  begin(block: Uint8Array, length: number): void {
    block[length] = 0x0a; // stops every inner loop of the kernel without a bounds check
    this.#kernel.begin(block.byteOffset, length);
  }

  next(): number {
    return this.#kernel.next();
  }

  get lineLength(): number {
    return this.#kernel.lineEndAddress() - this.#kernel.lineStartAddress();
  }

  /** Why the line just read is malformed, and in which byte of it, from 1. */
  failure(): { reason: string; column: number } {
    const column = this.#kernel.failurePosition() - this.#kernel.lineStartAddress() + 1;
    return { reason: REASONS[this.#kernel.failureReason()], column };
  }

  /** The beginning of the line just read. */
  sample(bytes: number): string {
    const start = this.#kernel.lineStartAddress();
    return this.#text.toString('utf8', start, Math.min(start + bytes, this.#kernel.lineEndAddress()));
  }

  /** True if the field is there; an empty string counts as absent, as performers use both. */
  has(slot: Slot): boolean {
    const at = slot * SLOT_WORDS;
    return this.#row[at] !== 0 && this.#row[at + 1] !== this.#row[at + 2];
  }

  start(slot: Slot): number {
    return this.#row[slot * SLOT_WORDS + 1];
  }

  stop(slot: Slot): number {
    return this.#row[slot * SLOT_WORDS + 2];
  }

  isString(slot: Slot): boolean {
    return (this.#row[slot * SLOT_WORDS] & TAG_KIND) === TAG_STRING;
  }

  isNumber(slot: Slot): boolean {
    return (this.#row[slot * SLOT_WORDS] & TAG_KIND) === TAG_NUMBER;
  }

  isRaw(slot: Slot): boolean {
    return (this.#row[slot * SLOT_WORDS] & TAG_KIND) === TAG_RAW;
  }

  /** True or false where the log says so. */
  boolean(slot: Slot): boolean | undefined {
    const kind = this.#row[slot * SLOT_WORDS] & TAG_KIND;
    return kind === TAG_TRUE ? true : kind === TAG_FALSE ? false : undefined;
  }

  /** True if the bytes between start and stop are the text itself: no escapes, nothing beyond ASCII. */
  isPlain(slot: Slot): boolean {
    return (this.#row[slot * SLOT_WORDS] & (TAG_ESCAPED | TAG_WIDE)) === 0;
  }

  isEscaped(slot: Slot): boolean {
    return (this.#row[slot * SLOT_WORDS] & TAG_ESCAPED) !== 0;
  }

  isUuid(slot: Slot): boolean {
    return (this.#row[slot * SLOT_WORDS] & TAG_UUID) !== 0;
  }

  isInteger(slot: Slot): boolean {
    return (this.#row[slot * SLOT_WORDS] & TAG_INTEGER) !== 0;
  }

  /** A word of a UUID (0 the most significant) or of an integer (0 the low half). */
  word(slot: Slot, index: number): number {
    return this.#row[slot * SLOT_WORDS + 4 + index];
  }

  /** The number of a word in this scan's vocabulary; -1 if the field is absent or no string, -2 if there are too many. */
  symbolNumber(slot: Slot): number {
    if (!this.has(slot) || !this.isString(slot)) return -1;
    const number = this.#row[slot * SLOT_WORDS + 4];
    if (number === NO_SYMBOL) return this.#extraSymbol(symbolText(this.text(slot)));
    // The kernel also numbers words that nobody asked for, so a word's text is taken when it is first asked for.
    while (this.#symbols.length <= number) this.#symbols.push('');
    if (this.#symbols[number] === '') this.#symbols[number] = symbolText(this.text(slot));
    return number;
  }

  #extraSymbol(word: string): number {
    let number = this.#extraSymbols.get(word);
    if (number !== undefined) return number;
    number = KERNEL_SYMBOLS + this.#extraSymbols.size;
    if (number === MAX_SYMBOLS) return -2;
    this.#extraSymbols.set(word, number);
    while (this.#symbols.length < number) this.#symbols.push('');
    this.#symbols.push(word);
    return number;
  }

  /** The words asked for so far, by number; empty for others. */
  get symbols(): readonly string[] {
    return this.#symbols;
  }

  /** Number of digits of an integer, as written. */
  digits(slot: Slot): number {
    return this.#row[slot * SLOT_WORDS + 3];
  }

  /** The field's text, unescaped; invalid UTF-8 becomes U+FFFD. */
  text(slot: Slot): string {
    const at = slot * SLOT_WORDS;
    const [tag, start, stop] = [this.#row[at], this.#row[at + 1], this.#row[at + 2]];
    if (tag === 0) return '';
    if ((tag & TAG_ESCAPED) !== 0) return this.textBetween(start, stop);
    return this.#text.toString(
      (tag & TAG_WIDE) !== 0 || (tag & TAG_KIND) === TAG_RAW ? 'utf8' : 'latin1',
      start,
      stop,
    );
  }

  /** The text of a string with escapes or beyond ASCII, between its quotes. */
  textBetween(start: number, stop: number): string {
    return JSON.parse(this.#text.toString('utf8', start - 1, stop + 1)) as string;
  }

  /** True if the field is exactly this ASCII text. */
  is(slot: Slot, text: string): boolean {
    const at = slot * SLOT_WORDS;
    const start = this.#row[at + 1];
    if ((this.#row[at] & TAG_ESCAPED) !== 0) return this.text(slot) === text;
    if (this.#row[at] === 0 || this.#row[at + 2] - start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }
}
