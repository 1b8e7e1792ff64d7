import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocatedProblem } from './ingest-counters.js';
import type { FileEntry, Summary } from './manifest.js';
import { type StagingOptions, stageFiles } from './stage-files.js';

export interface Inspection extends Summary {
  problems: readonly LocatedProblem[];
  files: readonly FileEntry[];
}

/** Reads files as an ingest does, into a temporary folder, and returns the counts. */
export async function inspectFiles(paths: readonly string[], options: StagingOptions): Promise<Inspection> {
  const folder = await mkdtemp(join(tmpdir(), 'recal-inspect-'));
  try {
    const { summary, problems, files } = await stageFiles(paths, folder, { ingest: 1, file: 1 }, options);
    return { ...summary, problems, files };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
