import type { Batch } from '../../batch.js';
import { ACT, NONE, SEEN } from '../../kernel/act.js';
import { ActBuilder } from '../../kernel/act-builder.js';
import { ActWriter } from '../../kernel/act-writer.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import type { Shape, Slot } from '../../scan/shape.js';
import { SlotMemo } from '../../scan/slot-memo.js';
import { JsonLinesReader } from '../json-lines.js';
import type { ReaderOptions } from '../reader.js';
import { Symbols } from '../symbols.js';

/** The kernel writes at most this much of a text: see auditd/text-values.ts. */
const MAX_TEXT = 8192;
/** Texts of this length or shorter are numbered once per block. */
const SHORT_TEXT = 512;

/** The base of readers of JSON lines that hold audit events: each line becomes an act for the kernel state. */
export abstract class ActsReader extends JsonLinesReader {
  protected override readonly eventKind = 'event';
  protected readonly act = new ActBuilder();
  protected readonly writer = new ActWriter();
  readonly #hosts = new Symbols();
  /** The numbers of texts in the block. */
  readonly #numbers = new Map<string, number>();
  readonly #parsed = new Map<Slot, SlotMemo<unknown>>();

  constructor(shape: Shape, memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  /** Fills `act` from the scanned record. Returns a reason if the record is malformed. */
  protected abstract fill(batch: Batch): string | undefined;

  override read(block: Uint8Array, length: number, batch: Batch): void {
    this.writer.begin(batch);
    this.#numbers.clear();
    super.read(block, length, batch);
    this.writer.end(batch);
    batch.symbols = this.#hosts.texts;
  }

  protected override take(batch: Batch): string | undefined {
    const { act, line } = this;
    act.clear();
    const { words } = act;
    words[ACT.first] = words[ACT.last] = words[ACT.line] = line;
    words[ACT.records] = 1;
    words[ACT.seen] = SEEN.end;
    const reason = this.fill(batch);
    if (reason !== undefined) return reason;
    this.writer.add(batch, act);
    return undefined;
  }

  protected setTime(nanoseconds: bigint, serial: number): void {
    this.act.words[ACT.timeLow] = Number(nanoseconds & 0xffffffffn) | 0;
    this.act.words[ACT.timeHigh] = Number(nanoseconds >> 32n) | 0;
    this.act.words[ACT.serial] = serial | 0;
  }

  protected setHost(name: string | undefined): void {
    if (name === undefined || name === '') return;
    const number = this.#hosts.numberOf(name);
    if (number >= 0) this.act.words[ACT.host] = number;
  }

  /** The number of a text, or NONE. */
  protected textNumber(text: string | undefined): number {
    if (text === undefined || text === '' || text === '(null)' || text === '(none)' || text === '?')
      return NONE;
    if (text.length <= SHORT_TEXT) return this.argumentNumber(text);
    const bytes = Buffer.from(text);
    return this.writer.texts.number(bytes, 0, Math.min(bytes.length, MAX_TEXT));
  }

  protected optional(slot: Slot): string | undefined {
    return this.scan.has(slot) && !this.scan.isRaw(slot) ? this.scan.text(slot) : undefined;
  }

  /** An integer of 32 bits, or NONE. Users and sessions that are -1 are unset. */
  protected word(slot: Slot): number {
    return wordOf(this.optional(slot));
  }

  /** The parsed object or array of a field, or undefined. */
  protected parsed(slot: Slot): unknown {
    if (!this.scan.isRaw(slot)) return undefined;
    let memo = this.#parsed.get(slot);
    if (memo === undefined) {
      memo = new SlotMemo(this.scan, [slot]);
      this.#parsed.set(slot, memo);
    }
    return memo.of(() => JSON.parse(this.scan.freshText(slot)) as unknown);
  }

  /** Sets the arguments of an exec from its list of arguments. */
  protected setArguments(list: readonly string[]): void {
    const [a0, a1, a2] = [0, 1, 2].map((i) => this.argumentNumber(list[i]));
    let line = list.join(' ');
    if (Buffer.byteLength(line) > MAX_TEXT) line = Buffer.from(line).subarray(0, MAX_TEXT).toString('utf8');
    this.act.addArgs(0, 0, this.argumentNumber(line), a0, a1, a2);
  }

  /** Arguments may be empty, or look like an absent text. */
  protected argumentNumber(text: string | undefined): number {
    if (text === undefined) return NONE;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.writer.texts.numberOf(text);
    // Invalid texts are counted each time.
    if (text.length <= SHORT_TEXT && text.isWellFormed() && !text.includes('\ufffd'))
      this.#numbers.set(text, number);
    return number;
  }
}

/** Returns an integer of 32 bits, or NONE: for no integer, and for -1, which is 4294967295 unsigned. */
export function wordOf(text: string | undefined): number {
  if (text === undefined) return NONE;
  const first = text.charCodeAt(0) === 0x2d ? 1 : 0;
  if (text.length === first || text.length > first + 10) return NONE;
  let value = 0;
  for (let i = first; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return NONE;
    value = value * 10 + digit;
  }
  if (first === 1) value = -value;
  const word = value | 0;
  return value >= -0x7fffffff && value <= 0xffffffff && word !== -1 ? word : NONE;
}

/** The low 32 bits of a number such as `0x7ffd`. */
export function lowWord(text: string): number {
  const first = text.charCodeAt(0) === 0x30 && (text.charCodeAt(1) | 0x20) === 0x78 ? 2 : 0;
  if (text.length === first || text.length > first + 16) return NONE;
  let value = 0;
  for (let i = first; i < text.length; i++) {
    const digit = hexDigit(text.charCodeAt(i));
    if (digit < 0) return NONE;
    value = (value << 4) | digit;
  }
  return value;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = (code | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list, or the object itself. */
export function objectsIn(value: unknown, most = 1024): Fields[] {
  return (Array.isArray(value) ? value.slice(0, most) : [value]).filter(isFields);
}

/** A text or number as text, or undefined. */
export function fieldText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
