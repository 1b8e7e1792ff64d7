import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { EXIT, isSystemError, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';

/** Written last and removed first, so that a folder with this file holds a complete simulation. */
export const MANIFEST_FILE = 'scenario.json';
export const LABEL_FILES = {
  csv: 'labels.csv',
  text: 'labels.txt',
  scan: 'labels.scan.txt',
  unusual: 'unusual.csv',
} as const;

/** The file names of a manifest. The file may be foreign, so no name may point outside the folder. */
const manifestSchema = z.object({
  version: z.literal(1),
  scenario: z.string(),
  hosts: z.array(
    z.object({
      directory: z.string().regex(/^(host-\d+)?$/),
      files: z.array(z.object({ name: z.string().regex(/^[A-Za-z0-9][\w.-]*$/) })),
    }),
  ),
});

/**
 * Removes the files of an earlier simulation that its manifest lists. Rejects a folder with other files and no
 * simulation, because the new files could replace real logs of the same name.
 */
export async function clearOutput(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  if (names.length === 0) return;
  if (!names.includes(MANIFEST_FILE)) throw notEmpty(folder, `is not empty and has no ${MANIFEST_FILE}`);
  const manifest = manifestSchema.safeParse(parseJson(await readFile(join(folder, MANIFEST_FILE), 'utf8')));
  if (!manifest.success) throw notEmpty(folder, `has a ${MANIFEST_FILE} that recal did not write`);
  const { hosts } = manifest.data;
  const logs = hosts.flatMap(({ directory, files }) => files.map(({ name }) => join(directory, name)));
  const folders = ['', ...hosts.map(({ directory }) => directory)];
  const labels = folders.flatMap((each) => Object.values(LABEL_FILES).map((name) => join(each, name)));
  const listed = [MANIFEST_FILE, ...labels, ...logs];
  await removeFiles(listed.map((name) => join(folder, name)));
  for (const { directory } of hosts) if (directory !== '') await removeIfEmpty(join(folder, directory));
}

/** Removes files in this order. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    const harmless = ['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => isSystemError(error, code));
    if (!harmless) throw error;
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notEmpty(folder: string, why: string): RecalError {
  return new RecalError('out-not-empty', `${printable(folder, 200)} ${why}`, {
    hint: 'set --out to a new folder, or remove the files of an interrupted simulation',
    exit: EXIT.usage,
  });
}
