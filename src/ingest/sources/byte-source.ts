import type { Readable } from 'node:stream';
import { RecalError } from '../../base/errors.js';
import { type Bytes, peek } from './bytes.js';
import { ContentHash, type Fingerprint } from './content-hash.js';
import { contentKind, HEAD_BYTES } from './content-kind.js';
import { DEFAULT_MAX_RATIO, Decompressed } from './decompress.js';
import { emptyInputError, inputUseError, quoted } from './input-errors.js';
import { RawBytes } from './raw-bytes.js';
import type { ReadThread } from './read-thread.js';
import { TarReader } from './tar.js';

const HASH_BUFFER = 4 << 20;

export interface ByteSource {
  /** The path, `archive.tar.gz!member` or `<stdin>`. */
  readonly name: string;
  /**
   * Fills `target` and returns the number of bytes, which is smaller than the target only at the end. The target may be
   * in shared memory, and several MiB are fastest. Only one call at a time.
   */
  read(target: Uint8Array): Promise<number>;
  /** The number of bytes of the file read so far (compressed bytes for .gz), for progress. */
  readonly consumed: number;
  /** Closes this source and skips the rest of an archive's member. Closing the input closes its sources. */
  close(): Promise<void>;
}

/** An open input. An archive has one source per regular file in it, any other input has exactly one. */
export interface InputFile {
  readonly path: string;
  /** The size on disk, or undefined for standard input and pipes. */
  readonly size: number | undefined;
  readonly compression: 'none' | 'gzip' | 'zstd';
  readonly archive: boolean;
  /** Returns the sources in order. May be called once. A source is valid until the next one is requested. */
  sources(): AsyncIterable<ByteSource>;
  /** Returns the SHA-256 (hex) of the bytes on disk, once all sources are read to the end. */
  sha256(): Promise<string>;
  /** Returns the fingerprint of the decompressed bytes, once they are all read; undefined for an archive. */
  content(): Fingerprint | undefined;
  /** Closes the input. Pending reads reject with `input-closed`. */
  close(): Promise<void>;
}

export interface OpenOptions {
  stdin?: Readable;
  /** The largest allowed ratio of decompressed to compressed bytes. Applies beyond 256 MiB of output. */
  maxRatio?: number;
  /** A thread that reads and hashes instead of the caller's. It serves one input at a time. The caller closes it. */
  thread?: ReadThread | undefined;
  /** Ends reads that wait for input, such as an idle pipe. */
  signal?: AbortSignal | undefined;
}

interface Content {
  bytes: Bytes;
  /** The decompressor, if any. */
  decompressor?: Bytes;
  empty: boolean;
  compression: 'none' | 'gzip' | 'zstd';
  archive: boolean;
}

/** Opens a path, or standard input for `-`, and detects compression and archives from the content. */
export async function openInput(path: string, options: OpenOptions = {}): Promise<InputFile> {
  const raw = await RawBytes.open(path, options);
  const input = new Input(path, raw, options.maxRatio ?? DEFAULT_MAX_RATIO);
  try {
    await input.open();
    return input;
  } catch (error) {
    await input.close();
    throw error;
  }
}

/** Returns the SHA-256 (hex) of a file on disk. */
export async function hashFile(path: string, signal?: AbortSignal | undefined): Promise<string> {
  const raw = await RawBytes.open(path, { signal });
  try {
    const buffer = new Uint8Array(HASH_BUFFER);
    while ((await raw.read(buffer)) > 0);
    return raw.fingerprint().sha256;
  } finally {
    await raw.close();
  }
}

class Input implements InputFile {
  readonly path: string;
  readonly #raw: RawBytes;
  readonly #maxRatio: number;
  #content!: Content;
  /** The open decompressors. */
  readonly #decompressors = new Set<Bytes>();
  /** The decompressed bytes, if the input is compressed and no archive. */
  #hashed: HashedBytes | undefined;
  #taken = false;
  #closed = false;

  constructor(path: string, raw: RawBytes, maxRatio: number) {
    this.path = path;
    this.#raw = raw;
    this.#maxRatio = maxRatio;
  }

  get size() {
    return this.#raw.size;
  }

  get compression() {
    return this.#content.compression;
  }

  get archive() {
    return this.#content.archive;
  }

