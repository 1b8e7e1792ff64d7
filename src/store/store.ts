import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT, RecalError } from '../base/errors.js';
import { makeFolder, removeFolders } from '../base/files/make-folder.js';
import { syncFolder } from '../base/files/replace-file.js';
import { globMatcher } from '../base/glob-match.js';
import { printable } from '../base/printable.js';
import type { OpenSegments } from './duckdb.js';
import {
  CONTENT_FOLDERS,
  hasJournal,
  Journal,
  refuseUnowned,
  removeRemains,
  STAGING,
} from './integrity/journal.js';
import { checkSegment, damagedSegment } from './integrity/verify-segments.js';
import {
  BACKUP,
  emptyManifest,
  type Manifest,
  readManifest,
  replaceManifest,
  restoreBackup,
  type Segment,
} from './manifest.js';
import { partsOf, type SegmentPart, segmentsOf } from './segments/segment-parts.js';
import { lockStore, type StoreLock } from './store-lock.js';

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
  /** Segments whose content was compared with the manifest in this run. */
  readonly #verified = new Set<string>();

  private constructor(folder: string, manifest: Manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  static async open(folder: string): Promise<Store> {
    const manifest = await readManifest(folder);
    if (manifest !== undefined) return new Store(folder, manifest);
    throw await noStore(folder);
  }

  get splits(): string[] {
    const names = this.manifest.ingests.flatMap(({ split }) => (split === null ? [] : [split]));
    return [...new Set(names)].sort();
  }

  /** The parts of segments that may contain selected rows, one for each host of a segment. */
  segments(kind: Segment['kind'], selection: Selection = {}): SegmentPart[] {
    const ingests = this.#ingestsOf(selection.split);
    const matches = selection.host === undefined ? undefined : globMatcher(selection.host);
    // Entity records of one split also name entities in another.
    const segments = this.manifest.segments.filter(
      (segment) => segment.kind === kind && (kind === 'entities' || ingests.has(segment.ingest)),
    );
    return partsOf(segments).filter((part) => {
      if (matches !== undefined && !this.#namesOf(part.host).some(matches)) return false;
      if (kind === 'entities') return true;
      if (selection.to !== undefined && BigInt(part.firstTs ?? 0) >= selection.to) return false;
      return selection.from === undefined || BigInt(part.lastTs ?? 0) >= selection.from;
    });
  }

  /** The host's identifier and, if the logs contain it, its name. */
  #namesOf(host: string): string[] {
    const { hostNames } = this.manifest;
    return Object.hasOwn(hostNames, host) ? [host, hostNames[host]] : [host];
  }

  path({ path }: Pick<Segment, 'path'>): string {
    return join(this.folder, path);
  }

  /**
   * The paths of segments, whose content is compared with the manifest when they are first opened, and the hosts to read.
   * Throws on damage.
   */
  async openSegments(parts: readonly SegmentPart[]): Promise<OpenSegments> {
    const { segments, hosts } = segmentsOf(parts);
    for (const segment of segments) {
      if (this.#verified.has(segment.path)) continue;
      const damage = await checkSegment(this.folder, segment);
      if (damage !== undefined) throw damagedSegment(damage, this.folder);
      this.#verified.add(segment.path);
    }
    return { paths: segments.map((segment) => this.path(segment)), hosts };
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
 * the store at once when the manifest is replaced. Opening a writer removes the remains of interrupted writers, as far
 * as their journal names them.
 */
export class StoreWriter {
  readonly folder: string;
  manifest: Manifest;
  readonly #lock: StoreLock;
  readonly #journal: Journal;
  /** Folders that this writer created, outermost first. */
  readonly #made: readonly string[];
  /** A commit failed, and may have moved segments that no manifest names. */
  #hasRemains = false;

  private constructor(
    folder: string,
    manifest: Manifest,
    lock: StoreLock,
    journal: Journal,
    made: readonly string[],
  ) {
    this.folder = folder;
    this.manifest = manifest;
    this.#lock = lock;
    this.#journal = journal;
    this.#made = made;
  }

  static async open(folder: string, { create = true } = {}): Promise<StoreWriter> {
    const existing = await readManifest(folder); // throws before anything is changed
    if (existing === undefined && !create) throw await noStore(folder);
    if (existing === undefined) await refuseForeignFolder(folder);
    const made = await makeFolder(folder);
    const lock = await lockStore(folder);
    try {
      const manifest = (await readManifest(folder)) ?? emptyManifest();
      await removeRemains(folder, manifest);
      await refuseUnowned(folder, manifest);
      await restoreBackup(folder);
      return new StoreWriter(folder, manifest, lock, await Journal.begin(folder), made);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Where new segments are prepared: inside the store, so that a rename moves them on the same file system. */
  get stagingFolder(): string {
    return join(this.folder, STAGING);
  }

  /**
   * Moves staged segments into the store and replaces the manifest. Then removes the files that it no longer lists, unless
   * readers may still need them.
   */
  async commit(
    manifest: Manifest,
    staged: string,
    added: readonly Segment[],
    { keepOld = false } = {},
  ): Promise<void> {
    const folders = new Set<string>();
    const { state } = manifest;
    const isNewState = state !== null && state.path !== this.manifest.state?.path;
    const paths = [...added.map((segment) => segment.path), ...(isNewState ? [state.path] : [])];
    const kept = new Set(filesOf(manifest));
    this.#hasRemains = true;
    await this.#journal.add([...paths, ...filesOf(this.manifest).filter((path) => !kept.has(path))]);
    for (const path of paths) {
      const target = join(this.folder, path);
      await mkdir(dirname(target), { recursive: true });
      await syncFile(join(staged, path));
      await rename(join(staged, path), target);
      folders.add(dirname(target));
    }
    for (const folder of folders) await syncFolder(folder);
    await replaceManifest(this.folder, manifest);
    this.#hasRemains = false;
    this.manifest = manifest;
    if (!keepOld) await this.removeOld();
  }

  /** Removes the files of earlier commits that the manifest no longer lists. */
  async removeOld(): Promise<void> {
    await this.#journal.removeUnlisted(this.manifest);
  }

  /** Removes the segments that `keep` rejects. Their files are deleted after the manifest no longer lists them. */
  async drop(keep: (segment: Segment) => boolean): Promise<Segment[]> {
    const dropped = this.manifest.segments.filter((segment) => !keep(segment));
    if (dropped.length === 0) return [];
    await this.commit(
      { ...this.manifest, segments: this.manifest.segments.filter(keep) },
      this.stagingFolder,
      [],
    );
    return dropped;
  }

  async close(): Promise<void> {
    try {
      if (this.#hasRemains) await this.#removeRemains();
      else await this.#journal.end();
    } finally {
      await this.#lock.release();
      await removeFolders(this.#made); // those that stayed empty
    }
  }

  /** After a failed commit, such as on a full disk: the manifest on disk decides which of its files stay. */
  async #removeRemains(): Promise<void> {
    // If the manifest cannot be read now, the journal stays, and the next writer does this.
    const manifest = await readManifest(this.folder).catch(() => null);
    if (manifest === null) return;
    await removeRemains(this.folder, manifest ?? emptyManifest());
    await restoreBackup(this.folder).catch(() => undefined); // needs space; the next writer does it otherwise
  }
}

async function noStore(folder: string): Promise<RecalError> {
  if (await hasParts(folder)) return noManifest(folder);
  return new RecalError('no-store', `there is no store in ${printable(folder)}`, {
    hint: 'create one with: recal ingest FILE… --store DIR',
  });
}

/** Files of a store, without its manifest. */
function filesOf({ segments, state }: Manifest): string[] {
  return [...segments.map(({ path }) => path), ...(state === null ? [] : [state.path])];
}

const PARTS: readonly string[] = [STAGING, BACKUP, ...CONTENT_FOLDERS];

/** Whether a folder without a manifest has other parts of a store. */
async function hasParts(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.some((name) => PARTS.includes(name)) && !(await hasJournal(folder));
}

async function refuseForeignFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
  const foreign = names.find(
    (name) => !PARTS.includes(name) && name !== 'manifest.json.new' && !name.startsWith('writer.'),
  );
  if (foreign !== undefined) {
    throw new RecalError(
      'not-a-store',
      `${printable(folder)} is not a store and contains other files, such as ${printable(foreign)}`,
      { hint: 'set --store to a new or empty folder' },
    );
  }
  // Only the journal of an interrupted writer tells its files from those of others.
  if (await hasParts(folder)) throw noManifest(folder);
}

function noManifest(folder: string): RecalError {
  return new RecalError('manifest-missing', `${printable(folder)} has parts of a store but no manifest`, {
    hint: 'if it was a store, rebuild the manifest with: recal repair --store DIR; otherwise set --store to a new or empty folder',
    where: { file: folder },
  });
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
