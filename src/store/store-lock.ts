import { randomUUID } from 'node:crypto';
import { link, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, RecalError } from '../base/errors.js';
import { isAlive, type RunningProcess, readProcess, thisProcess } from '../base/running-process.js';

const LOCK = 'writer.lock';

/** A writer's claim on a store. Readers need none. */
export interface StoreLock {
  release(): Promise<void>;
}

/**
 * Claims the store for writing. A second writer is told who is at it; a claim whose process is gone (kill -9) is
 * taken over. Containers that share a host's name and a store, and write at once, would need another lock.
 */
export async function lockStore(folder: string): Promise<StoreLock> {
  const path = join(folder, LOCK);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(thisProcess()));
    const holder = await claim(path, draft);
    if (holder !== undefined) throw busy(holder, path);
    await sweepDrafts(folder);
    return { release: () => rm(path, { force: true }) };
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Claims a path by link(2), which either makes it whole or fails; gives whoever has it already. The right to replace
 * a dead writer's claim is itself such a claim, so that of several successors one comes in.
 */
async function claim(path: string, draft: string): Promise<RunningProcess | undefined> {
  for (;;) {
    if (await made(draft, path)) return undefined;
    const holder = await readProcess(path);
    if (holder === undefined) continue; // released in between
    if (isAlive(holder)) return holder;
    const succession = `${path}.next`;
    const successor = await claim(succession, draft);
    if (successor !== undefined) return successor;
    const still = await readProcess(path);
    if (still !== undefined && !isAlive(still)) {
      await rename(succession, path);
      return undefined;
    }
    await rm(succession, { force: true }); // another successor was here between the two looks
  }
}

async function made(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Removes what writers that were killed while claiming left behind. */
async function sweepDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${LOCK}.`)) continue;
    const holder = await readProcess(join(folder, name));
    if (holder !== undefined && holder.pid > 0 && !isAlive(holder))
      await rm(join(folder, name), { force: true });
  }
}

function busy(holder: RunningProcess, path: string): RecalError {
  return new RecalError(
    'store-busy',
    `another process (${holder.pid} on ${holder.host}) is writing to this store`,
    {
      hint: `wait for it to finish; if it is gone for good, remove ${LOCK}`,
      where: { file: path },
    },
  );
}
