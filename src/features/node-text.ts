import { type NodeAttributes, readNodeAttributes } from '../graph/node-attributes.js';
import { ENTITY_TYPES, type EntityType } from '../ingest/event.js';
import type { LoadedEvents } from '../store/load.js';
import type { Store } from '../store/store.js';
import { type Sentences, SentenceTable } from './sentences.js';
import { tokenise } from './tokens.js';
import { type Vocabulary, VocabularyBuilder } from './vocabulary.js';

const TYPE_NUMBERS = new Map<EntityType, number>(ENTITY_TYPES.map((type, number) => [type, number]));
const OTHER = ENTITY_TYPES.indexOf('other');

/** The types and tokens of the nodes of loaded events, by node number. */
export class NodeText {
  /** Indices into `ENTITY_TYPES`. */
  readonly types: Uint8Array;
  /** Token numbers of the vocabulary, one sentence per node. */
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

/** Reads the text of training nodes and learns the vocabulary from it (method §2). */
export async function learnNodeText(
  store: Store,
  events: LoadedEvents,
): Promise<{ text: NodeText; vocabulary: Vocabulary }> {
  const builder = new VocabularyBuilder(events.keys.size);
  const types = await readText(store, events, (node, tokens) => builder.add(node, tokens));
  const { vocabulary, sentences } = builder.finish();
  return { text: new NodeText(types, sentences), vocabulary };
}

/**
 * Reads the text of nodes with the vocabulary of a model; unknown tokens become `<unk>`. `onAttributes` is called for
 * each node, so that the attributes are read only once.
 */
export async function readNodeText(
  store: Store,
  events: LoadedEvents,
  vocabulary: Vocabulary,
  onAttributes?: (attributes: NodeAttributes) => void,
): Promise<NodeText> {
  const table = new SentenceTable(events.keys.size, (token) => vocabulary.numberOf(token));
  const types = await readText(store, events, (node, tokens) => table.set(node, tokens), onAttributes);
  return new NodeText(types, table.finish());
}

/** Reads the types of nodes and passes their tokens to `onTokens`. */
async function readText(
  store: Store,
  events: LoadedEvents,
  onTokens: (node: number, tokens: readonly string[]) => void,
  onAttributes?: (attributes: NodeAttributes) => void,
): Promise<Uint8Array> {
  const types = new Uint8Array(events.keys.size).fill(OTHER);
  for await (const batch of readNodeAttributes(store, events)) {
    for (const attributes of batch) {
      onAttributes?.(attributes);
      types[attributes.node] = TYPE_NUMBERS.get(attributes.type) ?? OTHER;
      const tokens = tokenise(attributes);
      if (tokens.length > 0) onTokens(attributes.node, tokens);
    }
  }
  return types;
}
