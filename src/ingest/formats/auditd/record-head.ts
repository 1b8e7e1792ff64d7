import type { RecordTypes } from './record-types.js';

const NODE = Buffer.from('node=');
const TYPE = Buffer.from('type=');
const STAMP = Buffer.from(' msg=audit(');
const SPACE = 0x20;
const DOT = 0x2e;
const COLON = 0x3a;
const CLOSE = 0x29;
const MAX_NODE = 256;
const MAX_TYPE = 64;
/** The last second whose nanoseconds fit 63 bits. */
const LAST_SECOND = 9_223_372_035;

export const NOT_A_RECORD =
  'not an audit record; it must begin with [node=HOST] type=TYPE msg=audit(SECONDS.MILLISECONDS:SERIAL):';

/** Reads the beginning of a record: `[node=H ]type=T msg=audit(SECONDS.MILLISECONDS:SERIAL): `. */
export class RecordHead {
  /** The name of the host, or an empty range. */
  nodeStart = 0;
  nodeStop = 0;
  type = 0;
  serial = 0;
  timeLow = 0;
  timeHigh = 0;
  /** Where the fields of the record begin. */
  body = 0;
  readonly #types: RecordTypes;
  #second = -1;
  #fraction = -1;

  constructor(types: RecordTypes) {
    this.#types = types;
  }

  /** Reads the head of the line. Returns false if the line is not a record. */
  read(bytes: Uint8Array, start: number, stop: number): boolean {
    let at = start;
    this.nodeStart = this.nodeStop = 0;
    if (bytes[at] === 0x6e) {
      if (!startsWith(bytes, at, stop, NODE)) return false;
      this.nodeStart = at + NODE.length;
      at = indexOf(bytes, SPACE, this.nodeStart, Math.min(stop, this.nodeStart + MAX_NODE));
      if (at < 0 || at === this.nodeStart) return false;
      this.nodeStop = at++;
    }
    if (!startsWith(bytes, at, stop, TYPE)) return false;
    at += TYPE.length;
    const name = at;
    at = indexOf(bytes, SPACE, at, Math.min(stop, at + MAX_TYPE));
    if (at <= name || !startsWith(bytes, at, stop, STAMP)) return false;
    const nameStop = at;
    at += STAMP.length;
    const second = this.#digits(bytes, at, stop, DOT, 10);
    if (second < 0 || second > LAST_SECOND) return false;
    at = this.#end + 1;
    const fractionStart = at;
    let fraction = this.#digits(bytes, at, stop, COLON, 9);
    if (fraction < 0) return false;
    for (let digits = this.#end - fractionStart; digits < 9; digits++) fraction *= 10;
    at = this.#end + 1;
    const serial = this.#digits(bytes, at, stop, CLOSE, 20);
    if (serial < 0 || serial > 0xffffffff) return false;
    this.type = this.#types.number(bytes, name, nameStop);
    this.serial = serial | 0;
    this.body = this.#end + 1;
    if (bytes[this.body] === COLON) this.body++;
    this.#setTime(second, fraction);
    return true;
  }

  /** Takes over a head that the kernel has read. */
  set(serial: number, timeLow: number, timeHigh: number): void {
    this.serial = serial;
    this.timeLow = timeLow;
    this.timeHigh = timeHigh;
    this.#second = -1;
  }

  #end = 0;

  /** Reads a number of 1 to `most` digits that ends at the byte `end`. Returns -1 if there is none. */
  #digits(bytes: Uint8Array, start: number, stop: number, end: number, most: number): number {
    let value = 0;
    let at = start;
    for (; at < stop; at++) {
      const digit = bytes[at] - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#end = at;
    return at > start && at - start <= most && at < stop && bytes[at] === end ? value : -1;
  }

  /** Most records have the time of the record before them. */
  #setTime(second: number, fraction: number): void {
    if (second === this.#second && fraction === this.#fraction) return;
    this.#second = second;
    this.#fraction = fraction;
    const time = BigInt(second) * 1_000_000_000n + BigInt(fraction);
    this.timeLow = Number(time & 0xffffffffn) | 0;
    this.timeHigh = Number(time >> 32n) | 0;
  }
}

function startsWith(bytes: Uint8Array, at: number, stop: number, text: Uint8Array): boolean {
  if (stop - at < text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

function indexOf(bytes: Uint8Array, byte: number, start: number, stop: number): number {
  for (let at = start; at < stop; at++) if (bytes[at] === byte) return at;
  return -1;
}
