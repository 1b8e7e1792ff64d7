import { type NodeAttributes, readNodeAttributes } from '../graph/node-attributes.js';
import { ENTITY_TYPES, type EntityType } from '../ingest/event.js';
import type { LoadedEvents } from '../store/load.js';
import type { Store } from '../store/store.js';
import { type Sentences, SentenceTable } from './sentences.js';
import { type Attributes, tokenise } from './tokens.js';
import { type Vocabulary, VocabularyBuilder } from './vocabulary.js';

const TYPE_NUMBERS = new Map<EntityType, number>(ENTITY_TYPES.map((type, number) => [type, number]));
const OTHER = ENTITY_TYPES.indexOf('other');

/** Type and tokens of nodes, by node number: what features need to know of entities. */
export interface NodeText {
  /** Index into `ENTITY_TYPES`. */
  typeOf(node: number): number;
  /** Numbers in the vocabulary, valid until the next change. */
  tokensOf(node: number): Uint32Array;
}

/** Those of all nodes of loaded events. */
export class StoredText implements NodeText {
  readonly types: Uint8Array;
  readonly sentences: Sentences;

  constructor(types: Uint8Array, sentences: Sentences) {
    this.types = types;
    this.sentences = sentences;
  }

  typeOf(node: number): number {
    return this.types[node];
  }

  tokensOf(node: number): Uint32Array {
    const { offsets, tokens } = this.sentences;
    return tokens.subarray(offsets[node], offsets[node + 1]);
  }
}

/** Those of nodes that come to be known one by one, and may be renamed: for events as they arrive. */
export class LiveText implements NodeText {
  #types = new Uint8Array(1024).fill(OTHER);
  readonly #table: SentenceTable;

  constructor(vocabulary: Vocabulary) {
    this.#table = new SentenceTable(1024, (token) => vocabulary.numberOf(token));
  }

  /** What is known of a node now, in place of what was. */
  set(node: number, attributes: Attributes): void {
    if (node >= this.#types.length) {
      const larger = new Uint8Array(Math.max(node + 1, this.#types.length * 2)).fill(OTHER);
      larger.set(this.#types);
      this.#types = larger;
    }
    this.#types[node] = TYPE_NUMBERS.get(attributes.type) ?? OTHER;
    this.#table.set(node, tokenise(attributes));
  }

  typeOf(node: number): number {
    return this.#types[node] ?? OTHER;
  }

  tokensOf(node: number): Uint32Array {
    return this.#table.get(node);
  }
}

/** Reads the attributes of training nodes and learns the vocabulary from them (method §2). */
export async function learnNodeText(
  store: Store,
  events: LoadedEvents,
): Promise<{ text: StoredText; vocabulary: Vocabulary }> {
  const builder = new VocabularyBuilder(events.keys.size);
  const types = await readText(store, events, (node, tokens) => builder.add(node, tokens));
  const { vocabulary, sentences } = builder.finish();
  return { text: new StoredText(types, sentences), vocabulary };
}

/**
 * The same for nodes that are judged by a model: tokens that its training did not keep are `<unk>`. Who needs attributes
 * for something else is given them in passing.
 */
export async function readNodeText(
  store: Store,
  events: LoadedEvents,
  vocabulary: Vocabulary,
  passing?: (attributes: NodeAttributes) => void,
): Promise<StoredText> {
  const table = new SentenceTable(events.keys.size, (token) => vocabulary.numberOf(token));
  const types = await readText(store, events, (node, tokens) => table.set(node, tokens), passing);
  return new StoredText(types, table.finish());
}

async function readText(
  store: Store,
  events: LoadedEvents,
  take: (node: number, tokens: readonly string[]) => void,
  passing?: (attributes: NodeAttributes) => void,
): Promise<Uint8Array> {
  const types = new Uint8Array(events.keys.size).fill(OTHER);
  for await (const attributes of readNodeAttributes(store, events)) {
    passing?.(attributes);
    types[attributes.node] = TYPE_NUMBERS.get(attributes.type) ?? OTHER;
    const tokens = tokenise(attributes);
    if (tokens.length > 0) take(attributes.node, tokens);
  }
  return types;
}
