import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT, RecalError } from '../base/errors.js';
import { globMatcher } from '../base/glob-match.js';
import { makeFolder } from '../base/make-folder.js';
import { printable } from '../base/printable.js';
import { syncFolder } from '../base/replace-file.js';
import { emptyManifest, type Manifest, readManifest, replaceManifest, type Segment } from './manifest.js';
import { lockStore, type StoreLock } from './store-lock.js';

const STAGING = 'staging';

/** Selects events of a store. An event must match every field that is set. */
export interface Selection {
  /** Name of a split, as given to `recal ingest --as`. */
  split?: string | undefined;
  /** Glob for host identifiers and host names. */
  host?: string | undefined;
  /** Nanoseconds, inclusive. */
  from?: bigint | undefined;
  /** Nanoseconds, exclusive. */
  to?: bigint | undefined;
}

/** An open store. It keeps the manifest that it was opened with, so later writes do not change what it reads. */
export class Store {
  readonly folder: string;
  readonly manifest: Manifest;

  private constructor(folder: string, manifest: Manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  static async open(folder: string): Promise<Store> {
    const manifest = await readManifest(folder);
    if (manifest !== undefined) return new Store(folder, manifest);
    throw noStore(folder);
  }

  get splits(): string[] {
    const names = this.manifest.ingests.flatMap(({ split }) => (split === null ? [] : [split]));
    return [...new Set(names)].sort();
  }

  /** The segments that may contain selected rows. */
  segments(kind: Segment['kind'], selection: Selection = {}): Segment[] {
    const ingests = this.#ingestsOf(selection.split);
    const matches = selection.host === undefined ? undefined : globMatcher(selection.host);
    return this.manifest.segments.filter((segment) => {
      if (segment.kind !== kind) return false;
      // Entity records of one split also name entities in another.
      if (kind === 'events' && !ingests.has(segment.ingest)) return false;
      if (matches !== undefined && !this.#namesOf(segment.host).some(matches)) return false;
      if (kind === 'entities') return true;
      if (selection.to !== undefined && BigInt(segment.firstTs ?? 0) >= selection.to) return false;
      return selection.from === undefined || BigInt(segment.lastTs ?? 0) >= selection.from;
    });
  }

  /** The host's identifier and, if the logs contain it, its name. */
  #namesOf(host: string): string[] {
    const { hostNames } = this.manifest;
    return Object.hasOwn(hostNames, host) ? [host, hostNames[host]] : [host];
  }

  path(segment: Segment): string {
    return join(this.folder, segment.path);
  }

  #ingestsOf(split: string | undefined): Set<number> {
    const { ingests } = this.manifest;
    if (split === undefined) return new Set(ingests.map(({ number }) => number));
    const chosen = ingests.filter((ingest) => ingest.split === split);
    if (chosen.length > 0) return new Set(chosen.map(({ number }) => number));
    throw new RecalError('no-split', `the store has no split ${printable(split)}`, {
      hint:
        this.splits.length > 0
          ? `use one of: ${this.splits.join(', ')}`
          : 'leave out --split, or name a split with: recal ingest FILE… --store DIR --as NAME',
      exit: EXIT.usage,
    });
  }
}

/**
 * Changes a store, and holds its lock until closed. New segments are prepared in a staging folder and become part of
 * the store at once when the manifest is replaced. Opening a writer removes the remains of interrupted writers.
 */
export class StoreWriter {
  readonly folder: string;
  manifest: Manifest;
  readonly #lock: StoreLock;

  private constructor(folder: string, manifest: Manifest, lock: StoreLock) {
    this.folder = folder;
    this.manifest = manifest;
    this.#lock = lock;
  }

  static async open(folder: string, { create = true } = {}): Promise<StoreWriter> {
    const existing = await readManifest(folder); // throws before anything is changed
    if (existing === undefined && !create) throw noStore(folder);
    if (existing === undefined) await refuseForeignFolder(folder);
    await makeFolder(folder);
    const lock = await lockStore(folder);
    try {
      const writer = new StoreWriter(folder, (await readManifest(folder)) ?? emptyManifest(), lock);
      await writer.#removeUnlisted();
      return writer;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Where new segments are prepared: inside the store, so that a rename moves them on the same file system. */
  get stagingFolder(): string {
    return join(this.folder, STAGING);
  }

  /** Moves staged segments into the store and replaces the manifest. */
  async commit(manifest: Manifest, staged: string, added: readonly Segment[]): Promise<void> {
    const folders = new Set<string>();
    for (const segment of added) {
      const target = join(this.folder, segment.path);
      await mkdir(dirname(target), { recursive: true });
      await syncFile(join(staged, segment.path));
      await rename(join(staged, segment.path), target);
      folders.add(dirname(target));
    }
    for (const folder of folders) await syncFolder(folder);
    await replaceManifest(this.folder, manifest);
    this.manifest = manifest;
  }

  /** Removes the segments that `keep` rejects. Their files are deleted after the manifest no longer lists them. */
  async drop(keep: (segment: Segment) => boolean): Promise<Segment[]> {
    const dropped = this.manifest.segments.filter((segment) => !keep(segment));
    if (dropped.length === 0) return [];
    const manifest = { ...this.manifest, segments: this.manifest.segments.filter(keep) };
    await replaceManifest(this.folder, manifest);
    this.manifest = manifest;
    await this.#removeUnlisted();
    return dropped;
  }

  async close(): Promise<void> {
    await rm(this.stagingFolder, { recursive: true, force: true });
    await this.#lock.release();
  }

  /** Deletes files that the manifest does not list: remains of interrupted writers, and dropped segments. */
  async #removeUnlisted(): Promise<void> {
    await rm(this.stagingFolder, { recursive: true, force: true });
    await rm(join(this.folder, 'manifest.json.new'), { force: true });
    const listed = new Set(this.manifest.segments.map(({ path }) => path));
    for (const kind of ['events', 'entities']) await removeUnlistedSegments(this.folder, kind, listed);
  }
}

function noStore(folder: string): RecalError {
  return new RecalError('no-store', `there is no store in ${printable(folder)}`, {
    hint: 'create one with: recal ingest FILE… --store DIR',
  });
}

async function removeUnlistedSegments(
  store: string,
  below: string,
  listed: ReadonlySet<string>,
): Promise<void> {
  const entries = await readdir(join(store, below), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) await removeUnlistedSegments(store, path, listed);
    else if (entry.isFile() && path.endsWith('.parquet') && !listed.has(path)) await rm(join(store, path));
  }
}

async function refuseForeignFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
  const own = new Set([STAGING, 'events', 'entities', 'manifest.json.new']);
  const foreign = names.find((name) => !own.has(name) && !name.startsWith('writer.lock'));
  if (foreign === undefined) return;
  throw new RecalError(
    'not-a-store',
    `${printable(folder)} is not a store and contains other files, such as ${printable(foreign)}`,
    { hint: 'set --store to a new or empty folder' },
  );
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
