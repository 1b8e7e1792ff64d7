import { stat } from 'node:fs/promises';
import { RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { hashFile } from '../ingest/sources/byte-source.js';
import { countStoredEntities } from './entity-counts.js';
import type { LocatedProblem } from './ingest-counters.js';
import type { FileEntry, IngestEntry, Manifest, Segment, Summary } from './manifest.js';
import { type StagedFiles, type StagingOptions, stageFiles } from './stage-files.js';
import { StoreWriter } from './store.js';
import { addSummaries } from './summaries.js';

export interface IngestOptions extends StagingOptions {
  /** Folder of the store. */
  store: string;
  /** Name of the split that these files belong to. */
  split?: string | undefined;
  /** Add to a store that already holds something. */
  append?: boolean;
  /** Hashes of files that are known already, by path. */
  hashes?: ReadonlyMap<string, string> | undefined;
}

export interface IngestResult extends Summary {
  /** `unchanged` when the store already held all of these files. */
  status: 'added' | 'unchanged';
  problems: readonly LocatedProblem[];
  /** Files that the store already held, by name. */
  known: readonly string[];
  files: IngestEntry['files'];
  /** Events of known files that are no longer there, because their days were dropped. */
  dropped: number;
}

/**
 * Reads files (in the order given: see expandInputs) into a store. All of them become part of it, or, if anything
 * goes wrong, none. Files whose content is already there are left out.
 */
export async function ingestFiles(paths: readonly string[], options: IngestOptions): Promise<IngestResult> {
  const writer = await StoreWriter.open(options.store);
  try {
    const { fresh, known } = await sortOut(paths, writer.manifest, options);
    if (fresh.length === 0) return await unchanged(writer, known);
    refuseUnasked(writer.manifest, fresh, options);
    const { nextIngest, nextFile } = writer.manifest;
    const staged = await stageFiles(
      fresh,
      writer.stagingFolder,
      { ingest: nextIngest, file: nextFile },
      options,
    );
    return await commitStaged(writer, staged, known, options);
  } finally {
    await writer.close();
  }
}

async function commitStaged(
  writer: StoreWriter,
  staged: StagedFiles,
  known: readonly KnownFile[],
  options: IngestOptions,
): Promise<IngestResult> {
  const { manifest } = writer;
  // Standard input has no size to compare beforehand: its content may turn out to be there already.
  const again = staged.files.flatMap(
    (file) => knownFile(manifest, file.sha256, options.split, file.name) ?? [],
  );
  if (again.length === staged.files.length) return await unchanged(writer, [...known, ...again]);
  refuseRepeated(staged.files, again);
  refuseEmpty(staged);
  options.signal?.throwIfAborted();
  const entry: IngestEntry = {
    number: manifest.nextIngest,
    split: options.split ?? null,
    files: [...staged.files],
    summary: staged.summary,
  };
  await writer.commit(
    {
      ...manifest,
      hostNames: { ...manifest.hostNames, ...staged.hostNames },
      ingests: [...manifest.ingests, entry],
      segments: [...manifest.segments, ...staged.segments],
      nextIngest: manifest.nextIngest + 1,
      nextFile: manifest.nextFile + staged.files.length,
    },
    staged.folder,
    staged.segments,
  );
  return {
    status: 'added',
    ...staged.summary,
    problems: staged.problems,
    known: known.map(({ name }) => name),
    files: entry.files,
    dropped: 0,
  };
}

interface KnownFile {
  name: string;
  /** Undefined for the copy of another file of the same run. */
  ingest: IngestEntry | undefined;
}

/** Tells new files from copies and from those whose content the store holds, hashing only where sizes agree. */
async function sortOut(paths: readonly string[], manifest: Manifest, options: IngestOptions) {
  const held = manifest.ingests.flatMap(({ files }) => files.map(({ bytes }) => bytes));
  const sizes = await Promise.all(paths.map(sizeOf));
  const times = new Map<number, number>();
  for (const size of [...new Set(held), ...sizes]) {
    if (size !== undefined) times.set(size, (times.get(size) ?? 0) + 1);
  }
  const fresh: string[] = [];
  const known: KnownFile[] = [];
  const hashes = new Set<string>();
  for (const [index, path] of paths.entries()) {
    const size = sizes[index];
    if (size === undefined || times.get(size) === 1) {
      fresh.push(path);
      continue;
    }
    const sha256 = options.hashes?.get(path) ?? (await hashFile(path));
    const found = knownFile(manifest, sha256, options.split, path);
    if (found !== undefined) known.push(found);
    else if (hashes.has(sha256)) known.push({ name: path, ingest: undefined });
    else fresh.push(path);
    hashes.add(sha256);
  }
  return { fresh, known };
}

/** Undefined for what can be read only once. */
async function sizeOf(path: string): Promise<number | undefined> {
  if (path === '-') return undefined;
  const stats = await stat(path);
  return stats.isFile() ? stats.size : undefined;
}

function knownFile(
  manifest: Manifest,
  sha256: string,
  split: string | undefined,
  name: string,
): KnownFile | undefined {
  const ingest = manifest.ingests.find(({ files }) => files.some((file) => file.sha256 === sha256));
  if (ingest === undefined) return undefined;
  if (split !== undefined && ingest.split !== split) {
    const where = ingest.split === null ? 'without a split' : `as split ${ingest.split}`;
    throw new RecalError('already-ingested', `the store already holds ${printable(name)}, ${where}`, {
      hint: 'a file belongs to one split: ingest into a new store to sort the files differently',
      where: { file: name },
    });
  }
  return { name, ingest };
}

/** A pipe whose content is known, or the same as another file's, only shows when all is read together. */
function refuseRepeated(files: readonly FileEntry[], again: readonly KnownFile[]): void {
  const hashes = files.map(({ sha256 }) => sha256);
  const copy = files.find(({ sha256 }, index) => hashes.indexOf(sha256) < index);
  const name = again.at(0)?.name ?? copy?.name;
  if (name === undefined) return;
  throw new RecalError('already-ingested', `the content of ${printable(name)} is there already`, {
    hint: 'counting it twice would double its events: ingest the other files without it',
    where: { file: name },
  });
}

function refuseUnasked(manifest: Manifest, fresh: readonly string[], options: IngestOptions): void {
  if (manifest.ingests.length === 0 || options.append === true) return;
  throw new RecalError(
    'store-not-empty',
    `${printable(options.store)} already holds other files, and ${printable(fresh[0])} is not among them`,
    { hint: 'add to it with --append, or choose another folder with --store' },
  );
}

/** A file without a single usable record is most likely not what was meant. */
function refuseEmpty(staged: StagedFiles): void {
  const { summary, files } = staged;
  if (summary.events > 0 || summary.entities.total > 0) return;
  const [problem] = staged.problems;
  throw new RecalError(
    'nothing-read',
    `no usable record in ${files.map(({ name }) => printable(name)).join(', ')}`,
    {
      hint:
        problem === undefined
          ? 'look at it with: recal inspect FILE'
          : `the first problem: ${printable(problem.reason)}`,
      ...(problem === undefined ? {} : { where: { file: problem.file, line: problem.line } }),
    },
  );
}

/** The report of files that are all there already: that of the ingests that brought them. */
async function unchanged(writer: StoreWriter, known: readonly KnownFile[]): Promise<IngestResult> {
  const { manifest, folder } = writer;
  const ingests = manifest.ingests.filter((entry) =>
    known.some(({ ingest }) => ingest?.number === entry.number),
  );
  const numbers = new Set(ingests.map(({ number }) => number));
  const segments = manifest.segments.filter(({ ingest }) => numbers.has(ingest));
  const summaries = ingests.map(({ summary }) => summary);
  return {
    status: 'unchanged',
    ...(summaries.length === 1
      ? summaries[0]
      : addSummaries(summaries, await countStoredEntities(folder, segments))),
    problems: [],
    known: known.map(({ name }) => name),
    files: ingests.flatMap(({ files }) => files),
    dropped: ingests.reduce((sum, { summary }) => sum + summary.events, 0) - rowsOf(segments),
  };
}

function rowsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { kind, rows }) => sum + (kind === 'events' ? rows : 0), 0);
}
