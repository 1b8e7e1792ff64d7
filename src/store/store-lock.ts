import { randomUUID } from 'node:crypto';
import { link, lstat, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { isAlive, type RunningProcess, readProcess, thisProcess } from '../base/running-process.js';

const LOCK = 'writer.lock';

/** The lock of a store's writer. Readers need no lock. */
export interface StoreLock {
  release(): Promise<void>;
}

/**
 * Locks the store for writing. Throws if a running process holds the lock, and takes over the lock of a dead one. It
 * does not protect a store that several containers with one host name write at the same time.
 */
export async function lockStore(folder: string): Promise<StoreLock> {
  const path = join(folder, LOCK);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(thisProcess()));
    const holder = await acquire(path, draft);
    if (holder !== undefined) throw busy(holder, path);
    await removeDeadDrafts(folder);
    return { release: () => rm(path, { force: true }) };
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Creates a lock file with link(2), which is atomic. Returns the process that already holds it, if any. Replacing the
 * lock of a dead process needs a second lock, so that only one of several waiting writers replaces it.
 */
async function acquire(path: string, draft: string): Promise<RunningProcess | undefined> {
  for (;;) {
    if (await linkIfAbsent(draft, path)) return undefined;
    await refuseOtherThings(path);
    const holder = await readProcess(path);
    if (holder === undefined) continue; // released in between
    if (isAlive(holder)) return holder;
    const takeover = `${path}.next`;
    const rival = await acquire(takeover, draft);
    if (rival !== undefined) return rival;
    const current = await readProcess(path);
    if (current !== undefined && !isAlive(current)) {
      await rename(takeover, path);
      return undefined;
    }
    await rm(takeover, { force: true }); // another writer took over in between
  }
}

/** Refuses a link or a folder in place of the lock: it cannot be read as a lock, nor taken over. */
async function refuseOtherThings(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined); // released in between
  if (found === undefined || found.isFile()) return;
  const what = found.isSymbolicLink() ? 'a link' : found.isDirectory() ? 'a folder' : 'a special file';
  throw new RecalError('store-unowned', `${printable(path)} is ${what}, not the lock of a writer`, {
    hint: 'if no process writes to the store, remove it, then run the command again',
    where: { file: path },
  });
}

async function linkIfAbsent(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Removes the drafts of writers that were killed while they acquired the lock. */
async function removeDeadDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${LOCK}.`)) continue;
    const holder = await readProcess(join(folder, name));
    if (holder !== undefined && holder.pid > 0 && !isAlive(holder)) {
      await rm(join(folder, name), { force: true });
    }
  }
}

function busy(holder: RunningProcess, path: string): RecalError {
  return new RecalError(
    'store-busy',
    `another process (${holder.pid} on ${printable(holder.host)}) is writing to this store`,
    {
      hint: `wait until it finishes; if it no longer runs, remove its lock with: rm ${printable(path)}`,
      where: { file: path },
    },
  );
}
