import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isSystemError, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { ENTITY_TYPES } from '../ingest/event.js';
import { TIME_UNITS } from '../ingest/time.js';

/** Raised whenever a store written by this program could not be read by the one before it. */
export const STORE_VERSION = 1;
const MANIFEST = 'manifest.json';

const count = z.number().int().nonnegative();
/** By names that logs choose, so not z.record, which leaves out `__proto__`. */
const named = <T>(value: z.ZodType<T>) =>
  z.custom<Record<string, T>>(
    (given) =>
      typeof given === 'object' &&
      given !== null &&
      !Array.isArray(given) &&
      Object.values(given).every((each) => value.safeParse(each).success),
    'not an object of such values by name',
  );
const counts = named(count);
/** 64-bit integers are strings in JSON: a double would round nanoseconds. */
const integer = z.string().regex(/^-?\d+$/);

const segmentSchema = z.strictObject({
  kind: z.enum(['events', 'entities']),
  /** Below the store's folder, with `/`. */
  path: z.string().regex(/^(events|entities)(\/[A-Za-z0-9][\w.-]*)+\.parquet$/),
  ingest: count,
  host: z.string(),
  /** UTC day of the events; entities have none. */
  day: z.string().nullable(),
  rows: count,
  bytes: count,
  firstTs: integer.nullable(),
  lastTs: integer.nullable(),
});

const fileSchema = z.strictObject({
  /** Number by which events name their file. */
  number: count,
  name: z.string(),
  bytes: count,
  /** Of the bytes on disk. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sources: z.array(
    z.strictObject({
      name: z.string(),
      format: z.string(),
      timeUnit: z.enum(TIME_UNITS).nullable(),
      lines: count,
    }),
  ),
});

const summarySchema = z.strictObject({
  events: count,
  edges: z.strictObject({ total: count, secondObject: count }),
  entities: z.strictObject({
    total: count,
    byType: z.partialRecord(z.enum(ENTITY_TYPES), count),
    bySourceType: counts,
    /** Named by an event but never defined. */
    placeholders: count,
  }),
  /** Events with at least one endpoint that is only a placeholder. */
  unresolved: count,
  relations: counts,
  records: counts,
  noObject: count,
  malformed: count,
  skipped: counts,
  repaired: counts,
  outOfOrder: count,
  lines: count,
  firstTs: integer.nullable(),
  lastTs: integer.nullable(),
});

const ingestSchema = z.strictObject({
  number: count,
  split: z.string().nullable(),
  files: z.array(fileSchema),
  summary: summarySchema,
});

const manifestSchema = z.strictObject({
  format: z.literal('recal-store'),
  version: z.literal(STORE_VERSION),
  /** Names of hosts by their identifiers, where the logs tell. */
  hostNames: named(z.string()),
  ingests: z.array(ingestSchema),
  segments: z.array(segmentSchema),
  /** Days dropped from the store: last number of ingest and file ever given out stays taken. */
  nextIngest: count,
  nextFile: count,
});

export type Manifest = z.infer<typeof manifestSchema>;
export type Segment = z.infer<typeof segmentSchema>;
export type IngestEntry = z.infer<typeof ingestSchema>;
export type FileEntry = z.infer<typeof fileSchema>;
export type Summary = z.infer<typeof summarySchema>;

export function emptyManifest(): Manifest {
  return {
    format: 'recal-store',
    version: STORE_VERSION,
    hostNames: {},
    ingests: [],
    segments: [],
    nextIngest: 1,
    nextFile: 1,
  };
}

/** The manifest of the store in this folder, or undefined if there is none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    if (isSystemError(error, 'ENOTDIR')) {
      throw new RecalError('not-a-store', `${printable(folder)} is a file, and a store is a folder`, {
        hint: 'give --store a folder',
      });
    }
    throw error;
  }
  return checkManifest(text, path);
}

function checkManifest(text: string, path: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged(path, 'it is not JSON', cause);
  }
  const header = z.object({ format: z.literal('recal-store'), version: z.number() }).safeParse(value);
  if (!header.success) throw damaged(path, 'it does not say that it is a recal store');
  const { version } = header.data;
  if (version > STORE_VERSION) {
    throw new RecalError(
      'store-version',
      `this store has version ${version}; this recal knows ${STORE_VERSION}`,
      {
        hint: 'use the recal that wrote it, or a newer one',
        where: { file: path },
      },
    );
  }
  if (version < STORE_VERSION) {
    throw new RecalError(
      'store-version',
      `this store has version ${version}, from before the first release`,
      {
        hint: 'ingest the logs again into a new folder',
        where: { file: path },
      },
    );
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw damaged(path, `${issue.path.join('.')}: ${issue.message}`);
}

function damaged(path: string, why: string, cause?: unknown): RecalError {
  return new RecalError('store-damaged', `the manifest cannot be read: ${printable(why)}`, {
    hint: 'restore the file from a backup, or ingest the logs again into a new folder',
    where: { file: path },
    cause,
  });
}

/** Puts a new manifest in place of the old one: at every moment one of the two is there, whole. */
export async function replaceManifest(folder: string, manifest: Manifest): Promise<void> {
  manifestSchema.parse(manifest); // a store that could not be opened again would be lost: rather fail here
  const path = join(folder, MANIFEST);
  const draft = `${path}.new`;
  const file = await open(draft, 'w');
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 1)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** Makes renames in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
