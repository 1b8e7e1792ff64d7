import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { countLines } from './tailed-log.js';

const NEWLINE = 0x0a;
const FILE_BYTES = 16 << 20;
const NAME = /^(\d{10})\.log$/;

/** A place in a spool, as JSON. */
export interface SpoolPosition {
  readonly file: number;
  readonly offset: number;
  /** Lines before it, since the spool began. */
  readonly lines: number;
}

export const SPOOL_START: SpoolPosition = { file: 0, offset: 0, lines: 0 };

/** Lines on the disk, between a sender that cannot be asked again and the store. Files are removed once they are stored. */
export class Spool {
  readonly #folder: string;
  readonly #limit: number;
  #sizes = new Map<number, number>();
  #current = 0;
  #handle: FileHandle | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #waiters: (() => void)[] = [];
  #read: SpoolPosition = SPOOL_START;

  constructor(folder: string, limit: number) {
    this.#folder = folder;
    this.#limit = limit;
  }

  async open(committed: SpoolPosition): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#sizes = new Map();
    for (const name of await readdir(this.#folder)) {
      const number = Number(NAME.exec(name)?.[1] ?? 0);
      if (number > 0) this.#sizes.set(number, (await stat(this.#path(number))).size);
    }
    this.#read = committed;
    // A new file, because the last one may end in the middle of a line.
    this.#current = Math.max(0, committed.file, ...this.#sizes.keys()) + 1;
  }

  /** Bytes that are not stored yet. */
  get waiting(): number {
    let bytes = 0;
    for (const [file, size] of this.#sizes) if (file >= this.#read.file) bytes += size;
    return this.#sizes.has(this.#read.file) ? bytes - this.#read.offset : bytes;
  }

  get isFull(): boolean {
    return this.waiting >= this.#limit;
  }

  /** Resolves when there is room again. */
  async room(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** Appends lines; with `durable`, resolves when they are on the disk. */
  append(lines: Uint8Array, durable: boolean): Promise<void> {
    const written = this.#writing.then(() => this.#write(lines, durable));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #write(lines: Uint8Array, durable: boolean): Promise<void> {
    if ((this.#sizes.get(this.#current) ?? 0) >= FILE_BYTES) {
      await this.#handle?.close();
      this.#handle = undefined;
      this.#current++;
    }
    this.#handle ??= await open(this.#path(this.#current), 'a', 0o600);
    const before = this.#sizes.get(this.#current) ?? 0;
    try {
      await this.#handle.appendFile(lines);
      if (durable) await this.#handle.datasync();
      this.#sizes.set(this.#current, before + lines.length);
    } catch (error) {
      await this.#handle.truncate(before).catch(() => undefined); // no half of it stays behind
      throw error;
    }
  }

  /** Reads whole lines after a position. */
  async read(from: SpoolPosition, most: number): Promise<{ bytes: Uint8Array; next: SpoolPosition }> {
    const files = [...this.#sizes.keys()].filter((file) => file >= from.file).sort((a, b) => a - b);
    for (const file of files) {
      const offset = file === from.file ? from.offset : 0;
      const available = (this.#sizes.get(file) ?? 0) - offset;
      if (available <= 0) continue;
      const buffer = Buffer.allocUnsafe(Math.min(most, available));
      const handle = await open(this.#path(file), 'r');
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset).finally(() => handle.close());
      const read = buffer.subarray(0, bytesRead);
      const last = read.lastIndexOf(NEWLINE);
      const isCut = last + 1 < read.length;
      const atEnd = bytesRead === available;
      if (isCut && atEnd && file !== this.#current) {
        // The sender, or this process, was stopped in the middle of a line.
        const bytes = Buffer.concat([read, Buffer.from('\n')]);
        return { bytes, next: { file, offset: offset + read.length, lines: from.lines + countLines(bytes) } };
      }
      if (last < 0 && !atEnd) {
        // A line longer than a read: the reader counts its parts as malformed lines.
        return { bytes: read, next: { file, offset: offset + read.length, lines: from.lines } };
      }
      const bytes = read.subarray(0, last + 1);
      if (bytes.length > 0)
        return {
          bytes,
          next: { file, offset: offset + bytes.length, lines: from.lines + countLines(bytes) },
        };
    }
    return { bytes: new Uint8Array(0), next: from };
  }

  /** Forgets what is stored. */
  async commit(position: SpoolPosition): Promise<void> {
    this.#read = position;
    for (const file of [...this.#sizes.keys()]) {
      if (file >= position.file || file === this.#current) continue;
      await rm(this.#path(file), { force: true });
      this.#sizes.delete(file);
    }
    if (!this.isFull) for (const resolve of this.#waiters.splice(0)) resolve();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(10, '0')}.log`);
  }
}
