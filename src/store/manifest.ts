import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError, RecalError } from '../base/errors.js';
import { printable } from '../base/printable.js';
import { replaceFile, syncFolder } from '../base/replace-file.js';
import { ENTITY_TYPES } from '../ingest/event.js';
import { TIME_UNITS } from '../ingest/time.js';

/** Increased whenever an older recal could not read the new stores. */
const STORE_VERSION = 1;
const MANIFEST = 'manifest.json';

const count = z.number().int().nonnegative();
/** An object with keys from logs. z.record would drop the key `__proto__`. */
const recordOf = <T>(value: z.ZodType<T>) =>
  z.custom<Record<string, T>>(
    (given) =>
      typeof given === 'object' &&
      given !== null &&
      !Array.isArray(given) &&
      Object.values(given).every((each) => value.safeParse(each).success),
    'expected an object with values of the right type',
  );
const counts = recordOf(count);
/** 64-bit integers are strings in JSON, because a double would round nanoseconds. */
const integer = z.string().regex(/^-?\d+$/);

const segmentSchema = z.strictObject({
  kind: z.enum(['events', 'entities']),
  /** Relative to the store's folder, with `/`. */
  path: z.string().regex(/^(events|entities)(\/[A-Za-z0-9][\w.-]*)+\.parquet$/),
  ingest: count,
  host: z.string(),
  /** UTC day of the events; null for entities. */
  day: z.string().nullable(),
  rows: count,
  bytes: count,
  firstTs: integer.nullable(),
  lastTs: integer.nullable(),
});

const fileSchema = z.strictObject({
  /** Value of the column `file` in this file's events. */
  number: count,
  name: z.string(),
  bytes: count,
  /** Hash of the bytes on disk. */
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
    /** Entities that events refer to but no record defines. */
    placeholders: count,
  }),
  /** Events with at least one placeholder as an endpoint. */
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
  /** Host names by host identifier, if the logs contain them. */
  hostNames: recordOf(z.string()),
  ingests: z.array(ingestSchema),
  segments: z.array(segmentSchema),
  /** Numbers of dropped ingests and files are never used again. */
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

/** Reads the manifest of a store; undefined if the folder contains no store. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    if (isSystemError(error, 'ENOTDIR')) {
      throw new RecalError('not-a-store', `${printable(folder)} is a file; a store is a folder`, {
        hint: 'set --store to a new or empty folder, or to the folder of a store',
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
    throw damaged(path, 'not JSON', cause);
  }
  const header = z.object({ format: z.literal('recal-store'), version: z.number() }).safeParse(value);
  if (!header.success) throw damaged(path, 'not the manifest of a recal store');
  const { version } = header.data;
  if (version > STORE_VERSION) {
    throw new RecalError(
      'store-version',
      `the store has format version ${version}; this recal reads version ${STORE_VERSION}`,
      {
        hint: 'use the recal that wrote the store, or a newer one',
        where: { file: path },
      },
    );
  }
  if (version < STORE_VERSION) {
    throw new RecalError(
      'store-version',
      `the store has format version ${version}, from before the first release`,
      {
        hint: 'ingest the logs into a new folder with: recal ingest FILE… --store DIR',
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
    hint: 'restore the file from a backup, or ingest the logs into a new folder with: recal ingest FILE… --store DIR',
    where: { file: path },
    cause,
  });
}

/** Replaces the manifest atomically and durably. */
export async function replaceManifest(folder: string, manifest: Manifest): Promise<void> {
  manifestSchema.parse(manifest); // a store with an invalid manifest could not be opened again
  await replaceFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
  await syncFolder(folder);
}
