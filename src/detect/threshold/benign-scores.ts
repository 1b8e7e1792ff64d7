import type { SuspiciousNodeCollector } from '../alerts/activity.js';
import type { IncidentLinks } from '../alerts/incident-links.js';
import { countIncidentsAt } from '../alerts/incidents.js';
import type { BenignCurve } from './threshold.js';

const DAY = 86_400_000_000_000;
/** Points of the incident curve: enough to tell one budget from the next. */
const CURVE_POINTS = 512;
/** With more graphs than this, several are left out together. */
const MOST_BLOCKS = 32;

/** Benign scores and the incidents that they form. They set thresholds (method §9). */
export interface BenignScores extends BenignCurve {
  /** True if the same data built the tables, which makes the scores too low. */
  readonly inSample: boolean;
  readonly without: readonly Required<BenignCurve['without'][number]>[];
}

export function describeBenign(found: {
  members: SuspiciousNodeCollector;
  links: IncidentLinks;
  /** Scored instances of each graph. */
  instances: readonly number[];
  /** Nanoseconds of each graph. */
  spans: readonly number[];
  inSample: boolean;
}): BenignScores {
  const { members, links, instances, spans, inSample } = found;
  const all = members.finish();
  const scores = Float32Array.from(all.score).sort().reverse();
  const thresholds = pickThresholds(scores);
  const hostDays = spans.reduce((sum, span) => sum + span, 0) / DAY;
  const blocks = Math.min(spans.length, MOST_BLOCKS);
  const without = Array.from({ length: spans.length < 2 ? 0 : blocks }, (_, block) => {
    const left = (graph: number) => graph % blocks !== block;
    const sum = (values: readonly number[]) =>
      values.reduce((total, value, graph) => total + (left(graph) ? value : 0), 0);
    const kept = members.finish(left);
    const own = Float32Array.from(kept.score).sort().reverse();
    let above = 0;
    return {
      hostDays: sum(spans) / DAY,
      instances: sum(instances),
      incidents: countIncidentsAt(thresholds, kept, links),
      above: Uint32Array.from(thresholds, (threshold) => {
        while (above < own.length && own[above] >= threshold) above++;
        return above;
      }),
    };
  });
  return {
    scores,
    hostDays,
    graphs: spans.length,
    inSample,
    thresholds,
    without,
    instances: instances.reduce((sum, each) => sum + each, 0),
    incidents: countIncidentsAt(thresholds, all, links),
  };
}

/** All distinct scores, or a selection that gets sparser with rank, because budgets concern the highest scores. */
function pickThresholds(descending: Float32Array): Float32Array {
  const distinct = descending.filter((score, i) => i === 0 || score !== descending[i - 1]);
  if (distinct.length <= CURVE_POINTS) return distinct;
  const picked = new Set<number>();
  for (let i = 0; i < CURVE_POINTS; i++) {
    picked.add(Math.floor(Math.max(i, distinct.length ** (i / (CURVE_POINTS - 1)) - 1)));
  }
  return Float32Array.from(
    [...picked].filter((i) => i < distinct.length).sort((a, b) => a - b),
    (i) => distinct[i],
  );
}
