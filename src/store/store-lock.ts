import { join } from 'node:path';
import { RecalError } from '../base/errors.js';
import { tryLock } from '../base/files/file-lock.js';
import type { RunningProcess } from '../base/files/running-process.js';
import { printable } from '../base/printable.js';

const LOCK = 'writer.lock';

/** The lock of a store's writer. Readers need no lock. */
export interface StoreLock {
  release(): Promise<void>;
}

/** Locks the store for writing. Throws if a running process holds the lock, and takes over the lock of a dead one. */
export async function lockStore(folder: string): Promise<StoreLock> {
  const path = join(folder, LOCK);
  const attempt = await tryLock(path);
  if (attempt.kind === 'taken') return attempt;
  if (attempt.kind === 'held') throw busy(attempt.holder, path);
  throw new RecalError(
    'store-unowned',
    `${printable(attempt.path)} is ${attempt.what}, not the lock of a writer`,
    {
      hint: 'if no process is writing to the store, remove it and run the command again',
      where: { file: attempt.path },
    },
  );
}

function busy(holder: RunningProcess, path: string): RecalError {
  return new RecalError(
    'store-busy',
    `another process (${holder.pid} on ${printable(holder.host)}) is writing to this store`,
    {
      hint: `wait until it finishes; if it is no longer running, remove its lock with: rm ${printable(path)}`,
      where: { file: path },
    },
  );
}
