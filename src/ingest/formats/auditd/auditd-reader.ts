import type { Batch } from '../../batch.js';
import { ACT, NONE, SEEN } from '../../kernel/act.js';
import { ActBuilder } from '../../kernel/act-builder.js';
import { ActWriter } from '../../kernel/act-writer.js';
import type { ScanMemory } from '../../scan/json-scan.js';
import { symbolText } from '../../scan/symbol-text.js';
import { oversizeReason, type Reader, type ReaderOptions } from '../reader.js';
import { AuditScan, MAX_NUMBERS, ROW, ROW_WORDS } from './audit-scan.js';
import { RecordFields } from './record-fields.js';
import { NOT_A_RECORD, RecordHead } from './record-head.js';
import { RecordTypes, TYPE } from './record-types.js';
import { RowFields } from './row-fields.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const SAMPLE_BYTES = 120;
const NODE_LENGTH = 'node='.length;
const UNKNOWN = -1;
/** Hosts in one log. Further ones count as unnamed. */
const MAX_HOSTS = 4096;

/** A record belongs to an event if fewer lines than this lie between it and the last record of that event. */
export const WINDOW_LINES = 1024;

/**
 * Reads audit records and puts the records of an event that are in the same block into one act. An event whose records lie
 * in two blocks gives two acts; AuditAssembler merges them.
 */
export class AuditdReader implements Reader {
  readonly #maxLine: number;
  readonly #writer = new ActWriter();
  readonly #types = new RecordTypes();
  readonly #head = new RecordHead(this.#types);
  readonly #fields = new RecordFields(this.#writer.texts);
  readonly #rowFields = new RowFields(this.#fields);
  readonly #scan: AuditScan | undefined;
  /** The hosts of the kernel's numbers of texts. */
  readonly #nodes = new Int32Array(MAX_NUMBERS);
  readonly #symbols: string[] = [];
  readonly #hosts = new Map<string, number>();
  /** The act of the last record, if its end has not been seen, and further such acts, by host and serial. */
  #current: ActBuilder | undefined;
  readonly #open = new Map<number, ActBuilder>();
  readonly #spare: ActBuilder[] = [];
  #batch!: Batch;
  #block: Uint8Array = new Uint8Array(0);
  #line = 0;

  /** Blocks must be of `memory`. Without a memory, all lines are read without the kernel, which gives the same. */
  constructor({ maxLine }: ReaderOptions, memory?: ScanMemory) {
    this.#maxLine = maxLine;
    if (memory !== undefined) this.#scan = new AuditScan(memory, maxLine);
  }

  read(block: Uint8Array, length: number, batch: Batch): void {
    this.#batch = batch;
    this.#block = block;
    this.#writer.begin(batch);
    this.#fields.begin();
    this.#line = 0;
    if (this.#scan === undefined) this.#readLines(length);
    else this.#readRows(this.#scan, length);
    // The events that may go on in the next block, by their last lines so far.
    if (this.#current !== undefined) this.#setAside(this.#current);
    this.#current = undefined;
    for (const act of [...this.#open.values()].sort((a, b) => a.words[ACT.last] - b.words[ACT.last]))
      this.#finish(act);
    this.#open.clear();
    this.#writer.end(batch);
    this.#types.flushCounts(batch.records);
    batch.lines = this.#line;
    batch.symbols = this.#symbols;
  }

  #readLines(length: number): void {
    for (let start = 0; start < length; this.#line++) {
      const newline = this.#block.indexOf(NEWLINE, start);
      const next = newline < 0 || newline >= length ? length : newline;
      this.#readLine(start, next);
      start = next + 1;
    }
  }

  #readRows(scan: AuditScan, length: number): void {
    this.#rowFields.begin();
    this.#nodes.fill(UNKNOWN);
    scan.begin(this.#block, length);
    const { rows } = scan;
    for (let count = scan.next(); count > 0; count = scan.next()) {
      for (let at = 0; at < count * ROW_WORDS; at += ROW_WORDS, this.#line++) {
        if (rows[at + ROW.kind] === 0) this.#readLine(rows[at + ROW.start], rows[at + ROW.stop]);
        else this.#readRow(rows, at);
      }
    }
  }

  #readRow(rows: Int32Array, at: number): void {
    this.#head.set(rows[at + ROW.serial], rows[at + ROW.timeLow], rows[at + ROW.timeHigh]);
    const type = rows[at + ROW.kind];
    this.#types.count(type);
    const act = this.#actOf(this.#hostOfRow(rows, at));
    const { words } = act;
    words[ACT.last] = this.#line;
    words[ACT.records]++;
    if (type === TYPE.SYSCALL) words[ACT.line] = this.#line;
    this.#rowFields.read(rows, at, this.#block, act);
    if (type === TYPE.PROCTITLE) this.#end(act);
  }

  #readLine(start: number, stop: number): void {
    const block = this.#block;
    if (stop - start > this.#maxLine) {
      this.#problem('oversize', oversizeReason(stop - start, this.#maxLine), start, stop);
      return;
    }
    let end = stop;
    while (end > start && (block[end - 1] === RETURN || block[end - 1] === SPACE)) end--;
    let begin = start;
    while (begin < end && (block[begin] === SPACE || block[begin] === TAB || block[begin] === RETURN))
      begin++;
    if (begin === end) {
      this.#batch.blank++;
      return;
    }
    const head = this.#head;
    if (!head.read(block, begin, end)) {
      this.#problem('record', NOT_A_RECORD, start, stop);
      return;
    }
    const { type } = head;
    this.#types.count(type);
    const act = this.#actOf(head.nodeStop > 0 ? this.#hostOf(head.nodeStart, head.nodeStop) : NONE);
    const { words } = act;
    words[ACT.last] = this.#line;
    words[ACT.records]++;
    if (type === TYPE.SYSCALL) words[ACT.line] = this.#line;
    this.#fields.read(type, block, head.body, end, act);
    if (type === TYPE.SYSTEM_BOOT) words[ACT.seen] |= SEEN.boot;
    if (this.#types.isAlone(type))
      words[ACT.seen] |= this.#types.isSensor(type) ? SEEN.alone | SEEN.sensor : SEEN.alone;
    else if (type !== TYPE.PROCTITLE && type !== TYPE.EOE) return;
    this.#end(act);
  }

  /** Ends an act whose last record has been read. */
  #end(act: ActBuilder): void {
    act.words[ACT.seen] |= SEEN.end;
    this.#current = undefined;
    this.#finish(act);
  }

  #setAside(act: ActBuilder): void {
    this.#open.set(keyOf(act.words[ACT.host], act.words[ACT.serial]), act);
  }

