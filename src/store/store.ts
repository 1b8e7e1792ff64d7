import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RecalError } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import { printable } from '../base/printable.js';
import {
  emptyManifest,
  type Manifest,
  readManifest,
  replaceManifest,
  type Segment,
  syncFolder,
} from './manifest.js';
import { lockStore, type StoreLock } from './store-lock.js';

const STAGING = 'staging';

/** Which events of a store are meant. Everything is optional; all given must hold. */
export interface Selection {
  /** Named split, as given to `recal ingest --as`. */
  split?: string | undefined;
  /** Glob over host identifiers and host names. */
  host?: string | undefined;
  /** Nanoseconds, inclusive. */
  from?: bigint | undefined;
  /** Nanoseconds, exclusive. */
  to?: bigint | undefined;
}

/** A store as one of its manifests describes it: what a reader sees does not change under its hands. */
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

  /** The segments that may hold what is selected. */
  segments(kind: Segment['kind'], selection: Selection = {}): Segment[] {
    const ingests = this.#ingestsOf(selection.split);
    const matches = selection.host === undefined ? undefined : globMatcher(selection.host);
    return this.manifest.segments.filter((segment) => {
      if (segment.kind !== kind) return false;
      // What a log says of an entity in one split also helps to name it in another.
      if (kind === 'events' && !ingests.has(segment.ingest)) return false;
      if (matches !== undefined && !this.#namesOf(segment.host).some(matches)) return false;
      if (kind === 'entities') return true;
      if (selection.to !== undefined && BigInt(segment.firstTs ?? 0) >= selection.to) return false;
      return selection.from === undefined || BigInt(segment.lastTs ?? 0) >= selection.from;
    });
  }

  /** A host's identifier and, where the logs tell, its name. */
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
    throw new RecalError('no-split', `the store has no split called ${printable(split)}`, {
      hint:
        this.splits.length > 0
          ? `splits: ${this.splits.join(', ')}`
          : 'name one with: recal ingest … --as NAME',
      exit: 2,
    });
  }
}

/**
 * The right to change a store. Changes are made in a staging folder and become part of the store all at once, when
 * the manifest is replaced; whatever an interrupted writer left behind is swept away by the next one.
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
    const known = await readManifest(folder); // refuses a file, and a store of another version, before touching it
    if (known === undefined && !create) throw noStore(folder);
    if (known === undefined) await refuseForeignFolder(folder);
    await makeFolder(folder);
    const lock = await lockStore(folder);
    try {
      const writer = new StoreWriter(folder, (await readManifest(folder)) ?? emptyManifest(), lock);
      await writer.#sweep();
      return writer;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Where to prepare new segments: the same file system as the store, so that a rename moves them in. */
  get stagingFolder(): string {
    return join(this.folder, STAGING);
  }

  /** Moves staged segments in and makes them part of the store together with everything else in the new manifest. */
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

  /** Takes segments out of the store; their files are deleted once the manifest no longer names them. */
  async drop(keep: (segment: Segment) => boolean): Promise<Segment[]> {
    const dropped = this.manifest.segments.filter((segment) => !keep(segment));
    if (dropped.length === 0) return [];
    const manifest = { ...this.manifest, segments: this.manifest.segments.filter(keep) };
    await replaceManifest(this.folder, manifest);
    this.manifest = manifest;
    await this.#sweep();
    return dropped;
  }

  async close(): Promise<void> {
    await rm(this.stagingFolder, { recursive: true, force: true });
    await this.#lock.release();
  }

  /** Removes what no manifest names: the leavings of interrupted writers, and dropped segments. */
  async #sweep(): Promise<void> {
    await rm(this.stagingFolder, { recursive: true, force: true });
    await rm(join(this.folder, 'manifest.json.new'), { force: true });
    const named = new Set(this.manifest.segments.map(({ path }) => path));
    for (const kind of ['events', 'entities']) await sweepFolder(this.folder, kind, named);
  }
}

function noStore(folder: string): RecalError {
  return new RecalError('no-store', `there is no store in ${printable(folder)}`, {
    hint: 'make one with: recal ingest FILE… --store DIR',
  });
}

async function sweepFolder(root: string, below: string, named: ReadonlySet<string>): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) await sweepFolder(root, path, named);
    else if (entry.isFile() && path.endsWith('.parquet') && !named.has(path)) await rm(join(root, path));
  }
}

async function refuseForeignFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
  const ours = new Set([STAGING, 'events', 'entities', 'manifest.json.new']);
  const foreign = names.find((name) => !ours.has(name) && !name.startsWith('writer.lock'));
  if (foreign === undefined) return;
  throw new RecalError(
    'not-a-store',
    `${printable(folder)} holds other files (${printable(foreign)}) and no store`,
    {
      hint: 'give --store a new or empty folder',
    },
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

/** Globs over host names: `*` and `?` only, matched without backtracking into exponential time. */
export function globMatcher(pattern: string): (text: string) => boolean {
  return (text) => {
    let [p, t, star, mark] = [0, 0, -1, 0];
    while (t < text.length) {
      if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t]) && pattern[p] !== '*') {
        p++;
        t++;
      } else if (pattern[p] === '*') {
        star = p++;
        mark = t;
      } else if (star >= 0) {
        p = star + 1;
        t = ++mark;
      } else return false;
    }
    while (pattern[p] === '*') p++;
    return p === pattern.length;
  };
}
