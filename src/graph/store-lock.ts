import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isSystemError, RecalError } from '../base/errors.js';

const LOCK = 'writer.lock';

interface Holder {
  pid: number;
  host: string;
  /** When the process began, where the system tells: another one may have its number by now. */
  began?: string | undefined;
}

/** A writer's claim on a store. Readers need none. */
export interface StoreLock {
  release(): Promise<void>;
}

/**
 * Claims the store for writing. A second writer is told who is at it; a claim whose process is gone (kill -9) is
 * taken over.
 */
export async function lockStore(folder: string): Promise<StoreLock> {
  const path = join(folder, LOCK);
  const mine: Holder = { pid: process.pid, host: hostname(), began: beginOf(process.pid) };
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(mine));
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
async function claim(path: string, draft: string): Promise<Holder | undefined> {
  for (;;) {
    if (await made(draft, path)) return undefined;
    const holder = await readHolder(path);
    if (holder === undefined) continue; // released in between
    if (isAlive(holder)) return holder;
    const succession = `${path}.next`;
    const successor = await claim(succession, draft);
    if (successor !== undefined) return successor;
    const still = await readHolder(path);
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
    const holder = await readHolder(join(folder, name));
    if (holder !== undefined && holder.pid > 0 && !isAlive(holder))
      await rm(join(folder, name), { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { pid, host, began } = value as Holder;
    return { pid: Number(pid), host: String(host), began: began === undefined ? undefined : String(began) };
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    return { pid: 0, host: '' }; // unreadable: nobody we know of
  }
}

function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return holder.host !== ''; // another machine's process: cannot know, so believe it
  if (!Number.isInteger(holder.pid) || holder.pid <= 0) return false;
  const began = beginOf(holder.pid);
  if (began !== undefined && holder.began !== undefined && began !== holder.began) return false;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}

/**
 * What tells a process from another with the same number, after a restart of the container or the machine: the boot, and
 * the clock ticks from it to the start of the process, as Linux has them in /proc. Containers that share a host's name and
 * a store, and write at once, would need another lock.
 */
function beginOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name, in brackets and with any character inside.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot} ${ticks}`;
  } catch {
    return undefined;
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
