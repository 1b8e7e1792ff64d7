import type { Batch } from '../../batch.js';
import { ACT, NONE, SEEN } from '../../kernel/act.js';
import { ActBuilder } from '../../kernel/act-builder.js';
import { ActWriter } from '../../kernel/act-writer.js';
import { symbolText } from '../../scan/symbol-text.js';
import { oversizeReason, type Reader, type ReaderOptions } from '../reader.js';
import { RecordFields } from './record-fields.js';
import { NOT_A_RECORD, RecordHead } from './record-head.js';
import { RecordTypes, TYPE } from './record-types.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const SAMPLE_BYTES = 120;
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
  readonly #symbols: string[] = [];
  readonly #hosts = new Map<string, number>();
  /** Acts whose end has not been seen, by host and serial. */
  readonly #open = new Map<number, ActBuilder>();
  readonly #spare: ActBuilder[] = [];
  #current: ActBuilder | undefined;
  #batch!: Batch;
  #block: Uint8Array = new Uint8Array(0);
  #line = 0;

  constructor({ maxLine }: ReaderOptions) {
    this.#maxLine = maxLine;
  }

  read(block: Uint8Array, length: number, batch: Batch): void {
    this.#batch = batch;
    this.#block = block;
    this.#writer.begin(batch);
    this.#fields.begin();
    this.#line = 0;
    for (let start = 0; start < length; this.#line++) {
      const newline = block.indexOf(NEWLINE, start);
      const next = newline < 0 || newline >= length ? length : newline;
      this.#readLine(start, next);
      start = next + 1;
    }
    // The events that may go on in the next block, by their last lines so far.
    for (const act of [...this.#open.values()].sort((a, b) => a.words[ACT.last] - b.words[ACT.last]))
      this.#finish(act);
    this.#open.clear();
    this.#current = undefined;
    this.#writer.end(batch);
    this.#types.flushCounts(batch.records);
    batch.lines = this.#line;
    batch.symbols = this.#symbols;
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
    const act = this.#actOf();
    const { words } = act;
    words[ACT.last] = this.#line;
    words[ACT.records]++;
    if (type === TYPE.SYSCALL) words[ACT.line] = this.#line;
    this.#fields.read(type, block, head.body, end, act);
    if (type === TYPE.SYSTEM_BOOT) words[ACT.seen] |= SEEN.boot;
    if (this.#types.isAlone(type))
      words[ACT.seen] |= this.#types.isSensor(type) ? SEEN.alone | SEEN.sensor : SEEN.alone;
    else if (type !== TYPE.PROCTITLE && type !== TYPE.EOE) return;
    words[ACT.seen] |= SEEN.end;
    this.#open.delete(keyOf(words[ACT.host], words[ACT.serial]));
    this.#current = undefined;
    this.#finish(act);
  }

  /** The act that the record belongs to. */
  #actOf(): ActBuilder {
    const head = this.#head;
    const host = head.nodeStop > 0 ? this.#hostOf() : NONE;
    if (this.#current !== undefined && this.#isOf(this.#current, host)) return this.#current;
    const key = keyOf(host, head.serial);
    const known = this.#open.get(key);
    if (known !== undefined) {
      if (this.#isOf(known, host)) {
        this.#current = known;
        return known;
      }
      this.#finish(known);
    }
    const act = this.#spare.pop() ?? new ActBuilder();
    act.clear();
    const { words } = act;
    words[ACT.first] = words[ACT.line] = this.#line;
    words[ACT.timeLow] = head.timeLow;
    words[ACT.timeHigh] = head.timeHigh;
    words[ACT.serial] = head.serial;
    words[ACT.host] = host;
    this.#open.set(key, act);
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

  #hostOf(): number {
    const { nodeStart, nodeStop } = this.#head;
    const name = symbolText(
      Buffer.from(this.#block.buffer, this.#block.byteOffset + nodeStart, nodeStop - nodeStart).toString(
        'utf8',
      ),
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
