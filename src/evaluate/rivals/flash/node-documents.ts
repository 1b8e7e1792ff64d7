import type { GraphView } from '../../../detect/graph-view.js';
import type { Sentences } from '../../../features/sentences.js';
import type { NodeNames } from '../../../graph/node-names.js';
import { positionCode } from './position-code.js';

/** A Map holds at most 2^24 entries. Words beyond this number are left out. */
const MOST_WORDS = 1 << 22;
/** In a document: a word that is not known. */
const NO_WORD = 0xffffffff;

/** The documents of FLASH: for each event of a node, the program, the relation and the name of the object. */
export class NodeDocuments {
  readonly #words = new Map<string, number>();
  readonly #known = new WeakMap<NodeNames, Int32Array>();
  #isClosed = false;

  /** The number of words. */
  get size(): number {
    return this.#words.size;
  }

  /** Words first met later are unknown. */
  close(): void {
    this.#isClosed = true;
  }

  /** One document per node of a graph, in the order of the events. `relations` are the names of the model's. */
  of({ planned, interactions, names }: GraphView, relations: readonly string[]): Sentences {
    const { nodes } = planned;
    const { subject, object, relation, length } = interactions;
    const offsets = new Uint32Array(nodes.length + 1);
    const visit = (say: (node: number, word: number) => void) => {
      for (let i = 0; i < length; i++) {
        const triple = [
          this.#nameOf(names, nodes[subject[i]]),
          this.#numberOf(relations[relation[i]] ?? ''),
          this.#nameOf(names, nodes[object[i]]),
        ];
        for (const node of subject[i] === object[i] ? [subject[i]] : [subject[i], object[i]]) {
          for (const word of triple) if (word !== NO_WORD) say(node, word);
        }
      }
    };
    visit((node) => {
      offsets[node + 1]++;
    });
    for (let node = 0; node < nodes.length; node++) offsets[node + 1] += offsets[node];
    const tokens = new Uint32Array(offsets[nodes.length]);
    const next = offsets.slice(0, nodes.length);
    visit((node, word) => {
      tokens[next[node]++] = word;
    });
    return { offsets, tokens };
  }

  #nameOf(names: NodeNames, node: number): number {
    const text = names.name[node];
    if (text < 0) return NO_WORD;
    let known = this.#known.get(names);
    if (known === undefined) {
      known = new Int32Array(names.texts.length);
      this.#known.set(names, known);
    }
    if (known[text] === 0) {
      const word = this.#numberOf(names.texts[text]);
      known[text] = word === NO_WORD ? -1 : word + 1;
    }
    return known[text] < 0 ? NO_WORD : known[text] - 1;
  }

  #numberOf(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    if (this.#isClosed || word === '' || this.size >= MOST_WORDS) return NO_WORD;
    this.#words.set(word, this.size);
    return this.size - 1;
  }
}

/** Longer documents are read without positions, as in the authors' code. */
const MOST_POSITIONS = 100_000;

/** The mean of the vectors of a document's words, each plus the sine code of its position (Vaswani et al. 2017). */
export function documentVectors(
  { offsets, tokens }: Sentences,
  vectors: Float32Array,
  width: number,
): Float32Array {
  const rows = offsets.length - 1;
  const out = new Float32Array(rows * width);
  const code = new PositionCode(width);
  for (let row = 0; row < rows; row++) {
    const length = offsets[row + 1] - offsets[row];
    if (length === 0) continue;
    const sum = new Float64Array(width);
    for (let i = 0; i < length; i++) {
      const word = tokens[offsets[row] + i] * width;
      for (let k = 0; k < width; k++) sum[k] += vectors[word + k];
    }
    if (length < MOST_POSITIONS) code.addTo(sum, length);
    for (let k = 0; k < width; k++) out[row * width + k] = sum[k] / length;
  }
  return out;
}

/** The sums of the position codes of the first positions, so that each is computed once. */
class PositionCode {
  readonly #width: number;
  readonly #sums: Float64Array[];

  constructor(width: number) {
    this.#width = width;
    this.#sums = [new Float64Array(width)];
  }

  addTo(sum: Float64Array, length: number): void {
    for (let position = this.#sums.length - 1; position < length; position++) {
      const next = this.#sums[position].slice();
      for (let k = 0; k < this.#width; k++) next[k] += positionCode(position, k, this.#width);
      this.#sums.push(next);
    }
    for (let k = 0; k < this.#width; k++) sum[k] += this.#sums[length][k];
  }
}
