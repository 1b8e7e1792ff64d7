import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../base/errors.js';
import { makeFolder } from '../base/files/make-folder.js';
import { replaceFile } from '../base/files/replace-file.js';
import { hasEnded, readProcess, thisProcess } from '../base/files/running-process.js';
import { printable } from '../base/printable.js';

const PREFIX = '.parts';
const OWNER = 'owner.json';

/** A temporary folder below `--out` for the data of one run. Every run has its own, so that runs do not share data. */
export class WorkFolder {
  readonly #out: string;
  #path: string | undefined;

  constructor(out: string) {
    this.#out = out;
  }

  /** Creates the folder on first use. */
  async path(): Promise<string> {
    if (this.#path !== undefined) return this.#path;
    await makeFolder(this.#out);
    this.#path = await mkdtemp(join(this.#out, `${PREFIX}-`));
    await replaceFile(join(this.#path, OWNER), JSON.stringify(thisProcess()));
    return this.#path;
  }

  async remove(): Promise<void> {
    if (this.#path !== undefined) await removeWork(this.#path);
    this.#path = undefined;
  }

  /** Removes folders of killed runs and keeps those of runs that may still be active. Returns a note for each. */
  async clearLeftovers(): Promise<string[]> {
    const notes: string[] = [];
    for (const name of await namesIn(this.#out)) {
      const path = join(this.#out, name);
      if (!(name === PREFIX || name.startsWith(`${PREFIX}-`)) || path === this.#path) continue;
      const owner = await readProcess(join(path, OWNER));
      if (owner !== undefined && hasEnded(owner)) {
        await removeWork(path);
        notes.push(`removed ${printable(path, 200)}, which a killed run left behind`);
      } else {
        const by = owner === undefined || owner.pid === 0 ? '' : ` (process ${owner.pid} on ${owner.host})`;
        notes.push(
          `another run${printable(by, 100)} may be using this --out, and the last to finish overwrites the results; if no run is active, remove ${printable(path, 200)}`,
        );
      }
    }
    return notes;
  }
}

/** Removes the owner file last, so that the next run can finish an interrupted removal. */
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
