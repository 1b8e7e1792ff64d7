import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isSystemError, RecalError } from '../base/errors.js';

const LOCK = 'writer.lock';

interface Holder {
  pid: number;
  host: string;
}

/** A writer's claim on a store. Readers need none. */
export interface StoreLock {
  release(): Promise<void>;
}

/**
 * Claims the store for writing. A second writer is told who is at it; a claim whose process is gone (kill -9) is
 * taken over. The claim is a file made by link(2), which either makes it whole or fails.
 */
export async function lockStore(folder: string): Promise<StoreLock> {
  const path = join(folder, LOCK);
  const mine: Holder = { pid: process.pid, host: hostname() };
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(mine));
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        await link(draft, path);
        return { release: () => rm(path, { force: true }) };
      } catch (error) {
        if (!isSystemError(error, 'EEXIST')) throw error;
      }
      const holder = await readHolder(path);
      if (holder === undefined) continue; // released in between
      if (attempt > 3 || isAlive(holder)) throw busy(holder, path);
      await breakLock(path, draft);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Moves a dead writer's claim away; whoever moves it first has it, the others find nothing to move. */
async function breakLock(path: string, draft: string): Promise<void> {
  const grave = `${draft}.stale`;
  try {
    await rename(path, grave);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    return;
  }
  // Between reading the holder and the rename, a living writer may have taken the place of the dead one.
  const moved = await readHolder(grave);
  if (moved !== undefined && isAlive(moved)) await link(grave, path).catch(() => undefined);
  await rm(grave, { force: true });
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { pid, host } = value as Holder;
    return { pid: Number(pid), host: String(host) };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    return { pid: 0, host: '' }; // unreadable: nobody we know of
  }
}

function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return holder.host !== ''; // another machine's process: cannot know, so believe it
  if (!Number.isInteger(holder.pid) || holder.pid <= 0) return false;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}

function busy(holder: Holder, path: string): RecalError {
  return new RecalError(
    'store-busy',
    `another process (${holder.pid} on ${holder.host}) is writing to this store`,
    {
      hint: `wait for it to finish; if it is gone for good, remove ${LOCK}`,
      where: { file: path },
    },
  );
}