  /** The act that the record belongs to. */
  #actOf(host: number): ActBuilder {
    const head = this.#head;
    if (this.#current !== undefined) {
      if (this.#isOf(this.#current, host)) return this.#current;
      this.#setAside(this.#current);
    }
    // Most acts come one after another. A map that they all went through would be made anew every few acts.
    if (this.#open.size > 0) {
      const key = keyOf(host, head.serial);
      const known = this.#open.get(key);
      if (known !== undefined) {
        this.#open.delete(key);
        if (this.#isOf(known, host)) {
          this.#current = known;
          return known;
        }
        this.#finish(known);
      }
    }
    const act = this.#spare.pop() ?? new ActBuilder();
    act.clear();
    const { words } = act;
    words[ACT.first] = words[ACT.line] = this.#line;
    words[ACT.timeLow] = head.timeLow;
    words[ACT.timeHigh] = head.timeHigh;
    words[ACT.serial] = head.serial;
    words[ACT.host] = host;
    this.#current = act;
    return act;
  }

  #isOf({ words }: ActBuilder, host: number): boolean {
    const { serial, timeLow, timeHigh } = this.#head;
    return (
      words[ACT.serial] === serial &&
      words[ACT.timeLow] === timeLow &&
      words[ACT.timeHigh] === timeHigh &&
      words[ACT.host] === host &&
      this.#line - words[ACT.last] <= WINDOW_LINES
    );
  }

  #finish(act: ActBuilder): void {
    this.#writer.add(this.#batch, act);
    this.#spare.push(act);
  }

  #hostOfRow(rows: Int32Array, at: number): number {
    const node = rows[at + ROW.node];
    if (node === 0) return NONE;
    if (this.#nodes[node] === UNKNOWN) {
      const start = rows[at + ROW.start] + NODE_LENGTH;
      this.#nodes[node] = this.#hostOf(start, this.#block.indexOf(SPACE, start));
    }
    return this.#nodes[node];
  }

  #hostOf(start: number, stop: number): number {
    const name = symbolText(
      Buffer.from(this.#block.buffer, this.#block.byteOffset + start, stop - start).toString('utf8'),
    );
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    if (this.#hosts.size >= MAX_HOSTS) return NONE;
    const number = this.#symbols.push(name) - 1;
    this.#hosts.set(name, number);
    return number;
  }

  #problem(code: 'oversize' | 'record', reason: string, start: number, stop: number): void {
    const sample = Buffer.from(this.#block.slice(start, Math.min(stop, start + SAMPLE_BYTES))).toString(
      'utf8',
    );
    this.#batch.problem({ line: this.#line, code, reason, sample });
  }
}

/** One number for host and serial, exact in a double. */
function keyOf(host: number, serial: number): number {
  return (host === NONE ? 0 : host + 1) * 0x100000000 + (serial >>> 0);
}
