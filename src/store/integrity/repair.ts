import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RecalError } from '../../base/errors.js';
import { isFolder } from '../../base/files/make-folder.js';
import { printable } from '../../base/printable.js';
import { BACKUP, emptyManifest, type Manifest, readManifest, replaceManifest } from '../manifest.js';
import { readStates } from '../reader-states.js';
import { lockStore } from '../store-lock.js';
import { CONTENT_FOLDERS, removeRemains, STAGING, unlistedFiles } from './journal.js';
import { rebuildManifest } from './rebuild-manifest.js';
import { checkSegment, type SegmentDamage } from './verify-segments.js';

/** Where damaged and unknown files go. recal never reads or deletes them. */
const SET_ASIDE = 'set-aside';

export interface Repair {
  /** Where the manifest comes from: it was intact, its copy was, or it was rebuilt from the segments. */
  readonly manifest: 'intact' | 'copy' | 'rebuilt';
  /** Segments that are no longer part of the store. */
  readonly damaged: readonly SegmentDamage[];
  /** Files that were moved to `set-aside`: damaged segments, and files that no manifest and no journal names. */
  readonly moved: readonly string[];
  /** The states of readers were lost: the next piece of a log starts without them. */
  readonly lostStates: boolean;
  readonly segments: number;
  readonly events: number;
}

/** Makes a store readable again from what is intact, and moves the rest aside. Deletes nothing that it does not know. */
export async function repairStore(folder: string): Promise<Repair> {
  await refuseOtherFolders(folder);
  const lock = await lockStore(folder);
  try {
    return await new RepairRun(folder).run();
  } finally {
    await lock.release();
  }
}

class RepairRun {
  readonly #moved: string[] = [];

  constructor(private readonly folder: string) {}

  async run(): Promise<Repair> {
    const { folder } = this;
    const { manifest: found, origin } = await this.#findManifest();
    const damaged: SegmentDamage[] = [];
    for (const segment of found.segments) {
      const damage = await checkSegment(folder, segment);
      if (damage !== undefined) damaged.push(damage);
    }
    for (const { segment, reason } of damaged) if (reason !== 'missing') await this.#setAside(segment.path);
    const lost = new Set(damaged.map(({ segment }) => segment));
    const lostStates = await readStates(folder, found).then(
      () => false,
      () => true,
    );
    const manifest: Manifest = {
      ...found,
      segments: found.segments.filter((segment) => !lost.has(segment)),
      setAside: [...found.setAside, ...lost],
      state: lostStates ? null : found.state,
    };
    for (const path of await unlistedFiles(folder, manifest)) await this.#setAside(path);
    await replaceManifest(folder, manifest);
    const events = manifest.segments.filter(({ kind }) => kind === 'events');
    return {
      manifest: origin,
      damaged,
      moved: this.#moved,
      lostStates,
      segments: manifest.segments.length,
      events: events.reduce((sum, { rows }) => sum + rows, 0),
    };
  }

  async #findManifest(): Promise<{ manifest: Manifest; origin: Repair['manifest'] }> {
    const { folder } = this;
    const intact = await tryManifest(folder);
    if (intact !== undefined) await removeRemains(folder, intact).catch(() => undefined);
    // The journal and the staging folder of an intact writer are gone now; what is left has no owner.
    for (const name of ['writer.journal', STAGING]) {
      if ((await lstat(join(folder, name)).catch(() => undefined)) !== undefined) await this.#setAside(name);
    }
    if (intact !== undefined) return { manifest: intact, origin: 'intact' };
    const copy = await tryManifest(folder, BACKUP);
    if (copy === undefined) {
      const paths = await unlistedFiles(folder, emptyManifest());
      const { manifest, rejected } = await rebuildManifest(folder, paths);
      if (manifest.segments.length === 0) throw nothingIntact(folder, rejected.length);
      for (const name of ['manifest.json', BACKUP]) await this.#setAsideIfThere(name);
      return { manifest, origin: 'rebuilt' };
    }
    await this.#setAsideIfThere('manifest.json');
    return { manifest: copy, origin: 'copy' };
  }

  async #setAsideIfThere(path: string): Promise<void> {
    if ((await lstat(join(this.folder, path)).catch(() => undefined)) !== undefined)
      await this.#setAside(path);
  }

  /** Moves a file below `set-aside`, and never over another one. */
  async #setAside(path: string): Promise<void> {
    const target = await this.#freePath(path);
    await mkdir(dirname(join(this.folder, target)), { recursive: true });
    await rename(join(this.folder, path), join(this.folder, target));
    this.#moved.push(target);
  }

  async #freePath(path: string): Promise<string> {
    for (let copy = 0; ; copy++) {
      const target = `${SET_ASIDE}/${path}${copy === 0 ? '' : `.${copy}`}`;
      if ((await lstat(join(this.folder, target)).catch(() => undefined)) === undefined) return target;
    }
  }
}

/** A manifest that cannot be read is no manifest. A store of another version is refused. */
async function tryManifest(folder: string, name?: string): Promise<Manifest | undefined> {
  try {
    return await readManifest(folder, name);
  } catch (error) {
    if (error instanceof RecalError && error.code === 'store-damaged') return undefined;
    throw error;
  }
}

async function refuseOtherFolders(folder: string): Promise<void> {
  const parts = ['manifest.json', BACKUP, ...CONTENT_FOLDERS];
  const found = await Promise.all(parts.map((name) => lstat(join(folder, name)).catch(() => undefined)));
  const link = found.findIndex((stats) => stats?.isSymbolicLink());
  if (link >= 0) {
    throw new RecalError('store-unowned', `${parts[link]} is a link; recal does not write through links`, {
      hint: 'replace the link with what it points to, or repair that store where it is',
      where: { file: join(folder, parts[link]) },
    });
  }
  if (found.some((stats) => stats !== undefined) && (await isFolder(folder))) return;
  throw new RecalError('no-store', `there is no store in ${printable(folder)}`, {
    hint: 'create one with: recal ingest FILE… --store DIR',
  });
}

function nothingIntact(folder: string, rejected: number): RecalError {
  return new RecalError('store-damaged', `no segment in ${printable(folder)} is intact`, {
    hint: 'restore the store from a backup, or ingest the logs into a new folder with: recal ingest FILE… --store DIR',
    where: { file: folder },
    ...(rejected > 0 ? { cause: new Error(`${rejected} files are not segments or cannot be read`) } : {}),
  });
}
