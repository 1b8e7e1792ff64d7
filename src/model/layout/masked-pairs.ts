import { NO_ROW } from '../../compute/device.js';
import { planWork, type WorkList } from '../../compute/work-list.js';
import type { RelationNeighbours } from '../../graph/relation-neighbours.js';

/** The (node, relation) pairs whose node a step masks: M_r for each decoder (method §5). */
export interface MaskedPairs {
  readonly count: number;
  /** The masked pairs of decoder r are offsets[r] to offsets[r + 1]. */
  readonly offsets: Uint32Array;
  /** |M_r| */
  readonly counts: Uint32Array;
  /** The number of each masked pair among all pairs, ascending. */
  readonly pairs: Uint32Array;
  readonly nodes: Uint32Array;
  /** One over the number of neighbours. */
  readonly inverseDegree: Float64Array;
  readonly work: WorkList;
}

/** `mask` has one byte per node, 0 or 1. */
export function findMaskedPairs(all: RelationNeighbours, mask: Uint8Array): MaskedPairs {
  const { relationCount, nodeOffsets, nodes } = all;
  const offsets = new Uint32Array(relationCount + 1);
  const counts = new Uint32Array(relationCount);
  const chosen = new Uint32Array(nodes.length + 1);
  let count = 0;
  for (let r = 0; r < relationCount; r++) {
    for (let pair = nodeOffsets[r]; pair < nodeOffsets[r + 1]; pair++) {
      // A branch would be mispredicted at every masked node. Without one, the next pair overwrites an unmasked one.
      chosen[count] = pair;
      count += mask[nodes[pair]];
    }
    offsets[r + 1] = count;
    counts[r] = count - offsets[r];
  }
  const pairs = chosen.slice(0, count);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const maskedNodes = new Uint32Array(count);
  const inverseDegree = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const pair = pairs[i];
    starts[i] = all.offsets[pair];
    ends[i] = all.offsets[pair + 1];
    maskedNodes[i] = nodes[pair];
    inverseDegree[i] = 1 / (ends[i] - starts[i]);
  }
  const work = planWork(count, starts, ends);
  return { count, offsets, counts, pairs, nodes: maskedNodes, inverseDegree, work };
}

/** One byte per node: 1 if a masked pair reads its embedding. */
export function markReadNodes(
  { pairs }: MaskedPairs,
  { offsets, neighbours }: RelationNeighbours,
  nodeCount: number,
): Uint8Array {
  const read = new Uint8Array(nodeCount);
  for (const pair of pairs) {
    for (let e = offsets[pair]; e < offsets[pair + 1]; e++) read[neighbours[e]] = 1;
  }
  return read;
}

/** For each of `pairCount` pairs, its position among the masked pairs, or NO_ROW. */
export function indexMaskedPairs({ pairs }: Pick<MaskedPairs, 'pairs'>, pairCount: number): Uint32Array {
  const positions = new Uint32Array(pairCount).fill(NO_ROW);
  pairs.forEach((pair, i) => {
    positions[pair] = i;
  });
  return positions;
}
