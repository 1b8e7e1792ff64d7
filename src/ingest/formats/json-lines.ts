import { type Batch, type Problem, TEXT_ID } from '../batch.js';
import { type EntityKey, isUuidText, mayBeBraced } from '../entity-key.js';
import { JsonScan, LINE, type ScanMemory } from '../scan/json-scan.js';
import type { Shape, Slot } from '../scan/shape.js';
import { oversizeReason, type Reader, type ReaderOptions } from './reader.js';
import { UpsertCache } from './upsert-cache.js';

const SAMPLE_BYTES = 120;

/** The base of all readers of formats with one JSON object per line. */
export abstract class JsonLinesReader implements Reader {
  protected readonly scan: JsonScan;
  protected readonly upsertCache = new UpsertCache();
  /** The line within the block, from 0. */
  protected line = 0;
  readonly #maxLine: number;

  constructor(shape: Shape, memory: ScanMemory, options: ReaderOptions) {
    this.scan = new JsonScan(memory, shape, options.maxLine);
    this.#maxLine = options.maxLine;
  }

  /** The name of event records in the counts. */
  protected abstract readonly eventKind: string;

  /** Adds the scanned record to the batch. Returns a reason if the record is malformed. */
  protected abstract take(batch: Batch): string | undefined;

  read(block: Uint8Array, length: number, batch: Batch): void {
    this.upsertCache.beginBlock();
    this.scan.begin(block, length);
    this.line = 0;
    for (let found = this.scan.next(); found !== LINE.end; found = this.scan.next()) {
      if (found === LINE.blank) batch.blank++;
      else {
        const reason = found === LINE.record ? this.take(batch) : this.#faultOf(found);
        if (reason !== undefined) {
          batch.problem({
            line: this.line,
            code: codeOf(found),
            reason,
            sample: this.scan.sample(SAMPLE_BYTES),
          });
        }
      }
      this.line++;
    }
    batch.lines = this.line;
    if (batch.eventRecords > 0) batch.records.set(this.eventKind, batch.eventRecords);
  }

  /** Returns why the scanned line is not a JSON object within the limits. */
  #faultOf(found: number): string {
    if (found === LINE.oversize) return oversizeReason(this.scan.lineLength, this.#maxLine);
    const { reason, column } = this.scan.failure();
    return `${reason} (column ${column})`;
  }

  /** Sets `key` to that of the identifier in a slot. Null, empty text and the all-zero UUID count as absent. */
  protected takeKey(slot: Slot, key: EntityKey): void {
    const { scan } = this;
    if (scan.isUuid(slot)) {
      key.w0 = scan.word(slot, 0) | 0;
      key.w1 = scan.word(slot, 1) | 0;
      key.w2 = scan.word(slot, 2) | 0;
      key.w3 = scan.word(slot, 3) | 0;
    } else if (!scan.has(slot)) key.clear();
    else if (this.#isBraced(slot)) key.fromText(scan.text(slot));
    else if (!scan.isEscaped(slot)) key.hash(scan.bytes.slice(scan.start(slot), scan.stop(slot)));
    else key.fromText(scan.text(slot));
  }

  /** Copies a slot to a text of an upsert, if the slot has a value. */
  protected takeText(slot: Slot, batch: Batch, at: number, field: number): void {
    const { scan } = this;
    if (!scan.has(slot)) return;
    if (scan.isPlain(slot)) batch.setAscii(at, field, scan.bytes, scan.start(slot), scan.stop(slot));
    else batch.setText(at, field, scan.text(slot));
  }

  /** Copies an identifier that is not a UUID, so that users see it and not its hash. */
  protected takeId(slot: Slot, batch: Batch, at: number): void {
    if (!this.isUuid(slot)) this.takeText(slot, batch, at, TEXT_ID);
  }

  /** Tells whether the slot is a UUID, with or without braces. */
  protected isUuid(slot: Slot): boolean {
    return this.scan.isUuid(slot) || this.#isBraced(slot);
  }

  /** Tells whether the slot is a GUID in braces. Its key is that of the same GUID without them. */
  #isBraced(slot: Slot): boolean {
    const { scan } = this;
    const [start, stop] = [scan.start(slot), scan.stop(slot)];
    return mayBeBraced(stop - start, scan.bytes[start]) && isUuidText(scan.text(slot));
  }
}

function codeOf(found: number): Problem['code'] {
  if (found === LINE.oversize) return 'oversize';
  return found === LINE.record ? 'record' : 'syntax';
}
