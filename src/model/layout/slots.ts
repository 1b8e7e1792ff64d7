import { NO_SLOT } from '../../compute/device.js';
import { planWork, type WorkList } from '../../compute/work-list.js';
import type { RelationNeighbours } from '../../graph/relation-neighbours.js';

/** The (masked node, relation) pairs of one step: M_r for each decoder (method §5). */
export interface Slots {
  readonly count: number;
  /** Neighbours of all slots together. */
  readonly entries: number;
  /** Those of decoder r are offsets[r] to offsets[r + 1]. */
  readonly offsets: Uint32Array;
  /** |M_r| */
  readonly counts: Uint32Array;
  /** The pair that each one is, ascending, and its node. */
  readonly pairs: Uint32Array;
  readonly nodes: Uint32Array;
  /** One over the number of neighbours. */
  readonly inverseDegree: Float64Array;
  readonly work: WorkList;
}

/** `mask` has one byte per node, 0 or 1. */
export function findSlots(
  { relationCount, nodeOffsets, nodes, ...of }: RelationNeighbours,
  mask: Uint8Array,
): Slots {
  const offsets = new Uint32Array(relationCount + 1);
  const counts = new Uint32Array(relationCount);
  const chosen = new Uint32Array(nodes.length + 1);
  let count = 0;
  for (let r = 0; r < relationCount; r++) {
    for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
      // Without a branch, which would be mispredicted at every masked node: what is not chosen is written over.
      chosen[count] = pair;
      count += mask[nodes[pair]];
    }
    offsets[r + 1] = count;
    counts[r] = count - offsets[r];
  }
  const pairs = chosen.slice(0, count);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const slotNodes = new Uint32Array(count);
  const inverseDegree = new Float64Array(count);
  let entries = 0;
  for (let slot = 0; slot < count; slot++) {
    const pair = pairs[slot];
    starts[slot] = of.offsets[pair];
    ends[slot] = of.offsets[pair + 1];
    slotNodes[slot] = nodes[pair];
    inverseDegree[slot] = 1 / (ends[slot] - starts[slot]);
    entries += ends[slot] - starts[slot];
  }
  const work = planWork(count, starts, ends);
  return {
    count,
    entries,
    offsets,
    counts,
    pairs,
    nodes: slotNodes,
    inverseDegree,
    work,
  };
}

/** One byte for each of so many nodes: 1 where a slot reads its embedding. */
export function nodesRead(
  { pairs }: Slots,
  { offsets, neighbours }: RelationNeighbours,
  nodeCount: number,
): Uint8Array {
  const read = new Uint8Array(nodeCount);
  for (const pair of pairs) {
    for (let e = offsets[pair]; e < offsets[pair + 1]; e++) read[neighbours[e]] = 1;
  }
  return read;
}

/** The slot of each of so many pairs, or NO_SLOT. */
export function slotsOfPairs({ pairs }: Pick<Slots, 'pairs'>, pairCount: number): Uint32Array {
  const slots = new Uint32Array(pairCount).fill(NO_SLOT);
  pairs.forEach((pair, slot) => {
    slots[pair] = slot;
  });
  return slots;
}
