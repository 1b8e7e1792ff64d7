import { ENTITY_TYPES } from '../ingest/event.js';
import type { LoadedEvents } from './load.js';
import { readNodeAttributes } from './node-attributes.js';
import type { Store } from './store.js';

const OTHER = ENTITY_TYPES.indexOf('other');
/** A name is looked up and compared, never shown whole: an attacker's 64 KB argument need not be kept 64 KB long. */
const LONGEST = 4096;

/** What the nodes of loaded events are called, by node number. Texts are kept once each. */
export interface NodeNames {
  /** Index into `ENTITY_TYPES`. */
  readonly types: Uint8Array;
  readonly texts: readonly string[];
  /** Number of a node's name in `texts`, or -1: program, path, remote address. */
  readonly name: Int32Array;
  /** Likewise for command lines. */
  readonly cmd: Int32Array;
  /** -1 where unknown. */
  readonly pid: Int32Array;
  /** Node of the parent process, or -1. */
  readonly parent: Int32Array;
}

export async function readNodeNames(
  store: Store,
  events: Pick<LoadedEvents, 'keys' | 'hosts'>,
): Promise<NodeNames> {
  const { size } = events.keys;
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  const numberOf = (text: string | undefined): number => {
    if (text === undefined || text === '') return -1;
    const kept = text.length > LONGEST ? text.slice(0, LONGEST) : text;
    const known = numbers.get(kept);
    if (known !== undefined) return known;
    numbers.set(kept, texts.length);
    return texts.push(kept) - 1;
  };
  const types = new Uint8Array(size).fill(OTHER);
  const [name, cmd] = [new Int32Array(size).fill(-1), new Int32Array(size).fill(-1)];
  const [pid, parent] = [new Int32Array(size).fill(-1), new Int32Array(size).fill(-1)];
  for await (const attributes of readNodeAttributes(store, events)) {
    const { node } = attributes;
    types[node] = Math.max(0, ENTITY_TYPES.indexOf(attributes.type));
    name[node] = numberOf(attributes.name);
    cmd[node] = numberOf(attributes.cmd);
    pid[node] = attributes.pid ?? -1;
    parent[node] = attributes.parent;
  }
  return { types, texts, name, cmd, pid, parent };
}

/** The name of a node, or undefined where the log gives none. */
export function nameOf(names: NodeNames, node: number): string | undefined {
  return names.name[node] < 0 ? undefined : names.texts[names.name[node]];
}
