import { type FileHandle, open } from 'node:fs/promises';
import { RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { Notification } from './notification.js';
import type { Shape } from './shape.js';
import { DeliveryError, type Sink } from './sink.js';

const NEWLINE = 0x0a;
/** How much of the end of a file is searched for a line before it is written again. */
const LOOK_BACK = 1 << 20;

/** Appends one line per notification to a file. A notification counts as delivered when it is on the disk. */
export class FileSink implements Sink {
  readonly name: string;
  readonly #shape: Shape;
  readonly #file: FileHandle;
  /** Lines that the file ended with when it was opened: the sender may have died before it noted them as sent. */
  readonly #written: ReadonlySet<string>;
  #length: number;

  private constructor(
    name: string,
    shape: Shape,
    file: FileHandle,
    length: number,
    written: ReadonlySet<string>,
  ) {
    this.name = name;
    this.#written = written;
    this.#shape = shape;
    this.#file = file;
    this.#length = length;
  }

  static async open(path: string, shape: Shape): Promise<FileSink> {
    try {
      const file = await open(path, 'a+');
      const length = await endOfLastLine(file);
      await file.truncate(length); // the rest of a line that an interrupted run began
      return new FileSink(`${shape.name}:${path}`, shape, file, length, await lastLines(file, length));
    } catch (cause) {
      throw new RecalError('sink-unusable', `cannot write to ${printable(path)}`, {
        hint: 'choose a file in a folder that exists and that you may write to',
        where: { file: path },
        cause,
      });
    }
  }

  async send(notification: Notification): Promise<void> {
    const message = this.#shape.message(notification);
    if (this.#written.has(message)) return;
    const line = Buffer.from(`${message}\n`);
    try {
      await this.#file.appendFile(line);
      await this.#file.datasync();
      this.#length += line.length;
    } catch (cause) {
      await this.#file.truncate(this.#length).catch(() => undefined); // no half line stays behind
      throw new DeliveryError('the file cannot be written', { transient: true, cause });
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** The length of the file up to its last newline. */
async function endOfLastLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const block = Buffer.alloc(1 << 16);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - block.length);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    const newline = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

/** The whole lines in the last bytes of the file. */
async function lastLines(file: FileHandle, length: number): Promise<ReadonlySet<string>> {
  const from = Math.max(0, length - LOOK_BACK);
  const buffer = Buffer.alloc(length - from);
  await file.read(buffer, 0, buffer.length, from);
  const lines = buffer
    .toString('utf8')
    .split('\n')
    .slice(from === 0 ? 0 : 1, -1);
  return new Set(lines);
}
