import { type Batch, TEXT_ID } from './batch.js';
import type { EntityKey } from './entity-key.js';
import {
  JsonScan,
  LINE_BLANK,
  LINE_END,
  LINE_MALFORMED,
  LINE_OVERSIZE,
  type ScanMemory,
} from './json-scan.js';
import { Memo, SAID_AGAIN, SAID_LATE } from './memo.js';
import type { Reader, ReaderOptions } from './reader.js';
import type { Shape, Slot } from './shape.js';

const SAMPLE_BYTES = 120;

/** Something that an event says of an entity. */
export interface Statement {
  /** Under which number the memo keeps it. */
  memo: number;
  /** The upsert's text that it becomes, if it becomes one. */
  field: number | undefined;
  rank: number;
  host: number;
  row: number;
  time: number;
}

/** The part that all formats with one JSON object a line share: lines, limits, identifiers, what is malformed. */
export abstract class JsonLinesReader implements Reader {
  protected readonly scan: JsonScan;
  protected readonly memo = new Memo();
  /** Line within the block, from 0. */
  protected line = 0;
  readonly #maxLine: number;

  constructor(shape: Shape, memory: ScanMemory, options: ReaderOptions) {
    this.scan = new JsonScan(memory, shape, options.maxLine);
    this.#maxLine = options.maxLine;
  }

  /** Takes the record in the scan's slots into the batch; a reason if it is not one of this format. */
  protected abstract take(batch: Batch): string | undefined;

  read(block: Uint8Array, length: number, batch: Batch): void {
    this.memo.beginBlock();
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

  /**
   * Notes what an event says of an entity; true if it has to become an upsert. A late record does not take the place
   * of what is newer: that is said again, with its own time.
   */
  protected isNews(slot: Slot, batch: Batch, key: EntityKey, what: Statement): boolean {
    const { scan, memo } = this;
    const [start, stop] = [scan.start(slot), scan.stop(slot)];
    const plain = scan.isPlain(slot);
    const said = memo.note(key, what.memo, scan.bytes, start, stop, plain, what.time, what.row);
    if (said === SAID_LATE && what.field !== undefined) {
      const at = batch.addUpsert(key, what.host, memo.row);
      batch.upsertRank[at] = what.rank;
      if (memo.plain) batch.setAscii(at, what.field, scan.bytes, memo.start, memo.stop);
      else batch.setText(at, what.field, scan.textBetween(memo.start, memo.stop));
    }
    return said !== SAID_AGAIN;
  }

  /** Keeps an identifier that is no UUID, so that people see their own and not our hash of it. */
  protected takeId(slot: Slot, batch: Batch, at: number): void {
    if (!this.scan.isUuid(slot)) this.takeText(slot, batch, at, TEXT_ID);
  }
}
