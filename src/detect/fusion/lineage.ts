import { chiSquareLogSurvival, logSmallestOf } from '../calibration/log-survival.js';
import type { GraphView } from '../graph-view.js';

/** Steps from actor to what it acted on; suspicion hardly ever survives so many. */
const MOST_STEPS = 8;

/** What nodes inherit from those that acted on them, by local node. */
export interface Lineage {
  /** −ln p of their own evidence, on the scale of benign scores. */
  readonly own: Float64Array;
  /** −ln p of what the actor is suspected of, given that this is one of many it acted on; 0 for nothing. */
  readonly inherited: Float64Array;
  /** The actor it comes from, or -1. */
  readonly from: Int32Array;
}

/**
 * Suspicion follows the hand: what a suspicious process starts, writes, connects or unlinks is suspicious too, however
 * ordinary it looks by itself. To be one of the d_u nodes that u acts on, and to be acted on by the worst of d_v, are
 * choices among many: p becomes 1 − (1 − p)^n with n = (d_u·d_v)^price. So hubs pass on little, and shared libraries
 * inherit little; what v itself acts on is no choice of its makers and takes nothing off. `own` is on the scale of
 * benign scores: on any other, prices would mean nothing.
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
    // All of a step read what the step before left: the order of interactions must not matter.
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

/** A node's own evidence and what it inherited, fused as two; never less than its own. */
export function joinLineage(own: number, inherited: number): number {
  if (inherited <= 0) return own;
  return Math.max(own, -chiSquareLogSurvival(2 * (own + inherited), 2));
}

/** Each (actor, object) once, whatever the relations between them. */
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
