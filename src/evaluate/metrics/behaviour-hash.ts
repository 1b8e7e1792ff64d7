import { finishMix, mixWord } from '../../base/integer-mix.js';
import type { NodeText } from '../../features/node-text.js';
import { elapsedTimes, TransitionProfile } from '../../features/profile.js';
import type { LoadedEvents } from '../../store/load.js';

const SEEDS = [0x3c6ef372, 0x1b56c4e9] as const;
/** Transition weights are rounded to this many steps, because weights depend on time and times are never equal. */
const STEPS = 16;
const ROLES = 3;

/**
 * Two words per node, equal for nodes with the same type, tokens, transition profile and relations in each role
 * (method §10). The hash does not depend on seeds, word vectors or the cut of the test into graphs.
 */
export function hashBehaviours(
  events: LoadedEvents,
  text: NodeText,
  options: { readonly history: number; readonly decay: number },
): Uint32Array {
  const { table } = events;
  const { subject, object, object2, relation } = table;
  const profile = new TransitionProfile({ ...options, relationCount: table.relations.length });
  const times = table.length === 0 ? new Float64Array(0) : elapsedTimes(table, table.ts[0]);
  const hashes = new Uint32Array(2 * table.nodeCount);
  const signature = new RoleSets(table.nodeCount, table.relations.length * ROLES);
  for (let row = 0; row < table.length; row++) {
    profile.push(relation[row], times[row], subject[row], object[row], object2[row]);
    [subject[row], object[row], object2[row]].forEach((node, role) => {
      if (node >= 0) signature.add(node, relation[row] * ROLES + role);
    });
  }
  for (let node = 0; node < table.nodeCount; node++) {
    const { columns, values } = profile.read(node);
    for (const [word, seed] of SEEDS.entries()) {
      let hash = mixWord(seed, text.typeOf(node));
      // The order of tokens does not matter: s_v is their mean.
      let tokens = 0;
      for (const token of text.tokensOf(node)) tokens = (tokens + finishMix(mixWord(seed, token))) | 0;
      hash = mixWord(hash, tokens);
      for (let i = 0; i < columns.length; i++) {
        hash = mixWord(mixWord(hash, columns[i]), Math.round(values[i] * STEPS));
      }
      for (const bits of signature.of(node)) hash = mixWord(hash, bits);
      hashes[2 * node + word] = finishMix(hash) >>> 0;
    }
  }
  return hashes;
}

/** A bit set of (relation, role) numbers for every node. */
class RoleSets {
  readonly #words: number;
  readonly #bits: Uint32Array;

  constructor(nodes: number, numbers: number) {
    this.#words = Math.max(1, Math.ceil(numbers / 32));
    this.#bits = new Uint32Array(nodes * this.#words);
  }

  add(node: number, number: number): void {
    this.#bits[node * this.#words + (number >>> 5)] |= 1 << (number & 31);
  }

  of(node: number): Uint32Array {
    return this.#bits.subarray(node * this.#words, (node + 1) * this.#words);
  }
}
