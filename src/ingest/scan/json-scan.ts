import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Shape, Slot } from './shape.js';
import { symbolText } from './symbol-text.js';

/** The result of scanning a line, as in kernels/json-scan.ts. */
export const LINE = { end: 0, record: 1, malformed: 2, blank: 3, oversize: 4 } as const;

/** The form of a time, as in kernels/json-scan/times.ts. */
export const TIME = { other: 0, utc: 1, noZone: 2 } as const;

/** Why a line is malformed, in the order of kernels/json-scan/failure.ts. */
const REASONS = [
  'expected a value',
  'control character in a string',
  'invalid escape in a string',
  'expected a key',
  'expected a colon',
  'expected a comma or a closing bracket',
  'nested deeper than 64 levels',
  'incomplete record',
  'text after the end of the record',
  'not a JSON object',
  'a union must have exactly one member',
  'duplicate key',
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

/** The number of 32-bit words of a slot. */
const SLOT_WORDS = 8;

const PAGE = 65_536;
/** The memory before the blocks holds the shape's tables and the row, then the dictionary, the steps, the groups, the memo and spare memory. */
const TABLES_AT = 4096;
const DICTIONARY_AT = 2 * PAGE;
const STEPS_AT = 8 * PAGE;
const GROUPS_AT = 10 * PAGE;
const MEMO_AT = 11 * PAGE;
/** Memory that a reader may use for a kernel of its own. */
export const SPARE_AT = 56 * PAGE;
const BLOCKS_AT = 80 * PAGE;
export const SPARE_BYTES = BLOCKS_AT - SPARE_AT;
/** The kernel's number for a symbol that is not in its dictionary. */
const NO_SYMBOL = 0xffffffff;
/** The size of the kernel's dictionary, as in kernels/json-scan/dictionary.ts. Further symbols are numbered here. */
const KERNEL_SYMBOLS = 8192;
/** Batches store symbols in 16 bits, and the last number means "absent". */
const MAX_SYMBOLS = 0xffff;
/** What stands for undefined among the things that were made. */
const NOTHING = Symbol('nothing');
/** The space after the row, for a key with escapes. */
const KEY_SCRATCH = 128;
/** The space after a block, for a newline and for reads of 16 bytes. */
const PADDING = 64;

/** The size of the kernel's memo, and its number for values that made it full, as in kernels/json-scan/memo.ts. */
const MEMO_NUMBERS = 16_384;
const MEMO_FULL = -2;

interface Kernel {
  configure(root: number, row: number, slots: number, maxLine: number): void;
  configureDictionary(address: number, length: number): void;
  configureSteps(address: number, length: number): void;
  configureMemo(address: number, length: number, firstSeed: number, secondSeed: number): void;
  clearMemo(): void;
  groupNumber(group: number): number;
  textNumber(start: number, stop: number): number;
  readTime(slot: number): number;
  unescapeLines(start: number, stop: number, target: number, most: number): number;
  begin(address: number, length: number): void;
  next(): number;
  failureReason(): number;
  failurePosition(): number;
  lineStartAddress(): number;
  lineEndAddress(): number;
}

let compiled: WebAssembly.Module | undefined;

/** Returns the kernel, which is compiled once for all threads. */
export function kernelModule(given?: WebAssembly.Module): WebAssembly.Module {
  compiled ??= given ?? new WebAssembly.Module(readFileSync(new URL('./json-scan.wasm', import.meta.url)));
  return compiled;
}

/**
 * Memory for scanning: the kernel's tables and `count` blocks of input. It is shared, so that one thread can fill a block
 * from a file while another scans the block before it, without copies.
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
 * Scans JSON lines for the fields of a shape, with the kernel kernels/json-scan.ts. After `next` returns LINE.record, the
 * slots hold the fields. Texts are decoded only on request.
 */
export class JsonScan {
  /** The whole memory. The starts and stops of slots are offsets into it. */
  readonly bytes: Uint8Array;
  readonly #kernel: Kernel;
  readonly #row: Uint32Array;
  readonly #text: Buffer;
  readonly view: DataView;
  readonly #groups: Uint32Array;
  #groupsUsed = 0;
  /** What was made of texts and groups, by the kernel's number. */
  readonly #made = new Array<unknown>(MEMO_NUMBERS);
  /** Goes up when the memo starts anew. */
  #generation = 0;
  readonly #symbols: string[] = [];
  /** The symbols that are not in the kernel's dictionary. */
  readonly #extraSymbols = new Map<string, number>();

  constructor(memory: ScanMemory, shape: Shape, maxLine: number) {
    const { buffer } = memory.memory;
    this.bytes = new Uint8Array(buffer);
    this.#text = Buffer.from(buffer);
    this.view = new DataView(buffer);
    const { root, end } = shape.compile(buffer, TABLES_AT);
    if (end + shape.slots * SLOT_WORDS * 4 + KEY_SCRATCH > DICTIONARY_AT)
      throw new RangeError('the shape has too many fields');
    this.#row = new Uint32Array(buffer, end, shape.slots * SLOT_WORDS);
    const instance = new WebAssembly.Instance(kernelModule(), { env: { memory: memory.memory } });
    this.#kernel = instance.exports as unknown as Kernel;
    this.#kernel.configure(root, end, shape.slots, maxLine);
    this.#kernel.configureDictionary(DICTIONARY_AT, STEPS_AT - DICTIONARY_AT);
    this.#kernel.configureSteps(STEPS_AT, GROUPS_AT - STEPS_AT);
    this.#groups = new Uint32Array(buffer, GROUPS_AT, (MEMO_AT - GROUPS_AT) / 4);
    // Attackers choose texts, so where the kernel keeps them is random. It does not affect the results.
    const seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;
    this.#kernel.configureMemo(MEMO_AT, SPARE_AT - MEMO_AT, ...seeds);
  }

  /** Starts with the first `length` bytes of a block of this memory. */
  begin(block: Uint8Array, length: number): void {
    block[length] = 0x0a; // ends every loop of the kernel, so that it needs no bounds checks
    this.#kernel.begin(block.byteOffset, length);
  }

  next(): number {
    return this.#kernel.next();
  }

  get lineLength(): number {
    return this.#kernel.lineEndAddress() - this.#kernel.lineStartAddress();
  }

  /** Returns why the current line is malformed, and the column in bytes, from 1. */
  failure(): { reason: string; column: number } {
    const column = this.#kernel.failurePosition() - this.#kernel.lineStartAddress() + 1;
    return { reason: REASONS[this.#kernel.failureReason()], column };
  }

  /** Returns the beginning of the current line. */
  sample(bytes: number): string {
    const start = this.#kernel.lineStartAddress();
    return this.#text.toString('utf8', start, Math.min(start + bytes, this.#kernel.lineEndAddress()));
  }

  /** Returns the whole current line. Invalid UTF-8 becomes U+FFFD. */
  lineText(): string {
    return this.#text.toString('utf8', this.#kernel.lineStartAddress(), this.#kernel.lineEndAddress());
  }

  /** Tells whether the field has a value. An empty string counts as absent, because logs use both. */
  has(slot: Slot): boolean {
    const at = slot * SLOT_WORDS;
    return this.#row[at] !== 0 && this.#row[at + 1] !== this.#row[at + 2];
  }

  /** Returns what kind of value the field has, or 0 if it is absent. */
  tag(slot: Slot): number {
    return this.#row[slot * SLOT_WORDS];
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

  /** Returns the value of a boolean, or undefined for any other value. */
  boolean(slot: Slot): boolean | undefined {
    const kind = this.#row[slot * SLOT_WORDS] & TAG_KIND;
    return kind === TAG_TRUE ? true : kind === TAG_FALSE ? false : undefined;
  }

  /** Tells whether the bytes of the field are its text: ASCII without escapes. */
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

  /** Returns a 32-bit word of a UUID (0 is the most significant) or of an integer (0 is the low half). */
  word(slot: Slot, index: number): number {
    return this.#row[slot * SLOT_WORDS + 4 + index];
  }

  /** Returns the number of a symbol, -1 if the field is not a string, or -2 if there are too many symbols. */
  symbolNumber(slot: Slot): number {
    if (!this.has(slot) || !this.isString(slot)) return -1;
    const number = this.#row[slot * SLOT_WORDS + 4];
    if (number === NO_SYMBOL) return this.#extraSymbol(symbolText(this.text(slot)));
    // The kernel also numbers symbols that are never requested, so a text is decoded on the first request.
    while (this.#symbols.length <= number) this.#symbols.push('');
    if (this.#symbols[number] === '') this.#symbols[number] = symbolText(this.text(slot));
    return number;
  }

  #extraSymbol(text: string): number {
    let number = this.#extraSymbols.get(text);
    if (number !== undefined) return number;
    number = KERNEL_SYMBOLS + this.#extraSymbols.size;
    if (number === MAX_SYMBOLS) return -2;
    this.#extraSymbols.set(text, number);
    while (this.#symbols.length < number) this.#symbols.push('');
    this.#symbols.push(text);
    return number;
  }

  /** The symbols requested so far, by number. Others are empty. */
  get symbols(): readonly string[] {
    return this.#symbols;
  }

  /** Returns the number of digits of an integer. */
  digits(slot: Slot): number {
    return this.#row[slot * SLOT_WORDS + 3];
  }

  /** Returns the unescaped text of a field. Invalid UTF-8 becomes U+FFFD. Texts that recur are decoded once. */
  text(slot: Slot): string {
    const at = slot * SLOT_WORDS;
    if (this.#row[at] === 0) return '';
    // Equal bytes are equal texts, whatever the tags: quotes and backslashes tell strings and raw values apart.
    const number = this.#kernel.textNumber(this.#row[at + 1], this.#row[at + 2]);
    if (number < 0) return this.#unnumbered(number, () => this.freshText(slot));
    return (this.#made[number] ?? this.#keep(number, this.freshText(slot))) as string;
  }

  /** Adds a group of fields for `memo`. */
  group(slots: readonly Slot[]): number {
    const group = GROUPS_AT + this.#groupsUsed * 4;
    this.#groups.set([slots.length, ...slots], this.#groupsUsed);
    this.#groupsUsed += slots.length + 1;
    return group;
  }

  /** Returns what `make` made of the same values of the group before, or calls it. It must depend on these fields only. */
  memo<T>(group: number, make: () => T): T {
    const number = this.#kernel.groupNumber(group);
    if (number < 0) return this.#unnumbered(number, make);
    const known = this.#made[number];
    if (known !== undefined) return (known === NOTHING ? undefined : known) as T;
    const generation = this.#generation;
    const made = make();
    // What is made of it may have filled the memo, and numbers start anew.
    return generation === this.#generation ? this.#keep(number, made) : made;
  }

  #keep<T>(number: number, made: T): T {
    this.#made[number] = made === undefined ? NOTHING : made;
    return made;
  }

  /** Makes what has no number. A full memo starts anew. */
  #unnumbered<T>(number: number, make: () => T): T {
    if (number === MEMO_FULL) {
      this.#kernel.clearMemo();
      this.#generation++;
      this.#made.fill(undefined);
    }
    return make();
  }

  /** The same as `text`, for fields that rarely recur, such as times. */
  freshText(slot: Slot): string {
    const at = slot * SLOT_WORDS;
    const tag = this.#row[at];
    const start = this.#row[at + 1];
    const stop = this.#row[at + 2];
    if (tag === 0) return '';
    if ((tag & TAG_ESCAPED) !== 0)
      return JSON.parse(this.#text.toString('utf8', start - 1, stop + 1)) as string;
    return this.#text.toString(
      (tag & TAG_WIDE) !== 0 || (tag & TAG_KIND) === TAG_RAW ? 'utf8' : 'latin1',
      start,
      stop,
    );
  }

  /**
   * Puts the time in a field into its words, low half first, as nanoseconds since 1970. Returns TIME.other for anything but
   * an RFC 3339 time with `Z` or without a zone.
   */
  readTime(slot: Slot): number {
    return this.#kernel.readTime(slot);
  }

  /**
   * Copies the strings of a raw array to `target`, which has room for the array and 16 bytes, one per line. Returns the
   * length, or -1 if there are more than `most` or they are not all plain text without line ends.
   */
  unescapeLines(slot: Slot, target: number, most: number): number {
    return this.#kernel.unescapeLines(this.start(slot), this.stop(slot), target, most);
  }

  /** Tells whether the field equals this ASCII text. */
  is(slot: Slot, text: string): boolean {
    const at = slot * SLOT_WORDS;
    const start = this.#row[at + 1];
    if ((this.#row[at] & TAG_ESCAPED) !== 0) return this.text(slot) === text;
    if (this.#row[at] === 0 || this.#row[at + 2] - start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }
}
