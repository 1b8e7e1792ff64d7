import type { GraphView } from '../../detect/graph-view.js';
import { ENTITY_TYPES } from '../../ingest/event.js';

/** More kinds share the last number, because a log may invent any number of them. */
const MOST_KINDS = 64;

/** Numbers for the node types that published detectors use: the log's own, such as FILE_OBJECT_UNIX_SOCKET. */
export class NodeKinds {
  readonly #numbers = new Map<string, number>();
  #isClosed = false;

  /** The number of kinds. The number itself stands for kinds that training lacks. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Kinds first met later have the number `size`. */
  close(): void {
    this.#isClosed = true;
  }

  /** By local node. */
  of({ planned, names }: Pick<GraphView, 'planned' | 'names'>): Uint8Array {
    return Uint8Array.from(planned.nodes, (node) => {
      const kind = names.kind?.[node] ?? -1;
      return this.#numberOf(kind < 0 ? ENTITY_TYPES[names.types[node]] : names.texts[kind]);
    });
  }

  #numberOf(kind: string): number {
    const known = this.#numbers.get(kind);
    if (known !== undefined) return known;
    if (this.#isClosed) return this.size;
    if (this.size === MOST_KINDS) return MOST_KINDS - 1;
    this.#numbers.set(kind, this.size);
    return this.size - 1;
  }
}
