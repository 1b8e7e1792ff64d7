import { basename } from 'node:path';
import { RecalError } from '../../base/errors.js';
import { isoMilliseconds } from '../../base/time-text.js';
import { elapsedTimes } from '../../features/profile.js';
import type { LoadedEvents } from '../../store/load.js';
import type { Store } from '../../store/store.js';
import type { TrainingConfig } from './training-config.js';

const MINUTE = 60_000_000_000;

/** Assigns each event to a graph (method §1): a time window of a host, or a file. */
export interface GraphPlan {
  /** The graph of each event. */
  readonly graphOf: Int32Array;
  /** The number of events of each graph. */
  readonly sizes: Uint32Array;
  /** A readable name for each graph. */
  readonly titles: readonly string[];
  /**
   * The nanoseconds that each graph covers. A window counts in full, including quiet time, but not before the first or
   * after the last event of its host. A file counts from its first to its last event.
   */
  readonly spans: Float64Array;
}

/** The nanoseconds that the graph with these rows covers. */
export function spanOf({ graphOf, spans }: GraphPlan, rows: Int32Array): number {
  return spans[graphOf[rows[0]]];
}

/** Graphs are numbered in the order of their first events. */
export function planGraphs(
  store: Pick<Store, 'manifest'>,
  events: LoadedEvents,
  config: Pick<TrainingConfig, 'graph' | 'window'>,
): GraphPlan {
  return config.graph === 'file' ? planFiles(store, events) : planWindows(events, config.window * MINUTE);
}

/** Windows begin at multiples of their length since 1970, so they do not depend on the other events of the store. */
function planWindows({ table, keys, hosts }: LoadedEvents, length: number): GraphPlan {
  const first = table.length === 0 ? 0n : table.ts[0];
  const step = BigInt(Math.round(length));
  // Rounds down, also before 1970.
  const origin = first - (((first % step) + step) % step);
  const times = elapsedTimes(table, origin);
  const startOf = (window: number) => origin + step * BigInt(window);
  const bounds = hosts.map(() => ({ first: Number.POSITIVE_INFINITY, last: 0 }));
  for (let row = 0; row < table.length; row++) {
    const of = bounds[hostOf(table, keys, row)];
    of.first = Math.min(of.first, times[row]);
    of.last = Math.max(of.last, times[row]);
  }
  return plan(
    table.length,
    (row) => Math.floor(times[row] / Number(step)) * hosts.length + hostOf(table, keys, row),
    (key) =>
      `${hosts[key % hosts.length]} ${isoMilliseconds(startOf(Math.floor(key / hosts.length))).replace('.000Z', 'Z')}`,
    (key) => {
      const start = Math.floor(key / hosts.length) * Number(step);
      const { first: from, last: until } = bounds[key % hosts.length];
      return Math.min(start + Number(step), until) - Math.max(start, from);
    },
  );
}

function planFiles({ manifest }: Pick<Store, 'manifest'>, { table, files }: LoadedEvents): GraphPlan {
  const names = new Map(
    manifest.ingests.flatMap((ingest) => ingest.files.map(({ number, name }) => [number, basename(name)])),
  );
  const bounds = new Map<number, { first: bigint; last: bigint }>();
  for (let row = 0; row < table.length; row++) {
    const known = bounds.get(files[row]);
    if (known === undefined) bounds.set(files[row], { first: table.ts[row], last: table.ts[row] });
    else known.last = table.ts[row];
  }
  return plan(
    table.length,
    (row) => files[row],
    (key) => names.get(key) ?? `file ${key}`,
    (key) => {
      const { first = 0n, last = 0n } = bounds.get(key) ?? {};
      return Number(last - first);
    },
  );
}

function plan(
  length: number,
  keyOf: (row: number) => number,
  titleOf: (key: number) => string,
  lengthOf: (key: number) => number,
): GraphPlan {
  const graphOf = new Int32Array(length);
  const numbers = new Map<number, number>();
  for (let row = 0; row < length; row++) {
    const key = keyOf(row);
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    graphOf[row] = numbers.get(key) as number;
  }
  const sizes = new Uint32Array(numbers.size);
  for (const graph of graphOf) sizes[graph]++;
  const keys = [...numbers.keys()];
  return { graphOf, sizes, titles: keys.map(titleOf), spans: Float64Array.from(keys, lengthOf) };
}

/** All entities of an event have the same host. */
function hostOf(table: LoadedEvents['table'], keys: LoadedEvents['keys'], row: number): number {
  const node = Math.max(table.subject[row], table.object[row], table.object2[row]);
  return node < 0 ? 0 : keys.hostAt(node);
}

/** Refuses more relations than a model can hold. */
export function checkRelations(relations: readonly string[], limit: number): void {
  if (relations.length <= limit) return;
  throw new RecalError(
    'too-many-relations',
    `the events have ${relations.length} relations, but a model can have at most ${limit}`,
    { hint: 'map rare event types to fewer names before ingest' },
  );
}
