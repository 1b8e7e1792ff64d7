import type { ErrorCode } from '../../base/error-codes.js';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { type Bytes, isZero } from './bytes.js';
import { inputUseError, quoted } from './input-errors.js';

const BLOCK = 512;
const SCRATCH_BYTES = 256 << 10;
/** The largest accepted name or attribute record. Real ones are below 8 KiB. */
const MAX_EXTENSION = 1 << 20;

const DOWNLOAD_AGAIN = 'copy or download it again, then check it with tar -tf';

/** A regular file in an archive. It is valid until the next one is requested. */
export interface TarMember extends Bytes {
  readonly name: string;
  readonly size: number;
}

/** The fields that extension records override in the member that follows. */
interface Overrides {
  name?: string;
  size?: number;
}

/** Reads a NUL-terminated field. */
function text(field: Uint8Array): string {
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8');
}

/** Reads a number in octal digits, or in base 256 if the top bit is set (GNU, for sizes of 8 GiB and more). */
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

function isChecksumValid(header: Uint8Array): boolean {
  let sum = 8 * 0x20; // the checksum field itself counts as spaces
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header[i];
  return number(header.subarray(148, 156)) === sum;
}

/** Reads POSIX pax records, `length key=value\n`. Returns undefined if they are malformed. */
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
 * Reads the regular files of a tar archive in order, with ustar, pax and GNU headers. Nothing is written to disk, so the
 * names of members are harmless.
 */
export class TarReader {
  readonly #bytes: Bytes;
  readonly #name: string;
  readonly #header = new Uint8Array(BLOCK);
  #scratch: Uint8Array | undefined;
  #offset = 0;
  /** The remaining bytes of the current member and of its padding. */
  #left = 0;
  #padding = 0;

  constructor(bytes: Bytes, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }

  /** Skips the rest of the current file and returns the next regular file, or undefined at the end. */
  async next(): Promise<TarMember | undefined> {
    await this.#skip();
    let overrides: Overrides = {};
    for (;;) {
      await this.#fill(this.#header);
      if (isZero(this.#header)) return this.#finish();
      if (!isChecksumValid(this.#header)) throw this.#corrupt('wrong header checksum');
      const type = this.#header[156] === 0 ? '0' : String.fromCharCode(this.#header[156]);
      const size = overrides.size ?? number(this.#header.subarray(124, 136));
      if (size === undefined) throw this.#corrupt('invalid size');
      // Links, devices and folders have no content, even if their size is not 0.
      this.#left = type >= '1' && type <= '6' ? 0 : size;
      this.#padding = (BLOCK - (this.#left % BLOCK)) % BLOCK;
      if (type === 'x' || type === 'X') overrides = { ...overrides, ...this.#pax(await this.#extension()) };
      else if (type === 'L') overrides = { ...overrides, name: text(await this.#extension()) };
      else if (type === 'S' || type === 'M') throw this.#unsupported();
      else {
        const name = overrides.name ?? this.#ustarName();
        // In POSIX, an unknown type is a regular file. Capital letters and g are vendor and pax records.
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
    const posix = this.#header[262] === 0; // GNU ("ustar" and two spaces) has times in place of the prefix
    const prefix = posix ? text(this.#header.subarray(345, 500)) : '';
    return prefix === '' ? name : `${prefix}/${name}`;
  }

  #pax(data: Uint8Array): Overrides {
    const records = paxRecords(data);
    if (records === undefined) throw this.#corrupt('malformed attribute record');
    const overrides: Overrides = {};
    for (const [key, value] of records) {
      if (key.startsWith('GNU.sparse.')) throw this.#unsupported();
      if (key === 'path') overrides.name = value;
      if (key === 'size') {
        overrides.size = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
        if (!Number.isSafeInteger(overrides.size)) throw this.#corrupt('invalid size');
      }
    }
    return overrides;
  }

  /** Reads the content of an extension record: a long name or attributes. */
  async #extension(): Promise<Uint8Array> {
    if (this.#left > MAX_EXTENSION) throw this.#corrupt('name or attribute record larger than 1 MiB');
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

  /** Reads to the end of the input, where the layers below check their data and finish the hash. */
  async #finish(): Promise<undefined> {
    this.#scratch ??= new Uint8Array(SCRATCH_BYTES);
    for (;;) {
      const length = await this.#bytes.read(this.#scratch);
      if (length === 0) return undefined;
      this.#offset += length;
      if (!isZero(this.#scratch.subarray(0, length))) {
        throw this.#problem(
          'trailing-data',
          'has data after its end marker',
          'if several archives were joined with cat, pass each archive separately',
        );
      }
    }
  }

  #problem(code: ErrorCode, fault: string, hint: string): RecalError {
    const where = { file: this.#name, offset: this.#offset };
    return new RecalError(code, `archive ${quoted(this.#name)} ${fault} (at byte ${this.#offset})`, {
      hint,
      where,
    });
  }

  #truncated(): RecalError {
    return this.#problem('truncated-input', 'is truncated', DOWNLOAD_AGAIN);
  }

  #corrupt(reason: string): RecalError {
    return this.#problem('corrupt-input', `is damaged: ${reason}`, DOWNLOAD_AGAIN);
  }

  #unsupported(): RecalError {
    const hint = 'unpack it with tar -xf and pass the files';
    return this.#problem(
      'unsupported-archive',
      'contains a sparse or multi-volume file, which recal does not read',
      hint,
    );
  }
}
