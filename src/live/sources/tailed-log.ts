import { type FileHandle, open } from 'node:fs/promises';
import { type ByteSource, type InputFile, openInput } from '../../ingest/sources/byte-source.js';
import { HEAD_BYTES, hashOf, type LogFile } from './log-files.js';

const NEWLINE = 0x0a;
const SKIP_BYTES = 1 << 20;

/** How far a log was read, as JSON. */
export interface SavedLog {
  /** The key of the log in the store. */
  readonly log: string;
  readonly name: string;
  /** The first bytes in base64, by which the log is recognised under any name. */
  readonly head: string;
  /** Device and inode at the last look. */
  readonly id: string;
  readonly offset: number;
  readonly lines: number;
  /** True in the middle of a line that is too long. */
  readonly skipping: boolean;
}

interface PackedLog {
  readonly input: InputFile;
  readonly source: ByteSource;
  readonly iterator: AsyncIterator<ByteSource>;
}

const NONE = Buffer.alloc(0);

/** One log: the bytes that began under one name, whatever the file is called now. */
export class TailedLog {
  saved: SavedLog;
  #file: LogFile | undefined;
  #handle: FileHandle | undefined;
  #packed: PackedLog | undefined;
  /** The beginning of a line at the end of what was decompressed last. */
  #carry: Uint8Array = NONE;
  #stale = false;
  #ended = false;

  constructor(saved: SavedLog) {
    this.saved = saved;
  }

  static begin(file: LogFile): TailedLog {
    return new TailedLog({
      log: hashOf(file.head).slice(0, 32),
      name: file.path,
      head: file.head.toString('base64'),
      id: file.id,
      offset: 0,
      lines: 0,
      skipping: false,
    });
  }

  get head(): Buffer {
    return Buffer.from(this.saved.head, 'base64');
  }

  /** Whether a file has this log, as far as it was read. */
  matches(file: LogFile): boolean {
    const { head } = this;
    if (!file.head.subarray(0, head.length).equals(head)) return false;
    return file.packed || file.size >= this.saved.offset;
  }

  /** Whether a file is a copy of this log, or of its beginning. */
  hasCopy(file: LogFile): boolean {
    const { head } = this;
    const common = Math.min(head.length, file.head.length);
    if (!file.head.subarray(0, common).equals(head.subarray(0, common))) return false;
    return this.#file !== undefined && (file.packed || this.#file.packed || file.size <= this.#file.size);
  }

  /** The file that holds this log now. */
  attach(file: LogFile): void {
    const isOther = this.#file === undefined || file.id !== this.#file.id;
    if (isOther) {
      this.#stale = this.#handle !== undefined;
      this.#ended = false;
    }
    this.#file = file;
    const { head } = this;
    const grown = file.head.length > head.length && head.length < HEAD_BYTES;
    this.saved = {
      ...this.saved,
      name: file.path,
      id: file.id,
      ...(grown ? { head: file.head.toString('base64') } : {}),
    };
  }

  /** The file is gone. What is open can still be read. */
  detach(): void {
    this.#file = undefined;
  }

  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  get behind(): number {
    if (this.#file === undefined || this.#file.packed) return 0;
    return Math.max(0, this.#file.size - this.saved.offset);
  }

  /** Reads whole lines. `isOld` says that nothing will be added, so that a last line needs no newline. */
  async read(most: number, isOld: boolean): Promise<{ bytes: Uint8Array; dropped: number; more: boolean }> {
    let bytes = await this.#next(most);
    const { length } = bytes;
    if (length === 0) {
      if (isOld || this.#file === undefined) await this.close();
      return { bytes, dropped: 0, more: false };
    }
    if (this.saved.skipping) {
      const end = bytes.indexOf(NEWLINE);
      const skipped = end < 0 ? bytes.length : end + 1;
      this.#advance(skipped, end < 0 ? 0 : 1, end < 0);
      bytes = bytes.subarray(skipped);
    }
    const last = bytes.lastIndexOf(NEWLINE);
    const isFull = length === most;
    if (last < 0 && bytes.length > 0 && isFull) {
      // A line of many MiB: leave it out, up to its end.
      this.#advance(bytes.length, 0, true);
      return { bytes: bytes.subarray(0, 0), dropped: 1, more: true };
    }
    let lines = bytes.subarray(0, last + 1);
    if (isOld && !isFull && last + 1 < bytes.length) {
      lines = Buffer.concat([bytes, Buffer.from('\n')]);
      this.#advance(bytes.length, countLines(lines), false);
    } else this.#advance(lines.length, countLines(lines), this.saved.skipping && bytes.length === 0);
    if (this.#packed !== undefined && isFull) this.#carry = Buffer.from(bytes.subarray(lines.length));
    return { bytes: lines, dropped: 0, more: isFull };
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    await this.#packed?.input.close();
    this.#packed = undefined;
    this.#carry = NONE;
    this.#stale = false;
    this.#ended = true;
  }

  #advance(bytes: number, lines: number, skipping: boolean): void {
    const { saved } = this;
    this.saved = { ...saved, offset: saved.offset + bytes, lines: saved.lines + lines, skipping };
  }

  /** The next bytes, at most so many; empty if there are none now. */
  async #next(most: number): Promise<Buffer> {
    if (this.#stale) {
      await this.close();
      this.#ended = false;
    }
    if (this.#ended && (this.#file === undefined || this.#file.packed || this.behind === 0)) return NONE;
    if (this.#handle === undefined && this.#file?.packed === true) return this.#nextPacked(most);
    if (this.#handle === undefined) {
      if (this.#file === undefined) return NONE;
      const handle = await open(this.#file.path, 'r').catch(() => undefined);
      if (handle === undefined) return NONE;
      const { dev, ino } = await handle.stat({ bigint: true });
      if (`${dev}:${ino}` !== this.#file.id) {
        await handle.close(); // renamed in between
        return NONE;
      }
      this.#handle = handle;
      this.#ended = false;
    }
    const { size } = await this.#handle.stat();
    const { offset } = this.saved;
    if (size === offset) return NONE;
    if (size < offset || !(await this.#isSame(this.#handle))) {
      await this.close(); // truncated in place; the next look finds the copy and the new log
      return NONE;
    }
    const buffer = Buffer.allocUnsafe(Math.min(most, size - offset));
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, offset);
    return buffer.subarray(0, bytesRead);
  }

  /** Whether the open file still begins as this log: it may have been truncated and have grown again. */
  async #isSame(handle: FileHandle): Promise<boolean> {
    const { head } = this;
    const { buffer } = await handle.read(Buffer.alloc(head.length), 0, head.length, 0);
    return buffer.equals(head);
  }

  async #nextPacked(most: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(most);
    try {
      this.#packed ??= await this.#openPacked();
      buffer.set(this.#carry);
      const carried = this.#carry.length;
      this.#carry = NONE;
      return buffer.subarray(0, carried + (await this.#packed.source.read(buffer.subarray(carried))));
    } catch {
      await this.close();
      this.#ended = false; // still being compressed
      return NONE;
    }
  }

  async #openPacked(): Promise<PackedLog> {
    const input = await openInput((this.#file as LogFile).path);
    const iterator = input.sources()[Symbol.asyncIterator]();
    const { value: source } = (await iterator.next()) as { value: ByteSource };
    const waste = new Uint8Array(SKIP_BYTES);
    for (let left = this.saved.offset; left > 0; ) {
      const read = await source.read(waste.subarray(0, Math.min(left, SKIP_BYTES)));
      if (read === 0) break;
      left -= read;
    }
    return { input, source, iterator };
  }
}

export function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
