import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError, RecalError } from '../base/errors.js';
import { replaceFile, syncFolder } from '../base/files/replace-file.js';
import { printable } from '../base/printable.js';
import { ACTIONS } from '../ingest/actions.js';
import { ENTITY_TYPES } from '../ingest/event.js';
import { TIME_UNITS } from '../ingest/time.js';
import { checkSeal, sealManifest } from './integrity/manifest-checksum.js';

/** Increased whenever an older recal could not read the new stores. */
const STORE_VERSION = 3;
/**
 * The oldest version that this recal reads. Version 1 has no losses, states, actions and sessions; version 2 has no segments
 * that hosts share.
 */
const OLDEST_VERSION = 1;
const MANIFEST = 'manifest.json';
/** A copy of the manifest, from which `recal repair` restores it. */
export const BACKUP = 'manifest.backup.json';

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

/** What a shared segment holds of one host. */
const hostPartSchema = z.strictObject({
  host: z.string(),
  rows: count,
  firstTs: integer.nullable(),
  lastTs: integer.nullable(),
});

const segmentSchema = z.strictObject({
  kind: z.enum(['events', 'entities']),
  /** Relative to the store's folder, with `/`. */
  path: z.string().regex(/^(events|entities)(\/[A-Za-z0-9][\w.-]*)+\.parquet$/),
  ingest: count,
  /** Null for a segment that several small hosts share; then `hosts` names them. */
  host: z.string().nullable(),
  hosts: z.array(hostPartSchema).min(1).optional(),
  /** UTC day of the events; null for entities. */
  day: z.string().nullable(),
  rows: count,
  bytes: count,
  /** Hash of the file. Segments of 0.1.0 have none until `recal verify --add`. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  firstTs: integer.nullable(),
  lastTs: integer.nullable(),
});
/** Readers find the rows of a host by these, so a segment without them would lose rows silently. */
const ownedSegmentSchema = segmentSchema.refine(
  ({ host, hosts, rows }) =>
    (host === null) === (hosts !== undefined) &&
    (hosts === undefined || hosts.reduce((sum, part) => sum + part.rows, 0) === rows),
  'names neither its host nor the rows of each host',
);

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The decompressed bytes that were read, by which the file is recognised after it has grown or been compressed. */
const contentSchema = z.strictObject({
  /** The number of bytes from the beginning of the file, without a last line that was not complete. */
  bytes: count,
  sha256,
  /** Hashes of the first 256, 512, 1024, … bytes. */
  checkpoints: z.array(sha256),
  /** The number of lines in these bytes. */
  lines: count,
  /** The number of lines that earlier ingests had read. */
  linesBefore: count,
});

const fileSchema = z.strictObject({
  /** Value of the column `file` in this file's events. */
  number: count,
  name: z.string(),
  bytes: count,
  /** Hash of the bytes on disk. */
  sha256,
  /** Null for archives, and in stores of 0.1.0. */
  content: contentSchema.nullable().default(null),
  sources: z.array(
    z.strictObject({
      name: z.string(),
      format: z.string(),
      timeUnit: z.enum(TIME_UNITS).nullable(),
      lines: count,
    }),
  ),
});

const lossSchema = z.strictObject({
  host: z.string(),
  from: integer,
  to: integer,
  /** 0 if the log does not say. */
  records: count,
  reason: z.string(),
});

/** How the events of a relation were read. A relation has several of these if its events differ in their action. */
const readingSchema = z.strictObject({
  relation: z.string(),
  action: z.enum(ACTIONS),
  /** Events whose information flows from the object to the subject, according to the log. */
  in: count,
  out: count,
  /** Events for which the log gives no direction. It follows from the relation. */
  unset: count,
});

/** Distinct values that processes have, per host. */
const identitySchema = z.strictObject({ users: count, sessions: count, containers: count, units: count });

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
  readings: z.array(readingSchema).default([]),
  identities: identitySchema.default({ users: 0, sessions: 0, containers: 0, units: 0 }),
  records: counts,
  noObject: count,
  malformed: count,
  /** Records that became part of another record or event, by what they are. */
  merged: counts.default({}),
  skipped: counts,
  repaired: counts,
  /** Records that the sensor lost, according to the log. Neighbouring losses of one kind are one. */
  losses: z.array(lossSchema).default([]),
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
  version: z.number().int().min(OLDEST_VERSION).max(STORE_VERSION),
  /** Host names by host identifier, if the logs contain them. */
  hostNames: recordOf(z.string()),
  ingests: z.array(ingestSchema),
  segments: z.array(ownedSegmentSchema),
  /** Numbers of dropped ingests and files are never used again. */
  nextIngest: count,
  nextFile: count,
  /** The file with the states of readers, with which the next ingest goes on. */
  state: z
    .strictObject({ path: z.string().regex(/^state\/\d+\.json$/), sha256: z.string() })
    .nullable()
    .default(null),
  /** Damaged or missing segments that `recal repair` took out of the store. */
  setAside: z.array(ownedSegmentSchema).default([]),
});
/** The manifest as written, with a checksum over the rest. */
const sealedSchema = manifestSchema.extend({ checksum: z.string().optional() });

