import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { EXIT, isSystemError, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';

/** Written last, and removed first: a folder that has it holds a whole world. */
export const MANIFEST_FILE = 'scenario.json';
export const LABEL_FILES = {
  csv: 'labels.csv',
  text: 'labels.txt',
  scan: 'labels.scan.txt',
  unusual: 'unusual.csv',
} as const;

/** As much of a manifest as names files. It may have come with the folder, so no name may lead out of it. */
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
 * Makes room for a world: one that is there is taken away, with what its manifest lists and nothing else. A folder that
 * holds other things and no world is refused, because a world has files of common names, and those of real releases.
 */
export async function clearWorld(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  if (names.length === 0) return;
  if (!names.includes(MANIFEST_FILE)) throw noWorld(folder, `is not empty and has no ${MANIFEST_FILE}`);
  const world = manifestSchema.safeParse(jsonOf(await readFile(join(folder, MANIFEST_FILE), 'utf8')));
  if (!world.success) throw noWorld(folder, `has a ${MANIFEST_FILE} that is no simulation's`);
  const { hosts } = world.data;
  const logs = hosts.flatMap(({ directory, files }) => files.map(({ name }) => join(directory, name)));
  const listed = [MANIFEST_FILE, ...Object.values(LABEL_FILES), ...logs];
  await removeFiles(listed.map((name) => join(folder, name)));
  for (const { directory } of hosts) if (directory !== '') await removeIfEmpty(join(folder, directory));
}

/** In this order. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    const harmless = ['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => isSystemError(error, code));
    if (!harmless) throw error;
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noWorld(folder: string, why: string): RecalError {
  return new RecalError('out-not-empty', `${printable(folder, 200)} ${why}`, {
    hint: 'give a new folder with --out DIR; what a simulation that was killed left can be removed',
    exit: EXIT.usage,
  });
}
