import { logSmallestOf } from '../calibration/log-survival.js';
import { EVIDENCE_KINDS } from '../evidence/evidence.js';
import type { NodeEvidence } from './scored-graph.js';

const NAME = EVIDENCE_KINDS.indexOf('name');
/** The score of a node is capped at that of so many independent acts, each as surprising as its most surprising one. */
const ACTS = 2;

/**
 * The order of incidents: a node's own score, capped at twice the −ln p of its most surprising act (corrected for the
 * number of acts). Fusion adds up moderate surprises, and an unknown program is moderately surprising under every relation,
 * although that is one cause. An intruder does few things, one of which is very surprising. A node without acts gets 0.
 */
export function measureProminence(
  { offsets, kinds, logP }: Pick<NodeEvidence, 'offsets' | 'kinds' | 'logP'>,
  own: Float64Array,
): Float64Array {
  return own.map((score, v) => {
    let acts = 0;
    let smallest = 0;
    for (let row = offsets[v]; row < offsets[v + 1]; row++) {
      if (kinds[row] !== NAME) continue;
      acts++;
      smallest = Math.min(smallest, logP[row]);
    }
    return acts === 0 ? 0 : Math.min(score, -ACTS * logSmallestOf(smallest, acts)) + 0;
  });
}
