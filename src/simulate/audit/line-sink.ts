import { closeSync, openSync, writeSync } from 'node:fs';

/** Text is gathered to this many characters before it becomes bytes: more would fall out of the processor's cache. */
const TEXT = 1 << 16;
/** Bytes are gathered to this many before they go to the file. */
const BYTES = 1 << 20;

/**
 * Writes lines to a file with constant memory. Synchronous on purpose: the generator is faster than most disks, and
 * blocking is the simplest back-pressure there is. Lines must be ASCII.
 */
export class LineSink {
  private readonly descriptor: number;
  private readonly buffer = Buffer.allocUnsafe(BYTES);
  private used = 0;
  private text = '';
  bytes = 0;

  constructor(readonly path: string) {
    this.descriptor = openSync(path, 'w');
  }

  write(line: string): void {
    this.text += line;
    if (this.text.length >= TEXT) this.encode();
  }

  close(): void {
    this.encode();
    this.flush();
    closeSync(this.descriptor);
  }

  private encode(): void {
    // In pieces, because nothing promises that a single line is shorter than the buffer.
    for (let start = 0; start < this.text.length; ) {
      if (this.used === BYTES) this.flush();
      const end = Math.min(this.text.length, start + BYTES - this.used);
      const piece = start === 0 && end === this.text.length ? this.text : this.text.slice(start, end);
      this.used += this.buffer.write(piece, this.used, 'latin1');
      start = end;
    }
    this.text = '';
  }

  private flush(): void {
    for (let written = 0; written < this.used; ) {
      written += writeSync(this.descriptor, this.buffer, written, this.used - written);
    }
    this.bytes += this.used;
    this.used = 0;
  }
}