export type Manifest = z.infer<typeof manifestSchema>;
export type Segment = z.infer<typeof segmentSchema>;
export type HostPart = z.infer<typeof hostPartSchema>;
export type IngestEntry = z.infer<typeof ingestSchema>;
export type FileEntry = z.infer<typeof fileSchema>;
export type Summary = z.infer<typeof summarySchema>;
export type Reading = z.infer<typeof readingSchema>;
export type StoredLoss = z.infer<typeof lossSchema>;

export function emptyManifest(): Manifest {
  return {
    format: 'recal-store',
    version: STORE_VERSION,
    hostNames: {},
    ingests: [],
    segments: [],
    nextIngest: 1,
    nextFile: 1,
    state: null,
    setAside: [],
  };
}

/** Reads the manifest of a store; undefined if the folder contains no store. */
export async function readManifest(folder: string, name = MANIFEST): Promise<Manifest | undefined> {
  const path = join(folder, name);
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
  if (version < OLDEST_VERSION) {
    throw new RecalError(
      'store-version',
      `the store has format version ${version}, from before the first release`,
      {
        hint: 'ingest the logs into a new folder with: recal ingest FILE… --store DIR',
        where: { file: path },
      },
    );
  }
  const parsed = sealedSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw damaged(path, `${issue.path.join('.')}: ${issue.message}`);
  }
  const { checksum, ...manifest } = parsed.data;
  // Manifests of 0.1.0 have no checksum.
  const isSealed = checksum !== undefined || version > OLDEST_VERSION;
  if (isSealed && !checkSeal(value as Record<string, unknown>)) {
    throw damaged(path, 'its checksum does not match; it was changed after it was written');
  }
  return manifest;
}

function damaged(path: string, why: string, cause?: unknown): RecalError {
  return new RecalError('store-damaged', `the manifest cannot be read: ${printable(why)}`, {
    hint: 'restore the file from a backup, or rebuild it with: recal repair --store DIR',
    where: { file: path },
    cause,
  });
}

/** Replaces the manifest atomically and durably. Its copy comes first, so that it is never behind. */
export async function replaceManifest(folder: string, manifest: Manifest): Promise<void> {
  // A store with an invalid manifest could not be opened again. Parsing also gives the keys one order.
  const text = sealManifest(manifestSchema.parse({ ...manifest, version: STORE_VERSION }));
  await replaceFile(join(folder, BACKUP), text);
  await replaceFile(join(folder, MANIFEST), text);
  await syncFolder(folder);
}

/** Makes the copy of the manifest equal again, if a writer was interrupted between the two. */
export async function restoreBackup(folder: string): Promise<void> {
  const [text, copy] = await Promise.all(
    [MANIFEST, BACKUP].map((name) => readFile(join(folder, name), 'utf8').catch(() => undefined)),
  );
  if (text !== undefined && text !== copy) await replaceFile(join(folder, BACKUP), text);
}
