import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptancesPath } from '../../pipeline/acceptances.js';
import type { ModelEntry } from './checkpoint.js';

/** Where `recal watch` keeps what. */
export class WatchFolder {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  get store(): string {
    return join(this.root, 'store');
  }

  get checkpoint(): string {
    return join(this.root, 'watch.json');
  }

  get spool(): string {
    return join(this.root, 'spool');
  }

  get setAside(): string {
    return join(this.root, 'set-aside');
  }

  get deadLetters(): string {
    return join(this.root, 'undelivered.jsonl');
  }

  /** What a receiver already got. */
  sent(sink: string): string {
    const name = createHash('sha256').update(sink).digest('hex').slice(0, 24);
    return join(this.root, 'sent', `${name}.json`);
  }

  model(file: string): string {
    return join(this.root, 'models', file);
  }

  /** The model in use, under a name that does not change, so that decisions beside it outlast a training. */
  get current(): string {
    return join(this.root, 'model.recal');
  }

  /** Makes `current` the same file as a model. */
  async use(file: string): Promise<void> {
    const draft = `${this.current}.new`;
    await rm(draft, { force: true });
    await link(this.model(file), draft).catch(() => copyFile(this.model(file), draft)); // no links on some file systems
    await rename(draft, this.current);
    await rm(draft, { force: true }); // a rename between two links of one file leaves both
  }

  /** The results of a span, as `recal detect` writes them. */
  alerts(from: bigint): string {
    const time = new Date(Number(from / 1_000_000n)).toISOString();
    return join(this.root, 'alerts', time.slice(0, 19).replaceAll(':', ''));
  }

  async make(): Promise<void> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    for (const name of ['models', 'alerts', 'sent']) await mkdir(join(this.root, name), { recursive: true });
  }

  /** Removes the models that the checkpoint does not name. What people accepted beside one stays. */
  async removeModels(kept: readonly (ModelEntry | null)[]): Promise<void> {
    const files = new Set(kept.map((entry) => entry?.file));
    for (const name of await readdir(join(this.root, 'models')))
      if (!files.has(name) && !name.endsWith(acceptancesPath('')))
        await rm(this.model(name), { force: true });
  }
}
