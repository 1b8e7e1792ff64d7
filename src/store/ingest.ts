import { stat } from 'node:fs/promises';
import { RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { hashFile } from '../ingest/sources/byte-source.js';
import { countStoredEntities } from './entity-counts.js';
import type { LocatedProblem } from './ingest-counters.js';
import { KnownContents, type KnownPart } from './known-contents.js';
import type { FileEntry, IngestEntry, Manifest, Segment, Summary } from './manifest.js';
import { readStates, stageStates } from './reader-states.js';
import { type StagedFiles, type StagingOptions, stageFiles } from './stage-files.js';
import { StoreWriter } from './store.js';
import { addSummaries } from './summaries.js';

export interface IngestOptions extends StagingOptions {
  /** Folder of the store. */
  store: string;
  /** Name of the split that the files belong to. */
  split?: string | undefined;
  /** Allow adding to a store that already contains files. */
  append?: boolean;
  /** SHA-256 hashes by path, if the caller has computed them. */
  hashes?: ReadonlyMap<string, string> | undefined;
}

export interface IngestResult extends Summary {
  /** `unchanged` if the store already contained all files. */
  status: 'added' | 'unchanged';
  problems: readonly LocatedProblem[];
  /** Names of the files that the store already contained. */
  known: readonly string[];
  files: IngestEntry['files'];
  /** Files of which the store had the beginning, with the number of lines that it had. */
  grown: readonly { readonly name: string; readonly lines: number }[];
  /** Events of known files that `recal drop` removed from the store. */
  dropped: number;
}

/**
 * Reads files into a store, in the given order. Either all files are added or, on an error, none. Files with known
 * content are skipped.
 */
export async function ingestFiles(paths: readonly string[], options: IngestOptions): Promise<IngestResult> {
  const writer = await StoreWriter.open(options.store);
  try {
    const { manifest } = writer;
    const contents = new KnownContents(manifest);
    const { fresh, known } = await separateKnown(paths, manifest, contents, options);
    if (fresh.length === 0) return await unchangedResult(writer, known);
    refuseWithoutAppend(
      manifest,
      fresh.filter(({ part }) => part === undefined).map(({ path }) => path),
      options,
    );
    const { nextIngest, nextFile } = manifest;
    const staged = await stageFiles(
      fresh.map(({ path }) => path),
      writer.stagingFolder,
      { ingest: nextIngest, file: nextFile },
      { ...options, contents, states: await readStates(options.store, manifest) },
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
  // The hash of standard input is not known until it is read.
  const again = staged.files.flatMap(
    (file) => findKnown(manifest, file.sha256, options.split, file.name) ?? [],
  );
  if (again.length === staged.files.length) return await unchangedResult(writer, [...known, ...again]);
  refuseRepeated(staged.files, again);
  refuseWithoutRecords(staged);
  options.signal?.throwIfAborted();
  const state = await stageStates(staged.folder, manifest.nextIngest, staged.states);
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
      state: state ?? manifest.state,
    },
    staged.folder,
    staged.segments,
  );
  return {
    status: 'added',
    ...staged.summary,
    problems: staged.problems,
    known: [...known, ...staged.repeated].map(({ name }) => name),
    grown: entry.files.flatMap(({ name, content }) =>
      content === null || content.linesBefore === 0 ? [] : [{ name, lines: content.linesBefore }],
    ),
    files: entry.files,
    dropped: 0,
  };
}

interface KnownFile {
  name: string;
  /** Undefined for a copy of another file of the same run. */
  ingest: IngestEntry | undefined;
}

interface FreshFile {
  path: string;
  /** What the store has of it. */
  part: KnownPart | undefined;
}

/**
 * Separates new files from copies and from files with known content. Hashes only files that share their size or their
 * beginning with another.
 */
async function separateKnown(
  paths: readonly string[],
  manifest: Manifest,
  contents: KnownContents,
  options: IngestOptions,
) {
  const storedSizes = manifest.ingests.flatMap(({ files }) => files.map(({ bytes }) => bytes));
  const sizes = await Promise.all(paths.map(sizeOf));
  const filesBySize = new Map<number, number>();
  for (const size of [...new Set(storedSizes), ...sizes]) {
    if (size !== undefined) filesBySize.set(size, (filesBySize.get(size) ?? 0) + 1);
  }
  const fresh: FreshFile[] = [];
  const known: KnownFile[] = [];
  const hashes = new Set<string>();
  for (const [index, path] of paths.entries()) {
    const size = sizes[index];
    if (size === undefined || filesBySize.get(size) === 1) {
      await addUnlessKnown(path, manifest, contents, options, fresh, known);
      continue;
    }
    const sha256 = options.hashes?.get(path) ?? (await hashFile(path, options.signal));
    const found = findKnown(manifest, sha256, options.split, path);
    if (found !== undefined) known.push(found);
    else if (hashes.has(sha256)) known.push({ name: path, ingest: undefined });
    else await addUnlessKnown(path, manifest, contents, options, fresh, known);
    hashes.add(sha256);
  }
  return { fresh, known };
}

/** Adds a file to `known` if the store has all of its content, under whatever name and compression, else to `fresh`. */
async function addUnlessKnown(
  path: string,
  manifest: Manifest,
  contents: KnownContents,
  { split }: IngestOptions,
  fresh: FreshFile[],
  known: KnownFile[],
): Promise<void> {
  const part = await contents.find(path);
  const found = part?.whole === true ? findKnown(manifest, part.file.sha256, split, path) : undefined;
  if (found === undefined) fresh.push({ path, part });
  else known.push(found);
}

/** Undefined for pipes and standard input, which can be read only once. */
async function sizeOf(path: string): Promise<number | undefined> {
  if (path === '-') return undefined;
  const stats = await stat(path);
  return stats.isFile() ? stats.size : undefined;
}

function findKnown(
  manifest: Manifest,
  sha256: string,
  split: string | undefined,
  name: string,
): KnownFile | undefined {
  const ingest = manifest.ingests.find(({ files }) => files.some((file) => file.sha256 === sha256));
  if (ingest === undefined) return undefined;
  if (split !== undefined && ingest.split !== split) {
    const where = ingest.split === null ? 'without a split' : `in split ${ingest.split}`;
    throw new RecalError('already-ingested', `the store already contains ${printable(name)} ${where}`, {
      hint: 'a file belongs to one split; to change it, ingest into a new folder with: recal ingest FILE… --store DIR --as NAME',
      where: { file: name },
    });
  }
  return { name, ingest };
}

/** Refuses a pipe with known or repeated content, which is only found after everything is read. */
function refuseRepeated(files: readonly FileEntry[], again: readonly KnownFile[]): void {
  const hashes = files.map(({ sha256 }) => sha256);
  const copy = files.find(({ sha256 }, index) => hashes.indexOf(sha256) < index);
  const name = again.at(0)?.name ?? copy?.name;
  if (name === undefined) return;
  throw new RecalError('already-ingested', `the content of ${printable(name)} would be stored twice`, {
    hint: 'ingest the other files without it',
    where: { file: name },
  });
}

function refuseWithoutAppend(manifest: Manifest, fresh: readonly string[], options: IngestOptions): void {
  if (manifest.ingests.length === 0 || options.append === true || fresh.length === 0) return;
  throw new RecalError(
    'store-not-empty',
    `the store ${printable(options.store)} already contains events, and ${printable(fresh[0])} is not in it`,
    { hint: 'add the file with --append, or choose another folder with --store' },
  );
}

function refuseWithoutRecords(staged: StagedFiles): void {
  const { summary, files } = staged;
  // A log may grow by a line that gives no event yet.
  const hasGrown = files.some(({ content }) => content !== null && content.linesBefore > 0);
  if (summary.events > 0 || summary.entities.total > 0 || hasGrown) return;
  const [problem] = staged.problems;
  throw new RecalError(
    'nothing-read',
    `no usable record in ${files.map(({ name }) => printable(name)).join(', ')}`,
    {
      hint:
        problem === undefined
          ? 'inspect the input with: recal inspect FILE'
          : `correct the input; the first problem is: ${printable(problem.reason)}`,
      ...(problem === undefined ? {} : { where: { file: problem.file, line: problem.line } }),
    },
  );
}

/** The result if the store already contains all files: the counts of the ingests that added them. */
async function unchangedResult(writer: StoreWriter, known: readonly KnownFile[]): Promise<IngestResult> {
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
    grown: [],
    files: ingests.flatMap(({ files }) => files),
    dropped: ingests.reduce((sum, { summary }) => sum + summary.events, 0) - countEvents(segments),
  };
}

function countEvents(segments: readonly Segment[]): number {
  return segments.reduce((sum, { kind, rows }) => sum + (kind === 'events' ? rows : 0), 0);
}
