import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RecalError } from '../base/errors.js';
import type { Manifest } from './manifest.js';

/**
 * The states of readers between ingests, by format: which process has which number, which file a descriptor. With them a
 * log can be ingested in pieces.
 */
export type ReaderStates = Readonly<Record<string, unknown>>;

/** Writes the states of an ingest to the staging folder. Returns the entry for the manifest; null without states. */
export async function stageStates(
  folder: string,
  ingest: number,
  states: ReaderStates,
): Promise<Manifest['state']> {
  if (Object.keys(states).length === 0) return null;
  const path = `state/${ingest}.json`;
  const text = JSON.stringify(states);
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
  return { path, sha256: sha256(text) };
}

export async function readStates(folder: string, { state }: Pick<Manifest, 'state'>): Promise<ReaderStates> {
  if (state === null) return {};
  const text = await readFile(join(folder, state.path), 'utf8').catch((cause: unknown) => {
    throw damaged(folder, state.path, cause);
  });
  if (sha256(text) !== state.sha256) throw damaged(folder, state.path);
  return JSON.parse(text) as ReaderStates;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function damaged(folder: string, path: string, cause?: unknown): RecalError {
  return new RecalError('store-damaged', `${path} is missing or was changed after it was written`, {
    hint: 'restore it from a backup, or ingest the logs into a new folder with: recal ingest FILE… --store DIR',
    where: { file: join(folder, path) },
    cause,
  });
}
