import type { Readable } from 'node:stream';
import { RecalError } from '../../base/errors.js';
import { type Bytes, peek } from './bytes.js';
import { contentKind, HEAD_BYTES } from './content-kind.js';
import { DEFAULT_MAX_RATIO, Decompressed } from './decompress.js';
import { emptyInputError, inputUseError, quoted } from './input-errors.js';
import { RawBytes } from './raw-bytes.js';
import type { ReadThread } from './read-thread.js';
import { TarReader } from './tar.js';

const HASH_BUFFER = 4 << 20;

export interface ByteSource {
  /** For people and positions: path, or `archive.tar.gz!member`, or `<stdin>`. */
  readonly name: string;
  /**
   * Fills `target` as far as it can (only short at the end), returns bytes written, 0 at the end. The target may
   * lie in shared memory; several MiB are best. One call at a time.
   */
  read(target: Uint8Array): Promise<number>;
  /** Bytes of the file on disk consumed so far (compressed bytes for .gz), for progress. */
  readonly consumed: number;
  /** Done with this source; what is left of an archive's member is skipped. Closing the input does this too. */
  close(): Promise<void>;
}

/** One input path; archives yield one source per regular member, others exactly one. Consumed in order. */
export interface InputFile {
  readonly path: string;
  /** Size on disk, undefined for standard input and pipes. */
  readonly size: number | undefined;
  readonly compression: 'none' | 'gzip' | 'zstd';
  readonly archive: boolean;
  /** Only once. A source is valid until the next one is asked for. */
  sources(): AsyncIterable<ByteSource>;
  /** SHA-256 (hex) of the bytes on disk, valid when all sources are read to the end; also after close(). */
  sha256(): Promise<string>;
  /** Pending reads reject with `input-closed`. */
  close(): Promise<void>;
}

export interface OpenOptions {
  stdin?: Readable;
  /** Decompressed bytes allowed per compressed byte, once more than 256 MiB came out. */
  maxRatio?: number;
  /** Reads and hashes in place of the calling thread; serves one input at a time, and is its owner's to close. */
  thread?: ReadThread | undefined;
}

interface Content {
  bytes: Bytes;
  /** The decompressor below `bytes`, if any. */
  layer?: Bytes;
  empty: boolean;
  compression: 'none' | 'gzip' | 'zstd';
  archive: boolean;
}

/** Opens a path, or standard input for `-`, and finds out from the content what it is. */
export async function openInput(path: string, options: OpenOptions = {}): Promise<InputFile> {
  const raw = await RawBytes.open(path, options.stdin, options.thread);
  const input = new Input(path, raw, options.maxRatio ?? DEFAULT_MAX_RATIO);
  try {
    await input.open();
    return input;
  } catch (error) {
    await input.close();
    throw error;
  }
}

/** SHA-256 (hex) of a file on disk, in bounded memory. */
export async function hashFile(path: string): Promise<string> {
  const raw = await RawBytes.open(path);
  try {
    const buffer = new Uint8Array(HASH_BUFFER);
    while ((await raw.read(buffer)) > 0);
    return raw.sha256();
  } finally {
    await raw.close();
  }
}

class Input implements InputFile {
  readonly path: string;
  readonly #raw: RawBytes;
  readonly #maxRatio: number;
  #content!: Content;
  /** What runs on top of the raw bytes, to be closed with them. */
  readonly #layers = new Set<Bytes>();
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
    this.#content = await this.#unwrap(this.#raw, this.#raw.name);
    if (!this.#content.empty) return;
    throw emptyInputError(this.#raw.name, this.compression === 'none' ? 'is empty' : 'unpacks to nothing');
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
    this.#layers.add(unpacked);
    const inner = await peek(unpacked, HEAD_BYTES);
    const innerKind = contentKind(inner.head, name);
    if (innerKind === 'gzip' || innerKind === 'zstd') {
      throw new RecalError('nested-compression', `${quoted(name)} is compressed twice`, {
        hint: `unpack it once: ${kind} -dc FILE | recal … -`,
        where: { file: name },
      });
    }
    const empty = inner.head.length === 0;
    return { bytes: inner.bytes, layer: unpacked, empty, compression: kind, archive: innerKind === 'tar' };
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
      // Folders of .json.gz files are often shipped as one tar.
      const content = await this.#unwrap(member, name);
      if (content.archive) {
        throw new RecalError('nested-archive', `${quoted(name)} is an archive in an archive`, {
          hint: 'unpack the outer one with tar -xf and name the inner ones',
          where: { file: name },
        });
      }
      empty &&= content.empty;
      const { bytes, layer } = content;
      const close = async () => {
        await bytes.close();
        if (layer !== undefined) this.#layers.delete(layer);
      };
      const source = this.#source(name, bytes, close);
      try {
        yield source;
      } finally {
        await source.close();
      }
    }
    if (empty) throw emptyInputError(this.#raw.name, 'holds no file with any content');
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
    return this.#raw.sha256();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#raw.close(); // first: layers wait for their pending read from here
    for (const layer of this.#layers) await layer.close();
    this.#layers.clear();
  }
}
