import { type Batch, TEXT_ID } from '../batch.js';
import type { EntityKey } from '../entity-key.js';
import {
  JsonScan,
  LINE_BLANK,
  LINE_END,
  LINE_MALFORMED,
  LINE_OVERSIZE,
  type ScanMemory,
} from '../scan/json-scan.js';
import type { Shape, Slot } from '../scan/shape.js';
import type { Reader, ReaderOptions } from './reader.js';
import { UpsertCache } from './upsert-cache.js';

const SAMPLE_BYTES = 120;

/** The part that all formats with one JSON object a line share: lines, limits, identifiers, what is malformed. */
export abstract class JsonLinesReader implements Reader {
  protected readonly scan: JsonScan;
  protected readonly upsertCache = new UpsertCache();
  /** Line within the block, from 0. */
  protected line = 0;
  readonly #maxLine: number;

  constructor(shape: Shape, memory: ScanMemory, options: ReaderOptions) {
    this.scan = new JsonScan(memory, shape, options.maxLine);
    this.#maxLine = options.maxLine;
  }

  /** What this format calls a record of an event. */
  protected abstract readonly eventKind: string;

  /** Takes the record in the scan's slots into the batch; a reason if it is not one of this format. */
  protected abstract take(batch: Batch): string | undefined;

  read(block: Uint8Array, length: number, batch: Batch): void {
    this.upsertCache.beginBlock();
    this.scan.begin(block, length);
    this.line = 0;
    for (;;) {
      const found = this.scan.next();
      if (found === LINE_END) break;
      if (found === LINE_BLANK) batch.blank++;
      else if (found === LINE_OVERSIZE) {
        const reason = `oversize: ${this.scan.lineLength} bytes, over the limit of ${this.#maxLine}`;
        batch.problem(this.line, reason, this.scan.sample(SAMPLE_BYTES));
      } else if (found === LINE_MALFORMED) {
        const { reason, column } = this.scan.failure();
        batch.problem(this.line, `${reason} (column ${column})`, this.scan.sample(SAMPLE_BYTES));
      } else {
        const reason = this.take(batch);
        if (reason !== undefined) batch.problem(this.line, reason, this.scan.sample(SAMPLE_BYTES));
      }
      this.line++;
    }
    batch.lines = this.line;
    if (batch.eventRecords > 0) batch.records.set(this.eventKind, batch.eventRecords);
  }

  /** The key of the identifier in a slot; null, empty and the all-zero UUID are absent. */
  protected takeKey(slot: Slot, key: EntityKey): void {
    const { scan } = this;
    if (scan.isUuid(slot)) {
      key.w0 = scan.word(slot, 0) | 0;
      key.w1 = scan.word(slot, 1) | 0;
      key.w2 = scan.word(slot, 2) | 0;
      key.w3 = scan.word(slot, 3) | 0;
    } else if (!scan.has(slot)) key.clear();
    else if (!scan.isEscaped(slot)) key.hash(scan.bytes.slice(scan.start(slot), scan.stop(slot)));
    else key.fromText(scan.text(slot));
  }

  /** Writes a slot as one of an upsert's texts, if it is there. */
  protected takeText(slot: Slot, batch: Batch, at: number, field: number): void {
    const { scan } = this;
    if (!scan.has(slot)) return;
    if (scan.isPlain(slot)) batch.setAscii(at, field, scan.bytes, scan.start(slot), scan.stop(slot));
    else batch.setText(at, field, scan.text(slot));
  }

  /** Keeps an identifier that is no UUID, so that people see their own and not our hash of it. */
  protected takeId(slot: Slot, batch: Batch, at: number): void {
    if (!this.scan.isUuid(slot)) this.takeText(slot, batch, at, TEXT_ID);
  }
}
