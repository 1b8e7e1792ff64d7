import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isSystemError } from '../errors.js';
import { isFolder, makeFolder, removeFolders } from './make-folder.js';
import { syncFolder } from './replace-file.js';

/** Holds a whole set of files that is being moved to its place. */
const STAGE = '.recal-files';
const DRAFT = `${STAGE}.new-`;

/** Files that replace each other together. */
export interface FileSet {
  /** Contents by name. The last file tells readers what belongs to the set. */
  readonly files: ReadonlyMap<string, string>;
  /** Files of an earlier set that this one does not have. */
  readonly stale?: readonly string[];
}

/**
 * Replaces files of a folder together and leaves all others as they are. A new folder appears by one rename. In an
 * existing folder the set is staged, and one rename of the stage decides: from then on `readReplaced` reads the new set,
 * also if the process dies before the files are in their places. The next write finishes what a dead process left.
 */
export async function replaceFiles(folder: string, { files, stale = [] }: FileSet): Promise<void> {
  const names = [...files.keys()];
  const whole = resolve(folder);
  if (!(await isFolder(whole))) return createFolder(whole, files);
  await removeDrafts(whole, DRAFT);
  const draft = join(whole, `${DRAFT}${process.pid}`);
  try {
    await writeAll(draft, files);
    await finishMoving(whole, names, stale);
    await rename(draft, join(whole, STAGE));
  } catch (error) {
    await removeDraft(draft);
    throw error;
  }
  await syncFolder(whole);
  await finishMoving(whole, names, stale);
}

/** Reads a file of a set: where the set is still being moved, from its stage. */
export async function readReplaced(folder: string, name: string): Promise<Buffer> {
  try {
    return await readFile(stagedPath(folder, name));
  } catch (error) {
    if (!isSystemError(error, 'ENOENT') && !isSystemError(error, 'ENOTDIR')) throw error;
    return readFile(join(folder, name));
  }
}

/** Where a file lies if its set is still being moved. */
export function stagedPath(folder: string, name: string): string {
  return join(folder, STAGE, name);
}

async function createFolder(whole: string, files: ReadonlyMap<string, string>): Promise<void> {
  const above = dirname(whole);
  const made = await makeFolder(above);
  const start = `.${basename(whole).slice(0, 200)}${DRAFT}`;
  await removeDrafts(above, start);
  const draft = join(above, `${start}${process.pid}`);
  try {
    await writeAll(draft, files);
    await rename(draft, whole);
  } catch (error) {
    await removeDraft(draft);
    await removeFolders(made);
    throw error;
  }
  await syncFolder(above);
}

async function writeAll(draft: string, files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(draft);
  for (const [name, content] of files) {
    const file = await open(join(draft, name), 'wx');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncFolder(draft);
}

/** Moves a staged set to its place. The file that names the others comes last, so that its stage tells it is unfinished. */
async function finishMoving(
  folder: string,
  names: readonly string[],
  stale: readonly string[],
): Promise<void> {
  const stage = join(folder, STAGE);
  const staged = await readdir(stage).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (staged === undefined) return;
  const last = names[names.length - 1];
  const hasAll = staged.includes(last);
  if (hasAll) {
    for (const name of stale) if (!staged.includes(name)) await rm(join(folder, name), { force: true });
    for (const name of staged) if (name !== last) await move(stage, folder, name);
    await syncFolder(folder);
    await move(stage, folder, last);
    await syncFolder(folder);
  }
  await rmdir(stage);
}

async function move(stage: string, folder: string, name: string): Promise<void> {
  await rename(join(stage, name), join(folder, name)).catch((error: unknown) => {
    // Another process finished the same set.
    if (!isSystemError(error, 'ENOENT')) throw error;
  });
}

/** Removes drafts of processes that ended. Their files only, never a folder with others in it. */
async function removeDrafts(folder: string, start: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(start) ? Number(name.slice(start.length)) : Number.NaN;
    if (Number.isInteger(pid) && pid > 0 && !isRunning(pid)) await removeDraft(join(folder, name));
  }
}

async function removeDraft(draft: string): Promise<void> {
  for (const name of await readdir(draft).catch(() => [])) {
    await rm(join(draft, name), { force: true }).catch(() => undefined);
  }
  await rmdir(draft).catch(() => undefined);
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false; // this process has no other draft here
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}
