/** The records that the reader uses, by number from 1. */
const NAMES = [
  'SYSCALL',
  'PATH',
  'CWD',
  'PROCTITLE',
  'SOCKADDR',
  'EXECVE',
  'EOE',
  'OBJ_PID',
  'FD_PAIR',
  'MMAP',
  'OPENAT2',
  'KERN_MODULE',
  'SOCKETCALL',
  'USER_LOGIN',
  'SYSTEM_BOOT',
] as const;

export const TYPE = Object.fromEntries(NAMES.map((name, index) => [name, index + 1])) as Readonly<
  Record<(typeof NAMES)[number], number>
>;

/** Records that programs send, not the kernel. Each is an event of its own. */
const ALONE =
  /^(USER|CRED|DAEMON|SERVICE|SYSTEM|ADD|DEL|GRP|ROLE|CRYPTO|VIRT|ACCT|LABEL|DEV|FS|RESP|USYS|TEST|TRUSTED|SOFTWARE|CHGRP|CHUSER|DAC)_/;

/** Records that the audit daemon writes about itself. */
const SENSOR = /^DAEMON_/;

/** Real logs have about 200 types. Further ones are counted together. */
const MAX_TYPES = 1000;
const REST = 'other types';

/** Numbers the types of records, and counts the records of a block by type. */
export class RecordTypes {
  readonly #names: string[] = ['', ...NAMES];
  readonly #alone: boolean[] = this.#names.map((name) => ALONE.test(name));
  readonly #slots = new Map<number, { name: Uint8Array; number: number }[]>();
  readonly #counts: number[] = [];

  constructor() {
    for (const [index, name] of this.#names.entries()) {
      if (index > 0) this.#addSlot(Buffer.from(name), index);
    }
  }

  /** The number of the type whose name is from `start` to `stop`. */
  number(bytes: Uint8Array, start: number, stop: number): number {
    const slot = this.#slots.get(hashOf(bytes, start, stop));
    if (slot !== undefined) {
      for (const { name, number } of slot) if (equals(name, bytes, start, stop)) return number;
    }
    return this.#add(Buffer.from(bytes.subarray(start, stop)));
  }

  isAlone(number: number): boolean {
    return this.#alone[number];
  }

  isSensor(number: number): boolean {
    return SENSOR.test(this.#names[number]);
  }

  count(number: number): void {
    this.#counts[number] = (this.#counts[number] ?? 0) + 1;
  }

  /** Adds the counts of the block to `records` and resets them. */
  flushCounts(records: Map<string, number>): void {
    for (const [number, count] of this.#counts.entries()) {
      if (count > 0) records.set(this.#names[number], count);
    }
    this.#counts.length = 0;
  }

  #add(name: Uint8Array): number {
    if (this.#names.length >= MAX_TYPES) {
      const rest = this.#names.indexOf(REST);
      if (rest >= 0) return rest;
      this.#alone.push(true);
      return this.#names.push(REST) - 1;
    }
    const text = Buffer.from(name).toString('latin1');
    const number = this.#names.push(text) - 1;
    this.#alone.push(ALONE.test(text));
    this.#addSlot(name, number);
    return number;
  }

  #addSlot(name: Uint8Array, number: number): void {
    const hash = hashOf(name, 0, name.length);
    const slot = this.#slots.get(hash);
    if (slot === undefined) this.#slots.set(hash, [{ name, number }]);
    else slot.push({ name, number });
  }
}

/** Names are short and few, so length and three bytes tell most of them apart. */
function hashOf(bytes: Uint8Array, start: number, stop: number): number {
  const middle = (start + stop) >> 1;
  return ((stop - start) << 24) ^ (bytes[start] << 16) ^ (bytes[middle] << 8) ^ bytes[stop - 1];
}

function equals(name: Uint8Array, bytes: Uint8Array, start: number, stop: number): boolean {
  if (name.length !== stop - start) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[start + i]) return false;
  return true;
}
