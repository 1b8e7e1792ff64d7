import type { ErrorCode } from '../../base/error-codes.js';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { type Bytes, isZero } from './bytes.js';
import { inputUseError, quoted } from './input-errors.js';

const BLOCK = 512;
const SCRATCH_BYTES = 256 << 10;
/** Longest name or attribute record believed; real ones stay below 8 KiB. */
const MAX_EXTENSION = 1 << 20;

/** One regular file of an archive. Valid until the next one is asked for. */
export interface TarMember extends Bytes {
  readonly name: string;
  readonly size: number;
}

/** What extension records say about the member that follows them. */
interface Overrides {
  name?: string;
  size?: number;
}

/** A NUL-terminated field. */
function text(field: Uint8Array): string {
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8');
}

/** Octal digits, or base-256 where the top bit is set (GNU, for sizes of 8 GiB and more). */
function number(field: Uint8Array): number | undefined {
  let value = 0;
  if (field[0] & 0x80) {
    if (field[0] !== 0x80) return undefined; // negative
    for (const byte of field.subarray(1)) value = value * 256 + byte;
  } else {
    const digits = text(field).trim();
    for (const digit of digits) {
      if (digit < '0' || digit > '7') return undefined;
      value = value * 8 + Number(digit);
    }
  }
  return Number.isSafeInteger(value) ? value : undefined;
}

function checksumFits(header: Uint8Array): boolean {
  let sum = 8 * 0x20; // the checksum field itself counts as spaces
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header[i];
  return number(header.subarray(148, 156)) === sum;
}

/** `length key=value\n` records (POSIX pax). Undefined if malformed. */
function paxRecords(data: Uint8Array): Map<string, string> | undefined {
  const records = new Map<string, string>();
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(text(data.subarray(at, space)));
    if (!Number.isSafeInteger(length) || length < space - at + 3 || at + length > data.length)
      return undefined;
    const equals = data.indexOf(0x3d, space);
    if (equals < 0 || equals >= at + length || data[at + length - 1] !== 0x0a) return undefined;
    const value = Buffer.from(data.subarray(equals + 1, at + length - 1)).toString('utf8');
    records.set(text(data.subarray(space + 1, equals)), value);
    at += length;
  }
  return records;
}

/**
 * Reads a tar archive front to back: ustar, pax and GNU headers. Only regular files come out; nothing is ever
 * written, so their names need no trust.
 */
export class TarReader {
  readonly #bytes: Bytes;
  readonly #name: string;
  readonly #header = new Uint8Array(BLOCK);
  #scratch: Uint8Array | undefined;
  #offset = 0;
  /** What is left of the current member, and of its padding. */
  #left = 0;
  #padding = 0;

  constructor(bytes: Bytes, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }

