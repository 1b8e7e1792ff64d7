/** The names of fields that the reader needs, by number from 1. */
const NAMES = [
  'arch',
  'syscall',
  'success',
  'exit',
  'a0',
  'a1',
  'a2',
  'a3',
  'items',
  'ppid',
  'pid',
  'euid',
  'egid',
  'ses',
  'comm',
  'exe',
  'SYSCALL',
  'EUID',
  'cwd',
  'item',
  'name',
  'inode',
  'dev',
  'mode',
  'nametype',
  'objtype',
  'saddr',
  'proctitle',
  'opid',
  'ocomm',
  'fd0',
  'fd1',
  'fd',
  'oflag',
  'acct',
  'addr',
  'hostname',
  'res',
  'uid',
  'auid',
  'id',
  'op',
] as const;

export type FieldName = (typeof NAMES)[number];

/** The number of each field. 0 is any other field. */
export const FIELD = Object.fromEntries(NAMES.map((name, index) => [name, index + 1])) as Readonly<
  Record<FieldName, number>
>;

const SLOTS = 512;
const HASHES = new Int32Array(SLOTS);
const NUMBERS = new Uint8Array(SLOTS);
for (const [index, name] of NAMES.entries()) {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = mix(hash, name.charCodeAt(i));
  let slot = hash & (SLOTS - 1);
  while (NUMBERS[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  HASHES[slot] = hash;
  NUMBERS[slot] = index + 1;
}

const SPACE = 0x20;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
/** auditd writes this byte before the fields that it translated (`log_format = ENRICHED`). */
const ENRICHED = 0x1d;

/** Finds the fields `name=value` of a record, in the order of the line. */
export class FieldScan {
  bytes: Uint8Array = new Uint8Array(0);
  /** The number of the field's name in FIELD. */
  field = 0;
  /** The name of the field, and its value without quotes. */
  nameStart = 0;
  nameStop = 0;
  start = 0;
  stop = 0;
  quoted = false;
  #at = 0;
  #end = 0;

  begin(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Goes to the next field. Returns false at the end of the record. */
  next(): boolean {
    const bytes = this.bytes;
    const end = this.#end;
    let at = this.#at;
    let hash = 0;
    let name = at;
    for (; at < end; at++) {
      const byte = bytes[at];
      if (byte === EQUALS) break;
      if (byte === SPACE || byte === ENRICHED || byte === APOSTROPHE) {
        hash = 0;
        name = at + 1;
      } else hash = mix(hash, byte);
    }
    if (at >= end) return false;
    this.nameStart = name;
    this.nameStop = at;
    let slot = hash & (SLOTS - 1);
    while (NUMBERS[slot] !== 0 && HASHES[slot] !== hash) slot = (slot + 1) & (SLOTS - 1);
    this.field = NUMBERS[slot];
    at++;
    const first = bytes[at];
    this.quoted = first === QUOTE && at < end;
    if (this.quoted) {
      this.start = ++at;
      while (at < end && bytes[at] !== QUOTE) at++;
      this.stop = at;
      this.#at = at + 1;
      return true;
    }
    // The fields of a message of a program are inside apostrophes: msg='op=login acct="x" res=success'.
    if (first === APOSTROPHE && at < end) {
      this.start = this.stop = at;
      this.#at = at + 1;
      return true;
    }
    this.start = at;
    while (at < end) {
      const byte = bytes[at];
      if (byte === SPACE || byte === ENRICHED || byte === APOSTROPHE) break;
      at++;
    }
    this.stop = at;
    this.#at = at;
    return true;
  }

  /** The value as a decimal integer. NaN if it is none. */
  decimal(): number {
    let at = this.start;
    const negative = this.bytes[at] === 0x2d;
    if (negative) at++;
    if (at >= this.stop || this.stop - at > 20) return Number.NaN;
    let value = 0;
    for (; at < this.stop; at++) {
      const digit = this.bytes[at] - 0x30;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** The low 32 bits of a hexadecimal value. */
  hexWord(): number {
    let value = 0;
    for (let at = this.start; at < this.stop; at++) {
      const digit = hexDigit(this.bytes[at]);
      if (digit < 0) return 0;
      value = (value << 4) | digit;
    }
    return value;
  }

  /** The low 32 bits of an octal value. */
  octal(): number {
    let value = 0;
    for (let at = this.start; at < this.stop; at++) {
      const digit = this.bytes[at] - 0x30;
      if (digit < 0 || digit > 7) return 0;
      value = (value << 3) | digit;
    }
    return value;
  }

  /** Tells whether the value is this ASCII text. */
  is(text: string): boolean {
    if (this.stop - this.start !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (this.bytes[this.start + i] !== text.charCodeAt(i)) return false;
    return true;
  }
}

/** The value of a hexadecimal digit, or -1. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37;
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57;
  return -1;
}

function mix(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}
