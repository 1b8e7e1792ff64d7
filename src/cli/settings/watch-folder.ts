import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EXIT, RecalError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import { triagePath } from '../../live/triage/triage-ledger.js';
import { WatchFolder } from '../../live/watch/watch-folder.js';

/** The folder of a watch, for every command about its incidents. */
export const watchFolderSetting = {
  type: z.string().min(1).optional(),
  description: 'folder of recal watch; stands for its alerts, decisions, store and model',
  value: 'DIR',
} as const;

/** Where a command finds what it needs. */
export interface Places {
  readonly alerts: readonly string[];
  readonly triage?: string | undefined;
  readonly store?: string | undefined;
  readonly model?: string | undefined;
}

/** Fills in what `--dir` stands for. What is given beside it counts. */
export function placesOf<Given extends Places>({
  dir,
  ...given
}: Given & { readonly dir?: string | undefined }): Omit<Given, 'dir'> & Places {
  if (dir === undefined) return given;
  const folder = new WatchFolder(dir);
  if (!existsSync(folder.store)) {
    throw new RecalError('usage-invalid-argument', `${printable(dir)} is not a folder of recal watch`, {
      hint: 'use the folder that you passed to recal watch --dir',
      exit: EXIT.usage,
    });
  }
  const all = join(folder.root, 'alerts');
  // Before the first judgement there are no alerts, but a rule may be added.
  const isJudged =
    existsSync(all) && readdirSync(all).some((span) => existsSync(join(all, span, 'run.json')));
  return {
    ...given,
    alerts: given.alerts.length > 0 || !isJudged ? given.alerts : [all],
    store: given.store ?? folder.store,
    triage: given.triage ?? triagePath({ store: folder.store }),
    model: given.model ?? folder.current,
  };
}
