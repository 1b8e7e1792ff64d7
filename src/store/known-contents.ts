import { stat } from 'node:fs/promises';
import { RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import type { ReadBefore } from '../ingest/read.js';
import { openInput } from '../ingest/sources/byte-source.js';
import { ContentHash, FIRST_CHECKPOINT, type Fingerprint } from '../ingest/sources/content-hash.js';
import type { FileEntry, Manifest } from './manifest.js';

const BUFFER_BYTES = 1 << 20;
/** Files of one format may begin alike, within the first records. */
const LEAST_OVERLAP = 1 << 12;

/** A stored file whose beginning can be recognised in another. */
type StoredFile = FileEntry & { readonly content: NonNullable<FileEntry['content']> };

/** What the store has of a file. */
export interface KnownPart {
  /** The stored file with the same beginning. */
  readonly file: FileEntry;
  readonly before: ReadBefore;
  /** True if the file has no complete line beyond it. */
  readonly whole: boolean;
}

/**
 * Recognises logs that the store has already, whole or up to some line: after they have grown, moved, been rotated or
 * compressed. Only content counts, not names: the decompressed bytes of a stored file must be the first bytes of the new
 * one.
 */
export class KnownContents {
  /** Stored files by the hash of their first bytes. */
  readonly #byHead = new Map<string, StoredFile[]>();
  /** Stored files that are too short for a checkpoint. */
  readonly #short: StoredFile[] = [];
  readonly #found = new Map<string, KnownPart | undefined>();

  constructor(manifest: Manifest) {
    for (const { files } of manifest.ingests) for (const file of files) this.#store(file);
  }

  /** Adds a file of the running ingest. */
  add(file: FileEntry): void {
    this.#store(file);
    this.#found.clear();
  }

  /** Finds what the store has of a file. Throws if a part of it is stored, but not as its beginning. */
  async find(path: string): Promise<KnownPart | undefined> {
    if ((this.#byHead.size === 0 && this.#short.length === 0) || !(await isRegular(path))) return undefined;
    if (!this.#found.has(path)) this.#found.set(path, await this.#search(path));
    return this.#found.get(path);
  }

  #store(file: FileEntry): void {
    if (file.content === null || file.content.bytes === 0) return;
    const [head] = file.content.checkpoints;
    if (head === undefined) this.#short.push(file as StoredFile);
    else this.#byHead.set(head, [...(this.#byHead.get(head) ?? []), file as StoredFile]);
  }

  async #search(path: string): Promise<KnownPart | undefined> {
    const head = await fingerprint(path, this.#short, FIRST_CHECKPOINT);
    if (head === undefined) return undefined;
    const short = this.#short.filter(({ content }) => head.at.get(content.bytes) === content.sha256);
    const alike = [...short, ...(this.#byHead.get(head.checkpoints[0]) ?? [])];
    if (alike.length === 0) return undefined;
    const print = await fingerprint(path, alike);
    if (print === undefined) return undefined;
    const beginnings = alike.filter(({ content }) => print.at.get(content.bytes) === content.sha256);
    if (beginnings.length === 0) {
      for (const file of alike) refuseOverlap(path, print, file);
      return undefined;
    }
    const longest = beginnings.reduce((a, b) => (b.content.bytes > a.content.bytes ? b : a));
    const { bytes, lines } = longest.content;
    return { file: longest, before: { bytes, lines }, whole: print.lines.bytes <= bytes };
  }
}

/** Refuses a file of which half or more, and at least 4 KiB, is stored, but that is no continuation: its events would be stored twice. */
function refuseOverlap(path: string, print: Fingerprint, { name, content }: StoredFile): void {
  const common = content.checkpoints.filter((hash, at) => print.checkpoints[at] === hash).length;
  const shared = common === 0 ? 0 : FIRST_CHECKPOINT * 2 ** (common - 1);
  if (shared < LEAST_OVERLAP || shared * 2 < Math.min(print.bytes, content.bytes)) return;
  const shorter = print.bytes < content.bytes;
  throw new RecalError(
    'already-ingested',
    shorter
      ? `the store already contains a longer copy of ${printable(path)}, from ${printable(name)}`
      : `${printable(path)} begins like ${printable(name)} in the store, but has different lines later`,
    {
      hint: shorter
        ? 'leave it out; to ingest it anyway, use a new folder with: recal ingest FILE… --store DIR'
        : 'ingest only the new lines, or use a new folder with: recal ingest FILE… --store DIR',
      where: { file: path },
    },
  );
}

/** The fingerprint of the decompressed bytes of a file, up to `limit`; undefined for an archive or an empty file. */
async function fingerprint(
  path: string,
  stored: readonly StoredFile[],
  limit = Number.POSITIVE_INFINITY,
): Promise<Fingerprint | undefined> {
  const hash = new ContentHash(stored.map(({ content }) => content.bytes));
  const input = await openInput(path);
  try {
    if (input.archive) return undefined;
    const buffer = new Uint8Array(Math.min(limit, BUFFER_BYTES));
    for await (const source of input.sources()) {
      for (let read = 0; read < limit; ) {
        const length = await source.read(buffer);
        hash.update(buffer.subarray(0, length));
        read += length;
        if (length < buffer.length) break;
      }
    }
    return hash.finish();
  } finally {
    await input.close();
  }
}

async function isRegular(path: string): Promise<boolean> {
  return path !== '-' && (await stat(path)).isFile();
}