  async open(): Promise<void> {
    const content = await this.#unwrap(this.#raw, this.#raw.name);
    if (content.compression !== 'none' && !content.archive) this.#hashed = new HashedBytes(content.bytes);
    this.#content = { ...content, bytes: this.#hashed ?? content.bytes };
    if (!this.#content.empty) return;
    throw emptyInputError(
      this.#raw.name,
      this.compression === 'none' ? 'is empty' : 'is empty after decompression',
    );
  }

  async #unwrap(bytes: Bytes, name: string): Promise<Content> {
    const outer = await peek(bytes, HEAD_BYTES);
    const kind = contentKind(outer.head, name);
    if (kind === 'plain' || kind === 'tar') {
      return {
        bytes: outer.bytes,
        empty: outer.head.length === 0,
        compression: 'none',
        archive: kind === 'tar',
      };
    }
    const unpacked = new Decompressed(outer.bytes, kind, name, this.#maxRatio);
    this.#decompressors.add(unpacked);
    const inner = await peek(unpacked, HEAD_BYTES);
    const innerKind = contentKind(inner.head, name);
    if (innerKind === 'gzip' || innerKind === 'zstd') {
      throw new RecalError('nested-compression', `${quoted(name)} is compressed twice`, {
        hint: `decompress it once: ${kind} -dc FILE | recal ingest -`,
        where: { file: name },
      });
    }
    const empty = inner.head.length === 0;
    return {
      bytes: inner.bytes,
      decompressor: unpacked,
      empty,
      compression: kind,
      archive: innerKind === 'tar',
    };
  }

  sources(): AsyncIterable<ByteSource> {
    if (this.#taken) throw inputUseError('input-consumed', this.#raw.name);
    this.#taken = true;
    return this.archive ? this.#members() : this.#single();
  }

  async *#single(): AsyncGenerator<ByteSource> {
    yield this.#source(this.#raw.name, this.#content.bytes, () => this.close());
  }

  async *#members(): AsyncGenerator<ByteSource> {
    const tar = new TarReader(this.#content.bytes, this.#raw.name);
    let empty = true;
    for (let member = await tar.next(); member !== undefined; member = await tar.next()) {
      const name = `${this.#raw.name}!${member.name}`;
      // Members may be compressed too.
      const content = await this.#unwrap(member, name);
      if (content.archive) {
        throw new RecalError('nested-archive', `${quoted(name)} is an archive inside an archive`, {
          hint: 'unpack the outer archive with tar -xf and pass the inner ones',
          where: { file: name },
        });
      }
      empty &&= content.empty;
      const { bytes, decompressor } = content;
      const close = async () => {
        await bytes.close();
        if (decompressor !== undefined) this.#decompressors.delete(decompressor);
      };
      const source = this.#source(name, bytes, close);
      try {
        yield source;
      } finally {
        await source.close();
      }
    }
    if (empty) throw emptyInputError(this.#raw.name, 'contains no files, or only empty ones');
  }

  #source(name: string, bytes: Bytes, close: () => Promise<void>): ByteSource {
    const raw = this.#raw;
    let ended = false;
    return {
      name,
      read: async (target) => {
        if (ended || this.#closed) throw inputUseError('input-closed', name);
        return bytes.read(target);
      },
      get consumed() {
        return raw.consumed;
      },
      close: async () => {
        ended = true;
        await close();
      },
    };
  }

  async sha256(): Promise<string> {
    return this.#raw.fingerprint().sha256;
  }

  content(): Fingerprint | undefined {
    if (this.archive) return undefined;
    return this.#hashed === undefined ? this.#raw.fingerprint() : this.#hashed.fingerprint();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#raw.close(); // first, because decompressors wait for their pending read
    for (const decompressor of this.#decompressors) await decompressor.close();
    this.#decompressors.clear();
  }
}

/** Bytes that are hashed while they are read. */
class HashedBytes implements Bytes {
  readonly #bytes: Bytes;
  readonly #hash = new ContentHash();
  #fingerprint: Fingerprint | undefined;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  async read(target: Uint8Array): Promise<number> {
    const length = await this.#bytes.read(target);
    this.#hash.update(target.subarray(0, length));
    if (length < target.length) this.#fingerprint ??= this.#hash.finish();
    return length;
  }

  fingerprint(): Fingerprint | undefined {
    return this.#fingerprint;
  }

  close(): Promise<void> {
    return this.#bytes.close();
  }
}
