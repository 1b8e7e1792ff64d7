const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;

type Header = 'magic' | 'skippable-size' | 'descriptor' | 'block';

const HEADER_BYTES: Record<Header, number> = { magic: 4, 'skippable-size': 4, descriptor: 1, block: 3 };

/**
 * Finds the frame ends of a zstd stream (RFC 8878 §3.1) without decompressing it. Node's decompressor reports no error
 * for a truncated frame, and drops a second frame in the same chunk. Splitting its input at frame ends solves both.
 */
export class ZstdFrames {
  readonly #bytes = new Uint8Array(4);
  /** The current header, and the number of its bytes read so far. */
  #header: Header = 'magic';
  #have = 0;
  /** The number of bytes to skip before that header. */
  #skip = 0;
  #checksum = 0;

  /** True between frames, where the stream may end. */
  get complete(): boolean {
    return this.#header === 'magic' && this.#have === 0 && this.#skip === 0;
  }

  /** Splits a chunk at the ends of frames. Returns undefined if a frame or block header is invalid. */
  split(chunk: Uint8Array): Uint8Array[] | undefined {
    const pieces: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
      } else {
        this.#bytes[this.#have++] = chunk[at++];
        if (this.#have === HEADER_BYTES[this.#header] && !this.#parse()) return undefined;
      }
      if (this.complete) {
        pieces.push(chunk.subarray(from, at));
        from = at;
      }
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    return pieces;
  }

  #expect(header: Header, skip: number): true {
    this.#header = header;
    this.#have = 0;
    this.#skip = skip;
    return true;
  }

  #parse(): boolean {
    const [a, b, c, d] = this.#bytes;
    const word = (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
    switch (this.#header) {
      case 'magic':
        if (word === MAGIC) return this.#expect('descriptor', 0);
        return (word & 0xfffffff0) >>> 0 === SKIPPABLE && this.#expect('skippable-size', 0);
      case 'skippable-size':
        return this.#expect('magic', word);
      case 'descriptor': {
        const single = (a >> 5) & 1;
        this.#checksum = a & 4; // the flag is bit 2, and the checksum has 4 bytes
        const dictionary = [0, 1, 2, 4][a & 3];
        const size = [single, 2, 4, 8][a >> 6];
        return this.#expect('block', 1 - single + dictionary + size);
      }
      case 'block': {
        const header = a | (b << 8) | (c << 16);
        const type = (header >> 1) & 3;
        if (type === 3) return false;
        const size = type === 1 ? 1 : header >> 3; // a run-length block holds one byte
        return header & 1 ? this.#expect('magic', size + this.#checksum) : this.#expect('block', size);
      }
    }
  }
}
