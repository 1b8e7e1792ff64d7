import { ENTITY_TYPES } from '../ingest/event.js';
import type { LoadedEvents } from '../store/load.js';
import type { Store } from '../store/store.js';
import { type NodeAttributes, readNodeAttributes } from './node-attributes.js';

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
  const builder = new NodeNamesBuilder(events.keys.size);
  for await (const attributes of readNodeAttributes(store, events)) builder.add(attributes);
  return builder.finish();
}

/** Names from attributes that are being read for something else too: the merge behind them is worth doing once. */
export class NodeNamesBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #names: NodeNames & { readonly texts: string[] };

  constructor(nodes: number) {
    const unknown = () => new Int32Array(nodes).fill(-1);
    const types = new Uint8Array(nodes).fill(OTHER);
    this.#names = { types, texts: [], name: unknown(), cmd: unknown(), pid: unknown(), parent: unknown() };
  }

  add({ node, type, name, cmd, pid, parent }: NodeAttributes): void {
    const names = this.#names;
    names.types[node] = Math.max(0, ENTITY_TYPES.indexOf(type));
    names.name[node] = this.#numberOf(name);
    names.cmd[node] = this.#numberOf(cmd);
    names.pid[node] = pid ?? -1;
    names.parent[node] = parent;
  }

  finish(): NodeNames {
    return this.#names;
  }

  #numberOf(text: string | undefined): number {
    if (text === undefined || text === '') return -1;
    const kept = text.length > LONGEST ? text.slice(0, LONGEST) : text;
    const known = this.#numbers.get(kept);
    if (known !== undefined) return known;
    const { texts } = this.#names;
    this.#numbers.set(kept, texts.length);
    return texts.push(kept) - 1;
  }
}

/** The name of a node, or undefined where the log gives none. */
export function nameOf(names: NodeNames, node: number): string | undefined {
  return names.name[node] < 0 ? undefined : names.texts[names.name[node]];
}