  /** The next regular file, after skipping what was not read of the last. Undefined after the last. */
  async next(): Promise<TarMember | undefined> {
    await this.#skip();
    let overrides: Overrides = {};
    for (;;) {
      await this.#fill(this.#header);
      if (isZero(this.#header)) return this.#finish();
      if (!checksumFits(this.#header)) throw this.#corrupt('a header has a wrong checksum');
      const type = this.#header[156] === 0 ? '0' : String.fromCharCode(this.#header[156]);
      const size = overrides.size ?? number(this.#header.subarray(124, 136));
      if (size === undefined) throw this.#corrupt('a size is not a number');
      // Links, devices and folders have no content, whatever their size field says.
      this.#left = type >= '1' && type <= '6' ? 0 : size;
      this.#padding = (BLOCK - (this.#left % BLOCK)) % BLOCK;
      if (type === 'x' || type === 'X') overrides = { ...overrides, ...this.#pax(await this.#extension()) };
      else if (type === 'L') overrides = { ...overrides, name: text(await this.#extension()) };
      else if (type === 'S' || type === 'M') throw this.#unsupported();
      else {
        const name = overrides.name ?? this.#ustarName();
        // POSIX: a type nobody knows is a file; capital letters and g are records of vendors and of pax.
        if (!/[1-6A-Zg]/.test(type) && !name.endsWith('/')) return this.#member(name, size);
        await this.#skip();
        if (type !== 'g' && type !== 'K') overrides = {};
      }
    }
  }

  #member(name: string, size: number): TarMember {
    const header = this.#offset;
    const closed = () => inputUseError('input-closed', `${this.#name}!${name}`);
    let open = true;
    return {
      name: printable(name),
      size,
      read: async (target) => {
        if (!open || this.#offset - header + this.#left !== size) throw closed();
        const part = target.subarray(0, Math.min(target.length, this.#left));
        if (part.length === 0) return 0;
        await this.#fill(part);
        this.#left -= part.length;
        return part.length;
      },
      close: async () => {
        open = false;
      },
    };
  }

  #ustarName(): string {
    const name = text(this.#header.subarray(0, 100));
    const posix = this.#header[262] === 0; // GNU ("ustar" and two spaces) keeps times where POSIX keeps the prefix
    const prefix = posix ? text(this.#header.subarray(345, 500)) : '';
    return prefix === '' ? name : `${prefix}/${name}`;
  }

  #pax(data: Uint8Array): Overrides {
    const records = paxRecords(data);
    if (records === undefined) throw this.#corrupt('an attribute record is malformed');
    const overrides: Overrides = {};
    for (const [key, value] of records) {
      if (key.startsWith('GNU.sparse.')) throw this.#unsupported();
      if (key === 'path') overrides.name = value;
      if (key === 'size') {
        overrides.size = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
        if (!Number.isSafeInteger(overrides.size)) throw this.#corrupt('a size is not a number');
      }
    }
    return overrides;
  }

  /** The content of an extension record: a long name or attributes. */
  async #extension(): Promise<Uint8Array> {
    if (this.#left > MAX_EXTENSION) throw this.#corrupt('a name or attribute record is over 1 MiB');
    const data = new Uint8Array(this.#left);
    await this.#fill(data);
    this.#left = 0;
    await this.#skip();
    return data;
  }

  async #fill(target: Uint8Array): Promise<void> {
    const length = await this.#bytes.read(target);
    this.#offset += length;
    if (length < target.length) throw this.#truncated();
  }

  async #skip(): Promise<void> {
    this.#scratch ??= new Uint8Array(SCRATCH_BYTES);
    let rest = this.#left + this.#padding;
    this.#left = 0;
    this.#padding = 0;
    while (rest > 0) {
      const part = this.#scratch.subarray(0, Math.min(rest, SCRATCH_BYTES));
      await this.#fill(part);
      rest -= part.length;
    }
  }

  /** Reads on to the very end: the layers below check themselves and finish their hash there. */
  async #finish(): Promise<undefined> {
    this.#scratch ??= new Uint8Array(SCRATCH_BYTES);
    for (;;) {
      const length = await this.#bytes.read(this.#scratch);
      if (length === 0) return undefined;
      this.#offset += length;
      if (!isZero(this.#scratch.subarray(0, length))) {
        throw this.#problem(
          'trailing-data',
          'goes on after its end mark',
          'archives joined with cat? Name them one by one',
        );
      }
    }
  }

  #problem(code: ErrorCode, what: string, hint: string): RecalError {
    const where = { file: this.#name, offset: this.#offset };
    return new RecalError(code, `archive ${quoted(this.#name)} ${what}, at byte ${this.#offset} unpacked`, {
      hint,
      where,
    });
  }

  #truncated(): RecalError {
    return this.#problem('truncated-input', 'has no end mark', 'it was cut short: copy or download it again');
  }

  #corrupt(reason: string): RecalError {
    return this.#problem(
      'corrupt-input',
      `is damaged (${reason})`,
      'copy or download it again, check it with tar -tf',
    );
  }

  #unsupported(): RecalError {
    const hint = 'unpack it with tar -xf and name the files';
    return this.#problem('unsupported-archive', 'holds a sparse or multi-volume file', hint);
  }
}
