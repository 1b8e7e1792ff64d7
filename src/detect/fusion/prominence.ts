import { logSmallestOf } from '../calibration/log-survival.js';
import { EVIDENCE_KINDS } from '../evidence/evidence.js';
import type { NodeEvidence } from './scored-graph.js';

const NAME = EVIDENCE_KINDS.indexOf('name');
/** As how many independent acts, each as strange as the strangest, all that is known of a node counts at most. */
const ACTS = 2;

/**
 * What incidents are ordered by: a node's own score, but no more than twice its strangest act would give by itself (−ln p
 * of the most surprising name, corrected for the number of them). Fusion adds up a dozen moderate surprises, and a program
 * that training never met is moderately surprising under every relation at once, which is one cause told a dozen times;
 * an intruder does few things, one of which is very strange. For alarms that matters little; for which of them an analyst
 * reads first it does. A node of which no name is known has none.
 */
export function measureProminence(
  { offsets, kinds, logP }: Pick<NodeEvidence, 'offsets' | 'kinds' | 'logP'>,
  own: Float64Array,
): Float64Array {
  return own.map((score, v) => {
    let acts = 0;
    let strangest = 0;
    for (let row = offsets[v]; row < offsets[v + 1]; row++) {
      if (kinds[row] !== NAME) continue;
      acts++;
      strangest = Math.min(strangest, logP[row]);
    }
    return acts === 0 ? 0 : Math.min(score, -ACTS * logSmallestOf(strangest, acts)) + 0;
  });
}
