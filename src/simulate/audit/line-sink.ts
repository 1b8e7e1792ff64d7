import { closeSync, openSync, writeSync } from 'node:fs';

/** Characters collected before they are encoded; more would not fit into the processor's cache. */
const TEXT_LIMIT = 1 << 16;
/** Bytes collected before they are written to the file. */
const BUFFER_BYTES = 1 << 20;

/**
 * Writes ASCII lines to a file in constant memory. Writes are synchronous, because the simulator is faster than most disks
 * and blocking is the simplest back-pressure.
 */
export class LineSink {
  private readonly descriptor: number;
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private used = 0;
  private text = '';
  bytes = 0;

  constructor(readonly path: string) {
    this.descriptor = openSync(path, 'w');
  }

  write(line: string): void {
    this.text += line;
    if (this.text.length >= TEXT_LIMIT) this.encode();
  }

  close(): void {
    this.encode();
    this.flush();
    closeSync(this.descriptor);
  }

  private encode(): void {
    // In pieces, because a line may be longer than the buffer.
    for (let start = 0; start < this.text.length; ) {
      if (this.used === BUFFER_BYTES) this.flush();
      const end = Math.min(this.text.length, start + BUFFER_BYTES - this.used);
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
