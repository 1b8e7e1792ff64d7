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
import { KnownText } from './known-text.js';
import { addPath, RecordedPath } from './path-fields.js';
import { fieldText, lowWord, lowWordIn, objectsIn, wordIn, wordOf } from './record-values.js';

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
  readonly #texts: (SlotMemo<KnownText> | undefined)[] = [];
  /** The number of the block. */
  #block = 0;

  constructor(shape: Shape, memory: ScanMemory, options: ReaderOptions) {
    super(shape, memory, options);
  }

  /** Fills `act` from the scanned record. Returns a reason if the record is malformed. */
  protected abstract fill(batch: Batch): string | undefined;

  override read(block: Uint8Array, length: number, batch: Batch): void {
    this.writer.begin(batch);
    this.#numbers.clear();
    this.#block++;
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

  /** The number of the text in a field, or NONE. */
  protected slotNumber(slot: Slot): number {
    if (!this.scan.has(slot) || this.scan.isRaw(slot)) return NONE;
    let memo = this.#texts[slot];
    if (memo === undefined) {
      memo = new SlotMemo(this.scan, [slot]);
      this.#texts[slot] = memo;
    }
    return this.knownNumber(memo.of(() => new KnownText(this.decode(this.scan.text(slot)))));
  }

  /** Undoes what the sensor did to texts. */
  protected decode(text: string): string {
    return text;
  }

  /** The number of a text, which is looked up once in a block. */
  protected knownNumber(known: KnownText): number {
    if (known.block === this.#block) return known.number;
    const { text } = known;
    known.number = this.textNumber(text);
    // Invalid texts are counted each time.
    if (text === undefined || (text.isWellFormed() && !text.includes('\ufffd'))) known.block = this.#block;
    return known.number;
  }

  /** An integer of 32 bits, or NONE. Users and sessions that are -1 are unset. */
  protected word(slot: Slot): number {
    const { scan } = this;
    if (!scan.has(slot) || scan.isRaw(slot)) return NONE;
    if (!scan.isPlain(slot)) return wordOf(scan.text(slot));
    return wordIn(scan.bytes, scan.start(slot), scan.stop(slot));
  }

  /** The low 32 bits of a hexadecimal number, or NONE. Undefined if the field has no value. */
  protected hexWord(slot: Slot): number | undefined {
    const { scan } = this;
    if (!scan.has(slot) || scan.isRaw(slot)) return undefined;
    if (!scan.isPlain(slot)) return lowWord(scan.text(slot));
    return lowWordIn(scan.bytes, scan.start(slot), scan.stop(slot));
  }

  /** The parsed object or array of a field, or undefined. */
  protected parsed(slot: Slot): unknown {
    return this.made(slot, (value) => value);
  }

  /** What `make` made of the object or array of a field before, or makes. It is the same for every call with this field. */
  protected made<T>(slot: Slot, make: (value: unknown) => T): T | undefined {
    if (!this.scan.isRaw(slot)) return undefined;
    let memo = this.#parsed.get(slot);
    if (memo === undefined) {
      memo = new SlotMemo(this.scan, [slot]);
      this.#parsed.set(slot, memo);
    }
    return memo.of(() => make(JSON.parse(this.scan.freshText(slot)))) as T;
  }

  /** Adds the PATH records of a field to the act. */
  protected addPaths(slot: Slot): void {
    const paths = this.made(slot, (value) =>
      objectsIn(value).map((fields, i) => {
        const name = fieldText(fields.name);
        return new RecordedPath(fields, i, new KnownText(name === undefined ? undefined : this.decode(name)));
      }),
    );
    if (paths !== undefined) for (const path of paths) addPath(this.act, path, this.knownNumber(path.name));
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
