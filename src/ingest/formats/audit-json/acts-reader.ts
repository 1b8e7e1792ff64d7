import type { Batch } from '../../batch.js';
import { ACT, NONE, SEEN } from '../../kernel/act.js';
import { ActBuilder } from '../../kernel/act-builder.js';
import { ActWriter } from '../../kernel/act-writer.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import type { Shape, Slot } from '../../scan/shape.js';
import { JsonLinesReader } from '../json-lines.js';
import type { ReaderOptions } from '../reader.js';
import { Symbols } from '../symbols.js';

/** The kernel writes at most this much of a text: see auditd/text-values.ts. */
const MAX_TEXT = 8192;

/** The base of readers of JSON lines that hold audit events: each line becomes an act for the kernel state. */
export abstract class ActsReader extends JsonLinesReader {
  protected override readonly eventKind = 'event';
  protected readonly act = new ActBuilder();
  protected readonly writer = new ActWriter();
  readonly #hosts = new Symbols();

  constructor(shape: Shape, memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  /** Fills `act` from the scanned record. Returns a reason if the record is malformed. */
  protected abstract fill(batch: Batch): string | undefined;

  override read(block: Uint8Array, length: number, batch: Batch): void {
    this.writer.begin(batch);
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
    return this.scan.isRaw(slot) ? (JSON.parse(this.scan.text(slot)) as unknown) : undefined;
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
    return text === undefined ? NONE : this.writer.texts.numberOf(text);
  }
}

/** Returns an integer of 32 bits, or NONE: for no integer, and for -1, which is 4294967295 unsigned. */
export function wordOf(text: string | undefined): number {
  if (text === undefined || !/^-?\d{1,10}$/.test(text)) return NONE;
  const value = Number(text);
  const word = value | 0;
  return value >= -0x7fffffff && value <= 0xffffffff && word !== -1 ? word : NONE;
}

/** The low 32 bits of a number such as `0x7ffd`. */
export function lowWord(text: string): number {
  const hex = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(text);
  return hex === null ? NONE : Number.parseInt(hex[1].slice(-8), 16) | 0;
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
