import { Readable } from 'node:stream';
import { ACTIONS } from '../../src/ingest/actions.js';
import {
  Batch,
  type Loss,
  type Problem,
  RANK_ADDRESS,
  RANK_HINT,
  TEXT_CMD,
  TEXT_CONTAINER,
  TEXT_ID,
  TEXT_LOCAL,
  TEXT_NAME,
  TEXT_SESSION,
  TEXT_UNIT,
} from '../../src/ingest/batch.js';
import { formatKey } from '../../src/ingest/entity-key.js';
import { ENTITY_TYPES, type Entity, type Event } from '../../src/ingest/event.js';
import { FLOW_IN, FLOW_OUT } from '../../src/ingest/flow.js';
import { formatByName } from '../../src/ingest/formats/known-formats.js';
import { ParsePool } from '../../src/ingest/parse/parse-pool.js';
import { LogReader, type ReadOptions, type SourceReport } from '../../src/ingest/read.js';
import { SourceClock } from '../../src/ingest/source-clock.js';
import { openInput } from '../../src/ingest/sources/byte-source.js';
import { LineBlocks } from '../../src/ingest/sources/line-blocks.js';
import type { TimeUnit } from '../../src/ingest/time.js';
import { sourceOf } from './sources/memory-source.js';

/** The information of a log about an entity, and the rank of its name. */
export interface Upsert {
  entity: Entity;
  host: string;
  rank: 'hint' | 'stated' | 'address';
}

/** A line of recal NDJSON: an event or an entity. */
export type LogRecord = { event: Event; line: number } | { upsert: Upsert };

/** The content of batches as plain objects. */
export interface Decoded {
  /** All records in the order of the log. The upserts of an event follow it. */
  log: LogRecord[];
  events: Event[];
  upserts: Upsert[];
  /** The line of each event, from 1. */
  lines: number[];
  hostNames: Record<string, string>;
  counts: { lines: number; blank: number; malformed: number; badText: number };
  skipped: Record<string, number>;
  merged: Record<string, number>;
  repaired: Record<string, number>;
  losses: Loss[];
  records: Record<string, number>;
  /** With lines from 1. */
  problems: Problem[];
}

const ABSENT_KEY = formatKey(0, 0, 0, 0);

function keyAt(column: Uint32Array, row: number): string {
  const at = row * 4;
  return formatKey(column[at + 3] ^ 0x80000000, column[at + 2], column[at + 1], column[at]);
}

/** Converts the batches of a source to plain objects. */
export function decode(batches: readonly Batch[]): Decoded {
  const out: Decoded = {
    log: [],
    events: [],
    upserts: [],
    lines: [],
    hostNames: {},
    counts: { lines: 0, blank: 0, malformed: 0, badText: 0 },
    skipped: {},
    merged: {},
    repaired: {},
    losses: [],
    records: {},
    problems: [],
  };
  const ids = ownIds(batches);
  for (const batch of batches) decodeBatch(batch, ids, out);
  return out;
}

/** Returns the identifiers that are not UUIDs, by their keys. */
function ownIds(batches: readonly Batch[]): Map<string, string> {
  const ids = new Map<string, string>();
  for (const batch of batches) {
    for (let i = 0; i < batch.upserts; i++) {
      const id = batch.textOf(i, TEXT_ID);
      if (id !== undefined) ids.set(keyAt(batch.upsertKey, i), id);
    }
  }
  return ids;
}

