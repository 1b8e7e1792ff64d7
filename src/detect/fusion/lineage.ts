import { chiSquareLogSurvival, logSmallestOf } from '../calibration/log-survival.js';
import type { GraphView } from '../graph-view.js';

/** The most steps from actor to object. Suspicion rarely passes on farther. */
const MOST_STEPS = 8;

/** What nodes inherit from the nodes that acted on them, by local node. */
export interface Lineage {
  /** −ln p of the node's own evidence, on the scale of benign scores. */
  readonly own: Float64Array;
  /** −ln p inherited from the actor, corrected for the number of choices; 0 for none. */
  readonly inherited: Float64Array;
  /** The actor that it was inherited from, or -1. */
  readonly from: Int32Array;
}

/**
 * Passes suspicion from actors to the nodes that they act on: what a suspicious process starts, writes, connects to or
 * deletes is suspicious too. Being one of the d_u nodes that u acts on, and being acted on by the worst of d_v actors, are
 * choices among many, so p becomes 1 − (1 − p)^n with n = (d_u·d_v)^price. Hubs therefore pass on little, and shared
 * libraries inherit little. `own` must be on the scale of benign scores, because the price applies to probabilities.
 */
export function traceLineage(
  { interactions, planned }: GraphView,
  own: Float64Array,
  price: number,
): Lineage {
  const { length } = planned.nodes;
  const { actors, objects } = distinctActs(interactions, length);
  const [objectsOf, actorsOn] = [new Uint32Array(length), new Uint32Array(length)];
  for (let i = 0; i < actors.length; i++) {
    objectsOf[actors[i]]++;
    actorsOn[objects[i]]++;
  }
  const inherited = new Float64Array(length);
  const from = new Int32Array(length).fill(-1);
  for (let step = 0, changed = true; changed && step < MOST_STEPS; step++) {
    changed = false;
    // Each step reads the result of the step before, so that the order of interactions does not matter.
    const before = inherited.slice();
    for (let i = 0; i < actors.length; i++) {
      const [u, v] = [actors[i], objects[i]];
      const choices = (objectsOf[u] * actorsOn[v]) ** price;
      const passed = -logSmallestOf(-Math.max(own[u], before[u]), choices);
      if (passed > inherited[v] || (passed === inherited[v] && from[v] > u)) {
        inherited[v] = passed;
        from[v] = u;
        changed = true;
      }
    }
  }
  return { own, inherited, from };
}

/** Fuses a node's own and inherited evidence as two independent pieces; never less than its own. */
export function joinLineage(own: number, inherited: number): number {
  if (inherited <= 0) return own;
  return Math.max(own, -chiSquareLogSurvival(2 * (own + inherited), 2));
}

/** Each (actor, object) pair once, whatever its relations. */
function distinctActs(
  { length, subject, object }: GraphView['interactions'],
  nodeCount: number,
): { actors: Int32Array; objects: Int32Array } {
  const pairs = new Float64Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    if (subject[i] !== object[i]) pairs[kept++] = subject[i] * nodeCount + object[i];
  }
  const sorted = pairs.subarray(0, kept).sort();
  const distinct = sorted.filter((pair, i) => i === 0 || pair !== sorted[i - 1]);
  return {
    actors: Int32Array.from(distinct, (pair) => Math.floor(pair / nodeCount)),
    objects: Int32Array.from(distinct, (pair) => pair % nodeCount),
  };
}
