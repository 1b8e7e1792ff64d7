import type { NodeNames } from '../../graph/node-names.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { LoadedEvents } from '../../store/load.js';
import type { Labels } from './labels.js';
import { foldName, parseProcessKey } from './natural-key.js';

const PROCESS = ENTITY_TYPES.indexOf('process');
/** Sources round the start of a process differently, and one may see the fork and another the first record. */
const START_SLACK = 1_000_000_000n;

/** The nodes that labels are matched with. */
export interface LabelledNodes {
  readonly count: number;
  /** The key of a node as a UUID, like `LoadedEvents.uuid`. */
  key(node: number): string;
  readonly names?: NodeNames | undefined;
  /** The start of the processes whose id is `pid:<pid>@<start ns>`, by node. */
  readonly starts?: ReadonlyMap<number, bigint> | undefined;
  readonly events?: Pick<LoadedEvents, 'table' | 'keys'> | undefined;
}

/**
 * Calls `visit` for every label of a node, in ascending order of nodes except for processes matched by time. A label
 * matches a node with its id; a node that is no process and has it as its name; or a process by number and time.
 */
export function visitLabelled(
  labels: Labels,
  nodes: LabelledNodes,
  visit: (node: number, label: number) => void,
): void {
  const { names } = nodes;
  const found = new Uint8Array(labels.labels.length);
  const ofText = names === undefined ? undefined : labelsOfTexts(labels, names.texts);
  for (let node = 0; node < nodes.count; node++) {
    const byKey = labels.byKey.get(nodes.key(node).toUpperCase()) ?? -1;
    const text = names === undefined || names.types[node] === PROCESS ? -1 : names.name[node];
    const byName = text < 0 || ofText === undefined ? -1 : ofText[text];
    if (byKey >= 0) {
      found[byKey] = 1;
      visit(node, byKey);
    }
    if (byName >= 0 && byName !== byKey) {
      found[byName] = 1;
      visit(node, byName);
    }
  }
  visitByTime(labels, nodes, found, visit);
}

/** The label of each distinct name, or -1. */
function labelsOfTexts(labels: Labels, texts: readonly string[]): Int32Array {
  const byName = new Map(labels.labels.map(({ id }, label) => [foldName(id), label]));
  return Int32Array.from(texts, (text) => byName.get(foldName(text)) ?? -1);
}

/**
 * Matches labels `pid:<pid>@<time>` that have no process with just that start: on each host, the process of that number
 * that starts within a second, or else the one that was running.
 */
function visitByTime(
  labels: Labels,
  { names, starts, events }: LabelledNodes,
  found: Uint8Array,
  visit: (node: number, label: number) => void,
): void {
  const wanted = labels.labels.flatMap(({ id }, label) => {
    const key = found[label] === 1 ? undefined : parseProcessKey(id);
    return key === undefined ? [] : [{ label, ...key }];
  });
  if (wanted.length === 0 || names === undefined || starts === undefined || events === undefined) return;
  const last = lastActivity(events.table, events.keys.size);
  const byPid = new Map<number, number[]>();
  for (const node of starts.keys()) {
    const same = byPid.get(names.pid[node]);
    if (same === undefined) byPid.set(names.pid[node], [node]);
    else same.push(node);
  }
  for (const { label, pid, start } of wanted) {
    const away = (node: number) => distance(starts.get(node) as bigint, start);
    const nearest = new Map<number, number>();
    for (const node of byPid.get(pid) ?? []) {
      const began = starts.get(node) as bigint;
      if (began > start + START_SLACK || last[node] < start - START_SLACK) continue;
      const host = events.keys.hostAt(node);
      const known = nearest.get(host);
      if (known === undefined || away(node) < away(known)) nearest.set(host, node);
    }
    for (const node of nearest.values()) visit(node, label);
  }
}

function distance(one: bigint, other: bigint): bigint {
  return one < other ? other - one : one - other;
}

/** The time of the last event of each node. */
function lastActivity(table: LoadedEvents['table'], nodes: number): BigInt64Array {
  const last = new BigInt64Array(nodes);
  for (let row = 0; row < table.length; row++) {
    for (const node of [table.subject[row], table.object[row], table.object2[row]]) {
      if (node >= 0) last[node] = table.ts[row];
    }
  }
  return last;
}
