import { NO_SLOT } from '../compute/device.js';
import { planWork, type WorkList } from '../compute/work-list.js';
import type { RelationNeighbours } from '../graph/relation-neighbours.js';

/** The (masked node, relation) pairs of one step: M_r for each decoder (method §5). */
export interface Slots {
  readonly count: number;
  /** Neighbours of all slots together. */
  readonly entries: number;
  /** Those of decoder r are offsets[r] to offsets[r + 1]. */
  readonly offsets: Uint32Array;
  /** |M_r| */
  readonly counts: Uint32Array;
  readonly nodes: Uint32Array;
  /** Slot of each pair, or NO_SLOT. */
  readonly ofPair: Uint32Array;
  /** One over the number of neighbours. */
  readonly inverseDegree: Float64Array;
  readonly work: WorkList;
}

export function findSlots(pairs: RelationNeighbours, mask: Uint8Array): Slots {
  const { relationCount, nodes } = pairs;
  const offsets = new Uint32Array(relationCount + 1);
  const counts = new Uint32Array(relationCount);
  const ofPair = new Uint32Array(nodes.length).fill(NO_SLOT);
  let count = 0;
  for (let r = 0; r < relationCount; r++) {
    for (let pair = pairs.nodeOffsets[r]; pair < pairs.nodeOffsets[r + 1]; pair++) {
      if (mask[nodes[pair]] !== 0) ofPair[pair] = count++;
    }
    offsets[r + 1] = count;
    counts[r] = count - offsets[r];
  }
  const slotNodes = new Uint32Array(count);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const inverseDegree = new Float64Array(count);
  let entries = 0;
  for (let pair = 0; pair < nodes.length; pair++) {
    const slot = ofPair[pair];
    if (slot === NO_SLOT) continue;
    slotNodes[slot] = nodes[pair];
    starts[slot] = pairs.offsets[pair];
    ends[slot] = pairs.offsets[pair + 1];
    inverseDegree[slot] = 1 / (ends[slot] - starts[slot]);
    entries += ends[slot] - starts[slot];
  }
  const work = planWork(count, starts, ends);
  return { count, entries, offsets, counts, nodes: slotNodes, ofPair, inverseDegree, work };
}
