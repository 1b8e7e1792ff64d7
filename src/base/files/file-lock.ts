import { randomUUID } from 'node:crypto';
import { link, lstat, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from '../errors.js';
import { isAlive, type RunningProcess, readProcess, thisProcess } from './running-process.js';

/** What came of an attempt to take a lock. */
export type LockAttempt =
  | { readonly kind: 'taken'; release(): Promise<void> }
  /** A running process has it. */
  | { readonly kind: 'held'; readonly holder: RunningProcess }
  /** Something that is not a lock has its place. */
  | { readonly kind: 'blocked'; readonly what: string; readonly path: string };

type Obstacle = Exclude<LockAttempt, { kind: 'taken' }>;

/**
 * Tries to take a lock file, and takes over the lock of a dead process. It does not protect what several containers with
 * one host name write at the same time.
 */
export async function tryLock(path: string): Promise<LockAttempt> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(thisProcess()));
    const obstacle = await acquire(path, draft);
    if (obstacle !== undefined) return obstacle;
    await removeDeadDrafts(path);
    return { kind: 'taken', release: () => rm(path, { force: true }) };
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Creates a lock file with link(2), which is atomic. Returns the process that already holds it, or what is in its place.
 * Replacing the lock of a dead process needs a second lock, so that only one of several waiting writers replaces it.
 */
async function acquire(path: string, draft: string): Promise<Obstacle | undefined> {
  for (;;) {
    if (await linkIfAbsent(draft, path)) return undefined;
    const what = await otherThing(path);
    if (what !== undefined) return { kind: 'blocked', what, path };
    const holder = await readProcess(path);
    if (holder === undefined) continue; // released in between
    if (isAlive(holder)) return { kind: 'held', holder };
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

/** A link or a folder in place of the lock cannot be read as a lock, nor taken over. */
async function otherThing(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined); // released in between
  if (found === undefined || found.isFile()) return undefined;
  return found.isSymbolicLink() ? 'a link' : found.isDirectory() ? 'a folder' : 'a special file';
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
async function removeDeadDrafts(path: string): Promise<void> {
  const [folder, prefix] = [dirname(path), `${basename(path)}.`];
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const holder = await readProcess(join(folder, name));
    if (holder !== undefined && holder.pid > 0 && !isAlive(holder)) {
      await rm(join(folder, name), { force: true });
    }
  }
}
