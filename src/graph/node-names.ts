import { ENTITY_TYPES } from '../ingest/event.js';
import type { LoadedEvents } from '../store/load.js';
import type { Store } from '../store/store.js';
import { type NodeAttributes, readNodeAttributes } from './node-attributes.js';

const OTHER = ENTITY_TYPES.indexOf('other');
/** Longer names are cut. They are only compared, never shown whole, and an attacker may choose a name of 64 KB. */
const MAX_LENGTH = 4096;

/** The names of the nodes of loaded events, by node number. Each distinct text is stored once. */
export interface NodeNames {
  /** Index into `ENTITY_TYPES`. */
  readonly types: Uint8Array;
  readonly texts: readonly string[];
  /** Index in `texts` of the log's own type, such as FILE_OBJECT_UNIX_SOCKET, or -1. */
  readonly kind?: Int32Array | undefined;
  /** Index in `texts` of the node's name (program, path or remote address), or -1. */
  readonly name: Int32Array;
  /** Index in `texts` of the node's command line, or -1. */
  readonly cmd: Int32Array;
  /** Index in `texts` of the login session of a process, or -1. */
  readonly session: Int32Array;
  /** Index in `texts` of the container and of the service unit of a process, or -1. */
  readonly container?: Int32Array | undefined;
  readonly unit?: Int32Array | undefined;
  /** Process id, or -1 if unknown. */
  readonly pid: Int32Array;
  /** Node of the parent process, or -1. */
  readonly parent: Int32Array;
}

export async function readNodeNames(
  store: Store,
  events: Pick<LoadedEvents, 'keys' | 'hosts' | 'table'>,
): Promise<NodeNames> {
  const builder = new NodeNamesBuilder(events.keys.size);
  for await (const batch of readNodeAttributes(store, events))
    for (const attributes of batch) builder.add(attributes);
  return builder.finish();
}

/** Collects names from attributes, so that one pass over the attributes can serve several purposes. */
export class NodeNamesBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #names: NodeNames & { readonly texts: string[] } & Record<
      'kind' | 'container' | 'unit',
      Int32Array
    >;

  constructor(nodes: number) {
    const unknown = () => new Int32Array(nodes).fill(-1);
    const types = new Uint8Array(nodes).fill(OTHER);
    this.#names = {
      types,
      texts: [],
      kind: unknown(),
      name: unknown(),
      cmd: unknown(),
      session: unknown(),
      container: unknown(),
      unit: unknown(),
      pid: unknown(),
      parent: unknown(),
    };
  }

  add({ node, type, kind, name, cmd, session, container, unit, pid, parent }: NodeAttributes): void {
    const names = this.#names;
    names.types[node] = Math.max(0, ENTITY_TYPES.indexOf(type));
    names.kind[node] = this.#numberOf(kind);
    names.name[node] = this.#numberOf(name);
    names.cmd[node] = this.#numberOf(cmd);
    names.session[node] = this.#numberOf(session);
    names.container[node] = this.#numberOf(container);
    names.unit[node] = this.#numberOf(unit);
    names.pid[node] = pid ?? -1;
    names.parent[node] = parent;
  }

  finish(): NodeNames {
    return this.#names;
  }

  #numberOf(text: string | undefined): number {
    if (text === undefined || text === '') return -1;
    const kept = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text;
    const known = this.#numbers.get(kept);
    if (known !== undefined) return known;
    const { texts } = this.#names;
    this.#numbers.set(kept, texts.length);
    return texts.push(kept) - 1;
  }
}

/** The name of a node, or undefined if the log contains none. */
export function nameOf(names: NodeNames, node: number): string | undefined {
  return names.name[node] < 0 ? undefined : names.texts[names.name[node]];
}
