import { MOST_ALERTS } from '../../detect/alerts/kept-alerts.js';
import { type AppliedThreshold, applyRule, type DayScores } from '../../detect/threshold/apply-threshold.js';
import { formatThreshold, type ThresholdSpec } from '../../detect/threshold/threshold.js';
import type { CalibrationOutcome } from '../protocol/variant-group.js';
import type { SeedResult } from '../result-schema.js';
import type { IncidentMembers } from './attack-metrics.js';
import { raiseAlerts, type ScoredTest } from './raised-alerts.js';
import type { Oracle } from './ranking-metrics.js';

/** The flagged nodes, the threshold that flags them, and the incidents that they form. */
export interface Flagged {
  readonly nodes: Uint8Array;
  readonly incidents: readonly IncidentMembers[];
  readonly threshold: SeedResult['threshold'];
  /** A caveat about the threshold. */
  readonly note: string | null;
}

/**
 * Sets the threshold (method §9) and flags nodes: those with an alert of `recal detect`, through the same functions. Only
 * the oracle uses labels. It flags by the highest score over graphs, and keeps all alerts, as in published protocols.
 */
export function flag(
  spec: ThresholdSpec,
  scored: ScoredTest,
  outcome: CalibrationOutcome,
  oracle: Oracle | null,
): Flagged {
  const model = outcome.model ?? '';
  if (spec.kind === 'oracle') {
    const value = oracle?.threshold ?? null;
    const threshold = { alarms: (score: number) => value !== null && score >= value };
    const { nodes, incidents } = raiseAlerts(scored, { threshold, model, keepAll: true });
    return {
      nodes,
      incidents,
      threshold: { kind: 'oracle', asked: 'oracle', value, oracle: true },
      note: null,
    };
  }
  const { applied, threshold, note } = label(spec, scored, outcome);
  // Benign scores are float32. Round these too, so that equal scores stay equal; those of RECAL are rounded already.
  const alarms: AppliedThreshold['alarms'] = (score, ...where) =>
    applied.alarms(Math.fround(score), ...where);
  const { nodes, incidents, leftOut } = raiseAlerts(scored, { threshold: { alarms }, model });
  const notes = [note, leftOut > 0 ? CUT : null].filter((each) => each !== null);
  return { nodes, incidents, threshold, note: notes.length === 0 ? null : notes.join('; ') };
}

const CUT = `only the ${MOST_ALERTS} highest alerts count, because recal detect keeps no more`;

interface Labelled {
  readonly applied: Pick<AppliedThreshold, 'alarms'>;
  readonly threshold: SeedResult['threshold'];
  readonly note: string | null;
}

/** Applies a rule without labels, and describes the threshold for `result.json`. */
function label(
  spec: Exclude<ThresholdSpec, { kind: 'oracle' }>,
  { nodeScores, graphs, events }: ScoredTest,
  { benign, ownThreshold }: CalibrationOutcome,
): Labelled {
  const asked = formatThreshold(spec);
  if (ownThreshold !== undefined) {
    const value = nextFloat32(ownThreshold);
    return {
      applied: { alarms: (score) => score >= value },
      threshold: { kind: 'score', asked: 'above every benign score', value, oracle: false },
      note: `uses its own threshold, the largest loss on the calibrate split, instead of ${asked}`,
    };
  }
  function* rounded(): Generator<DayScores> {
    for (const [g, { nodes, day }] of graphs.entries()) {
      yield { nodes, day, scores: nodeScores.byGraph[g].map(Math.fround) };
    }
  }
  const applied = applyRule(spec, benign, rounded(), (node) => events.keys.hostAt(node));
  if (spec.kind === 'fdr') {
    const value = applied.tau === Number.MAX_VALUE ? null : applied.tau;
    const threshold = { kind: 'fdr' as const, asked, value, oracle: false, mark: 'nominal' as const };
    return { applied, threshold, note: `${asked}: ${applied.note}` };
  }
  const status = applied.threshold?.status;
  const mark = status === undefined || status === 'resolved' ? null : status;
  return {
    applied,
    threshold: { kind: spec.kind, asked, value: applied.tau, oracle: false, mark },
    note:
      mark === null
        ? null
        : `the threshold ${asked} is ${mark}: the calibrate split is too short to resolve it`,
  };
}

/** The smallest float32 above a non-negative number. */
function nextFloat32(value: number): number {
  const float = Float32Array.of(value);
  new Uint32Array(float.buffer)[0]++;
  return float[0];
}