function decodeBatch(batch: Batch, ids: ReadonlyMap<string, string>, out: Decoded): void {
  const firstLine = out.counts.lines + 1;
  const idAt = (column: Uint32Array, row: number): string | undefined => {
    const key = keyAt(column, row);
    return key === ABSENT_KEY ? undefined : (ids.get(key) ?? key);
  };
  let upsert = 0;
  const order = (at: number): number => Math.min(batch.upsertRow[at], batch.upsertLast[at]);
  const takeUpserts = (row: number): void => {
    // A late event with an earlier time moves its upsert back to that time.
    for (; upsert < batch.upserts && order(upsert) <= row; upsert++) {
      const decoded = decodeUpsert(batch, upsert, idAt);
      out.upserts.push(decoded);
      out.log.push({ upsert: decoded });
    }
  };
  takeUpserts(-1);
  for (let row = 0; row < batch.events; row++) {
    const event = decodeEvent(batch, row, idAt);
    out.events.push(event);
    // Lines count modulo 2^32 from that of the batch.
    const line = (firstLine + batch.line[row]) >>> 0;
    out.lines.push(line);
    out.log.push({ event, line });
    takeUpserts(row);
  }
  if (upsert !== batch.upserts) throw new Error(`upsert ${upsert} has row ${batch.upsertRow[upsert]}`);
  for (const [host, name] of batch.hostNames) out.hostNames[host] = name;
  for (const problem of batch.problems) out.problems.push({ ...problem, line: firstLine + problem.line });
  for (const [reason, count] of batch.skipped) add(out.skipped, reason, count);
  for (const [kind, count] of batch.records) add(out.records, kind, count);
  for (const [kind, count] of batch.merged) add(out.merged, kind, count);
  for (const [reason, count] of batch.repaired) add(out.repaired, reason, count);
  out.losses.push(...batch.losses);
  for (const name of ['lines', 'blank', 'malformed', 'badText'] as const) out.counts[name] += batch[name];
}

function add(to: Record<string, number>, name: string, count: number): void {
  to[name] = (to[name] ?? 0) + count;
}

type IdAt = (column: Uint32Array, row: number) => string | undefined;

function decodeEvent(batch: Batch, row: number, idAt: IdAt): Event {
  const event: Event = {
    ts: batch.ts[row],
    seq: batch.seq[row],
    host: batch.symbols[batch.host[row]] ?? '',
    rel: batch.symbols[batch.relation[row]],
  };
  if (batch.action[row] > 0) event.action = ACTIONS[batch.action[row] - 1];
  const ends = { subj: batch.subject, obj: batch.object, obj2: batch.object2 };
  for (const [end, column] of Object.entries(ends) as ['subj' | 'obj' | 'obj2', Uint32Array][]) {
    const id = idAt(column, row);
    if (id !== undefined) event[end] = { id };
  }
  if (batch.ok[row] !== 0) event.ok = batch.ok[row] === 2;
  if (batch.flow[row] === FLOW_IN) event.flow = 'in';
  if (batch.flow[row] === FLOW_OUT) event.flow = 'out';
  const attrs = batch.attrs.find((entry) => entry.row === row);
  if (attrs !== undefined) event.attrs = JSON.parse(attrs.json) as Record<string, unknown>;
  return event;
}

function decodeUpsert(batch: Batch, at: number, idAt: IdAt): Upsert {
  const entity: Entity = { id: idAt(batch.upsertKey, at) as string };
  const set = <K extends keyof Entity>(field: K, value: Entity[K] | undefined): void => {
    if (value !== undefined) entity[field] = value;
  };
  set('type', ENTITY_TYPES[batch.upsertType[at] - 1]);
  set('kind', batch.symbols[batch.upsertKind[at]]);
  set('name', batch.textOf(at, TEXT_NAME));
  set('cmd', batch.textOf(at, TEXT_CMD));
  set('pid', batch.upsertPid[at] === -1 ? undefined : batch.upsertPid[at]);
  set('parent', idAt(batch.upsertParent, at));
  set('user', idAt(batch.upsertUser, at));
  set('local', batch.textOf(at, TEXT_LOCAL));
  set('session', batch.textOf(at, TEXT_SESSION));
  set('container', batch.textOf(at, TEXT_CONTAINER));
  set('unit', batch.textOf(at, TEXT_UNIT));
  const rank = batch.upsertRank[at];
  return {
    entity,
    host: batch.symbols[batch.upsertHost[at]] ?? '',
    rank: rank === RANK_HINT ? 'hint' : rank === RANK_ADDRESS ? 'address' : 'stated',
  };
}

