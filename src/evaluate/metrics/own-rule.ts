import type { LabelMatch } from '../labels/label-match.js';
import type { OwnRule } from '../protocol/variant-group.js';
import type { SeedResult } from '../result-schema.js';
import { detectedAttacks } from './attack-metrics.js';
import { raiseAlerts, type ScoredTest } from './raised-alerts.js';
import { countFalseIncidents } from './top-incidents.js';

/** What the rule of a published detector flags. Every alert counts, as in published protocols. */
export function measureOwnRule(
  { name, threshold }: OwnRule,
  scored: ScoredTest,
  labels: LabelMatch,
): NonNullable<SeedResult['own']> {
  // Benign scores are float32. Round these too, so that equal scores stay equal.
  const value = Math.fround(threshold(scored.nodeScores.scores));
  const alarms = (score: number) => Math.fround(score) > value;
  const { nodes, incidents } = raiseAlerts(scored, { threshold: { alarms }, model: '', keepAll: true });
  let [tp, fp] = [0, 0];
  nodes.forEach((isFlagged, node) => {
    if (isFlagged === 0) return;
    if (labels.positives[node] !== 0) tp++;
    else if (labels.ignored[node] === 0) fp++;
  });
  return {
    rule: name,
    value: Number.isFinite(value) ? value : null,
    tp,
    fp,
    falseIncidents: countFalseIncidents(incidents, labels),
    attacksDetected: detectedAttacks(labels.attacks, nodes)?.detected ?? null,
  };
}
