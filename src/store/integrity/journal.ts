import { lstat, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError, RecalError } from '../../base/errors.js';
import { replaceFile, syncFolder } from '../../base/files/replace-file.js';
import { printable } from '../../base/printable.js';
import { BACKUP, type Manifest, readManifest } from '../manifest.js';

const JOURNAL = 'writer.journal';
export const STAGING = 'staging';
/** Folders of a store that hold files which the manifest names. */
export const CONTENT_FOLDERS = ['events', 'entities', 'state'] as const;

const journalSchema = z.strictObject({
  format: z.literal('recal-journal'),
  /** Files that the writer was adding to the store or removing from it, relative to the store's folder. */
  files: z.array(z.string().regex(/^(events|entities|state)(\/[A-Za-z0-9][\w.-]*)+\.(parquet|json)$/)),
});

/**
 * Names the files that a writer adds or removes, before it does so. What an interrupted writer left behind is removed
 * only if its journal names it: a store may share its folder with files that recal did not write.
 */
export class Journal {
  readonly #folder: string;
  readonly #files = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async begin(folder: string): Promise<Journal> {
    const journal = new Journal(folder);
    await journal.add([]);
    return journal;
  }

  /** Records files durably. */
  async add(files: readonly string[]): Promise<void> {
    for (const file of files) this.#files.add(file);
    const content = { format: 'recal-journal', files: [...this.#files] };
    await replaceFile(join(this.#folder, JOURNAL), `${JSON.stringify(journalSchema.parse(content))}\n`);
    await syncFolder(this.#folder);
  }

  /** Removes the recorded files that the manifest does not list. */
  async removeUnlisted(manifest: Manifest): Promise<void> {
    await removeUnlisted(this.#folder, [...this.#files], manifest);
    this.#files.clear(); // a writer that runs for weeks must not name every file it ever wrote
  }

  async end(): Promise<void> {
    await rm(join(this.#folder, STAGING), { recursive: true, force: true });
    await rm(join(this.#folder, JOURNAL), { force: true });
  }
}

/** Whether a writer was interrupted in this folder. */
export async function hasJournal(folder: string): Promise<boolean> {
  return (await readJournal(folder)) !== undefined;
}

/** Removes what the journal of an interrupted writer names, and its staging folder. Does nothing without a journal. */
export async function removeRemains(folder: string, manifest: Manifest): Promise<void> {
  const files = await readJournal(folder);
  if (files === undefined) return;
  await removeUnlisted(folder, files, manifest);
  await removeFirstCopy(folder, files);
  await rm(join(folder, STAGING), { recursive: true, force: true });
  for (const name of ['manifest.json', BACKUP]) await rm(join(folder, `${name}.new`), { force: true });
  await rm(join(folder, JOURNAL), { force: true });
}

/** Removes the copy of a manifest that a first writer did not write: it names only what is in the journal. */
async function removeFirstCopy(folder: string, files: readonly string[]): Promise<void> {
  if ((await readManifest(folder)) !== undefined) return;
  const copy = await readManifest(folder, BACKUP).catch(() => undefined);
  if (copy?.segments.every(({ path }) => files.includes(path))) await rm(join(folder, BACKUP));
}

/** Refuses a store in which a writer would overwrite or remove files that no journal and no manifest names. */
export async function refuseUnowned(folder: string, manifest: Manifest): Promise<void> {
  for (const name of [STAGING, ...CONTENT_FOLDERS]) {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (found === undefined) continue;
    if (!found.isDirectory()) {
      throw unowned(join(folder, name), `${name} is not a folder; recal does not write through links`);
    }
    if (name === STAGING)
      throw unowned(join(folder, name), 'the store has a staging folder that recal did not leave behind');
  }
  for (const path of await unlistedFiles(folder, manifest)) {
    const [, ingest] = /(\d+)(-\d+\.parquet|\.json)$/.exec(path) ?? [];
    if (ingest !== undefined && Number(ingest) >= manifest.nextIngest) {
      throw unowned(
        join(folder, path),
        `${printable(path)} is in the place of the next segment, but recal did not write it`,
      );
    }
  }
}

/** Segments and states in the store's folder that the manifest does not list. Links are not followed. */
export async function unlistedFiles(folder: string, manifest: Manifest): Promise<string[]> {
  const listed = listedFiles(manifest);
  const found: string[] = [];
  const visit = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${below}/${entry.name}`;
      if (entry.isDirectory()) await visit(path);
      else if (/\.(parquet|json)$/.test(path) && !listed.has(path)) found.push(path);
    }
  };
  for (const name of CONTENT_FOLDERS) {
    const isOwn = await lstat(join(folder, name)).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (isOwn) await visit(name);
  }
  return found;
}

function listedFiles({ segments, state }: Manifest): Set<string> {
  const listed = new Set(segments.map(({ path }) => path));
  if (state !== null) listed.add(state.path);
  return listed;
}

async function removeUnlisted(folder: string, files: readonly string[], manifest: Manifest): Promise<void> {
  const listed = listedFiles(manifest);
  for (const file of files) {
    if (listed.has(file) || (await leadsThroughLink(folder, file))) continue;
    await rm(join(folder, file), { force: true });
    await removeEmptyFolders(folder, file);
  }
}

/** Removes the folders above a removed file that are empty now: in a store without a manifest they would look like parts. */
async function removeEmptyFolders(folder: string, file: string): Promise<void> {
  const parts = file.split('/').slice(0, -1);
  for (; parts.length > 0; parts.pop()) {
    const isRemoved = await rmdir(join(folder, ...parts)).then(
      () => true,
      () => false, // not empty
    );
    if (!isRemoved) return;
  }
}

async function leadsThroughLink(folder: string, file: string): Promise<boolean> {
  const parts = file.split('/').slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const found = await lstat(join(folder, ...parts.slice(0, depth))).catch(() => undefined);
    if (found?.isSymbolicLink()) return true;
  }
  return false;
}

async function readJournal(folder: string): Promise<readonly string[] | undefined> {
  const path = join(folder, JOURNAL);
  try {
    return journalSchema.parse(JSON.parse(await readFile(path, 'utf8'))).files;
  } catch (cause) {
    if (isSystemError(cause, 'ENOENT')) return undefined;
    throw new RecalError('store-damaged', 'the journal of an interrupted writer cannot be read', {
      hint: 'set the files of that writer aside with: recal repair --store DIR',
      where: { file: path },
      cause,
    });
  }
}

function unowned(path: string, what: string): RecalError {
  return new RecalError('store-unowned', what, {
    hint: 'if it belongs to something else, choose another folder with --store; otherwise set it aside with: recal repair --store DIR',
    where: { file: path },
  });
}