/** Merges the upserts of each entity: the last value of a field counts, but a hint never replaces a stated name. */
export function mergeEntities(upserts: readonly Upsert[]): Map<string, Entity & { host: string }> {
  const known = new Map<string, Entity & { host: string }>();
  const stated = new Set<string>();
  for (const { entity, host, rank } of upserts) {
    const { name, ...rest } = entity;
    const state = known.get(entity.id) ?? { id: entity.id, host };
    Object.assign(state, rest);
    if (name !== undefined && (rank !== 'hint' || !stated.has(entity.id))) state.name = name;
    if (name !== undefined && rank !== 'hint') stated.add(entity.id);
    known.set(entity.id, state);
  }
  return known;
}

/** Formats a line of recal NDJSON. It also writes the rank of a hint, which the reader ignores. */
export function formatRecord(record: LogRecord): string {
  if ('upsert' in record) {
    const { entity, host, rank } = record.upsert;
    return JSON.stringify({ entity, ...(host && { host }), ...(rank === 'hint' && { rank }) });
  }
  const { ts, seq, host, ...rest } = record.event;
  const head = `{"ts":"${ts}"${seq === undefined || seq === 0n ? '' : `,"seq":${seq}`}`;
  return `${head},${JSON.stringify({ ...(host && { host }), ...rest }).slice(1)}`;
}

export interface BlockOptions {
  blockBytes?: number;
  threads?: number;
  maxLine?: number;
  unit?: TimeUnit;
  /** The pool to use. Threads need the built one. */
  Pool?: typeof ParsePool;
}

/** Reads bytes like LogReader, but in blocks of any size. */
export async function readBlocks(
  content: string | Uint8Array,
  format: string,
  options: BlockOptions = {},
): Promise<Decoded> {
  const bytes = Buffer.from(content);
  const { blockBytes = bytes.length + 1, threads = 0, maxLine = 1 << 20, Pool = ParsePool } = options;
  const pool = new Pool(threads, blockBytes, { maxLine });
  const clock = new SourceClock('test', formatByName(format).exactTime ? 'ns' : options.unit);
  const blocks = new LineBlocks(sourceOf(bytes));
  try {
    const parsed: Promise<Batch>[] = [];
    for (;;) {
      const lease = await pool.acquire();
      const { length, dropped } = await blocks.fill(lease.bytes, blockBytes);
      if (dropped.length > 0) throw new Error('a line is longer than a block');
      if (length === 0) break;
      parsed.push(lease.parse(format, length));
    }
    const settled: Batch[] = [];
    const assembler = formatByName(format).assembler?.(undefined);
    for (const waiting of parsed) {
      const batch = await waiting;
      assembler?.take(batch);
      settled.push(...clock.take(batch));
    }
    assembler?.endSource?.();
    const last = new Batch();
    assembler?.finish(last);
    return decode([...settled, ...clock.finish(), last]);
  } finally {
    await pool.close();
  }
}

/** A source that LogReader has read to the end. */
export interface WholeSource extends Decoded {
  report: SourceReport;
}

async function collect(reader: LogReader, batches: ReturnType<LogReader['read']>): Promise<WholeSource[]> {
  const sources = new Map<SourceReport, Batch[]>();
  try {
    for await (const { source, batch } of batches) {
      if (!sources.has(source)) sources.set(source, []);
      sources.get(source)?.push(batch);
    }
    return [...sources].map(([report, list]) => ({ report, ...decode(list) }));
  } finally {
    await reader.close();
  }
}

/** Reads all sources of a file with LogReader. */
export async function readLog(path: string, options: ReadOptions = {}): Promise<WholeSource[]> {
  const reader = new LogReader(options);
  return collect(reader, reader.readPath(path));
}

/** Reads bytes like standard input. */
export async function readBytes(
  content: string | Uint8Array,
  options: ReadOptions = {},
): Promise<WholeSource[]> {
  const input = await openInput('-', { stdin: Readable.from([Buffer.from(content)]) });
  const reader = new LogReader(options);
  try {
    return await collect(reader, reader.read(input));
  } finally {
    await input.close();
  }
}
