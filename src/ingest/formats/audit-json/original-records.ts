import { ACT, SEEN } from '../../kernel/act.js';
import type { ActBuilder } from '../../kernel/act-builder.js';
import type { BlockTexts } from '../../kernel/block-texts.js';
import { type JsonScan, type ScanMemory, SPARE_AT, SPARE_BYTES } from '../../scan/json-scan.js';
import type { Slot } from '../../scan/shape.js';
import { AUDIT_SCAN_BYTES, AuditScan, ROW, ROW_WORDS, ROWS } from '../auditd/audit-scan.js';
import { RecordFields } from '../auditd/record-fields.js';
import { RecordHead } from '../auditd/record-head.js';
import { RecordTypes, TYPE } from '../auditd/record-types.js';
import { RowFields } from '../auditd/row-fields.js';

/** The most records of an event. */
const MOST_RECORDS = ROWS;
const NOT_A_RECORD = '`event.original` has a line that is not an audit record';
const LINES_AT = SPARE_AT + AUDIT_SCAN_BYTES;
const LINES_BYTES = SPARE_BYTES - AUDIT_SCAN_BYTES;
/** The kernels read and write up to this much after a text. */
const PADDING = 64;
const SPACE = 0x20;
const NEWLINE = 0x0a;

/** Reads the audit records inside JSON documents. */
export class OriginalRecords {
  readonly #scan: JsonScan;
  readonly #types = new RecordTypes();
  readonly #head = new RecordHead(this.#types);
  readonly #fields: RecordFields;
  readonly #rowFields: RowFields;
  readonly #audit: AuditScan;
  /** The texts of the records, in the memory of the kernels. Numbers of texts stay valid while they are there. */
  readonly #lines: Uint8Array;
  #used = 0;

  constructor(memory: ScanMemory, scan: JsonScan, texts: BlockTexts) {
    this.#scan = scan;
    this.#fields = new RecordFields(texts);
    this.#rowFields = new RowFields(this.#fields);
    this.#audit = new AuditScan(memory, LINES_BYTES, SPARE_AT);
    this.#lines = new Uint8Array(memory.memory.buffer, LINES_AT, LINES_BYTES);
  }

  /** Starts a block. */
  begin(): void {
    this.#fields.begin();
    this.#clear();
  }

  #clear(): void {
    this.#used = 0;
    this.#rowFields.begin();
    this.#audit.begin(this.#lines, 0);
  }

  /**
   * Fills the act from a field that is an array of records, with the kernel for audit logs. Returns a reason, an empty text
   * if there is none, or undefined if the records must be read one by one: they are unusual, or not there.
   */
  fillFromRows(slot: Slot, act: ActBuilder): string | undefined {
    const room = this.#scan.stop(slot) - this.#scan.start(slot) + PADDING;
    if (room > LINES_BYTES) return undefined;
    if (this.#used + room > LINES_BYTES) this.#clear();
    const start = LINES_AT + this.#used;
    const length = this.#scan.unescapeLines(slot, start, MOST_RECORDS);
    if (length <= 0) return undefined;
    this.#lines[this.#used + length] = NEWLINE;
    this.#used += length;
    const { rows } = this.#audit;
    this.#audit.resume(start, start + length);
    const count = this.#audit.next();
    let read = 0;
    for (let at = 0; at < count * ROW_WORDS; at += ROW_WORDS) {
      if (rows[at + ROW.kind] === 0) {
        const [from, to] = this.#trimmed(rows[at + ROW.start], rows[at + ROW.stop]);
        if (from === to) continue;
        if (!this.#fillFrom(this.#lines, from, to, act)) return NOT_A_RECORD;
      } else {
        const { words } = act;
        words[ACT.serial] = rows[at + ROW.serial];
        words[ACT.timeLow] = rows[at + ROW.timeLow];
        words[ACT.timeHigh] = rows[at + ROW.timeHigh];
        this.#rowFields.read(rows, at, this.#lines, act);
      }
      read++;
    }
    return read > 0 ? '' : undefined;
  }

  /** Fills the act from records that are texts. Returns as `fillFromRows`. */
  fillFromLines(list: readonly unknown[], act: ActBuilder): string | undefined {
    let read = 0;
    for (const line of list.filter((each) => typeof each === 'string').slice(0, MOST_RECORDS)) {
      const bytes = Buffer.from(line.trim());
      if (bytes.length === 0) continue;
      if (!this.#fillFrom(bytes, 0, bytes.length, act)) return NOT_A_RECORD;
      read++;
    }
    return read > 0 ? '' : undefined;
  }

  /** Adds one record. Returns false if it is none. */
  #fillFrom(bytes: Uint8Array, start: number, stop: number, act: ActBuilder): boolean {
    const head = this.#head;
    if (!head.read(bytes, start, stop)) return false;
    const { words } = act;
    const { type } = head;
    words[ACT.serial] = head.serial;
    words[ACT.timeLow] = head.timeLow;
    words[ACT.timeHigh] = head.timeHigh;
    this.#fields.read(type, bytes, head.body, stop, act);
    if (type === TYPE.SYSTEM_BOOT) words[ACT.seen] |= SEEN.boot;
    if (this.#types.isAlone(type)) words[ACT.seen] |= SEEN.alone;
    return true;
  }

  #trimmed(start: number, stop: number): [number, number] {
    let [from, to] = [start, stop];
    while (from < to && this.#lines[from] === SPACE) from++;
    while (to > from && this.#lines[to - 1] === SPACE) to--;
    return [from, to];
  }
}
