import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import { printable } from '../base/printable.js';
import { replaceFile } from '../base/replace-file.js';
import { hasEnded, readProcess, thisProcess } from '../base/running-process.js';

const PREFIX = '.parts';
const OWNER = 'owner.json';

/**
 * A folder beneath `--out` for what one run reads. Every run has its own, under a name that no other run takes, so that
 * what one has read is never part of another's figures.
 */
export class WorkFolder {
  readonly #out: string;
  #path: string | undefined;

  constructor(out: string) {
    this.#out = out;
  }

  /** Made when it is first needed. */
  async path(): Promise<string> {
    if (this.#path !== undefined) return this.#path;
    await makeFolder(this.#out);
    this.#path = await mkdtemp(join(this.#out, `${PREFIX}-`));
    await replaceFile(join(this.#path, OWNER), JSON.stringify(thisProcess()));
    return this.#path;
  }

  /** Only its own. */
  async remove(): Promise<void> {
    if (this.#path !== undefined) await removeWork(this.#path);
    this.#path = undefined;
  }

  /** Removes what runs that were killed have left. What may belong to a run that goes on stays; both are told. */
  async clearLeftovers(): Promise<string[]> {
    const notes: string[] = [];
    for (const name of await namesIn(this.#out)) {
      const path = join(this.#out, name);
      if (!(name === PREFIX || name.startsWith(`${PREFIX}-`)) || path === this.#path) continue;
      const owner = await readProcess(join(path, OWNER));
      if (owner !== undefined && hasEnded(owner)) {
        await removeWork(path);
        notes.push(`${printable(path, 200)} was left by a run that was killed, and is removed`);
      } else {
        const whose = owner === undefined || owner.pid === 0 ? '' : `, process ${owner.pid} on ${owner.host}`;
        notes.push(
          `another run may be at work in ${printable(path, 200)}${printable(whose, 100)}: the last to end leaves its figures; if none is, remove that folder`,
        );
      }
    }
    return notes;
  }
}

/** Whose it is goes last: cut short, the next run still knows that it may remove the rest. */
async function removeWork(path: string): Promise<void> {
  for (const name of await namesIn(path)) {
    if (name !== OWNER) await rm(join(path, name), { recursive: true, force: true });
  }
  await rm(path, { recursive: true, force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
}
