import type { DriftFindings } from './drift-report.js';
import { isLarge } from './relation-drift.js';

/** From this share of the relations on, and at least so many, it is not the tables that are wrong but the model. */
const MANY = { share: 1 / 3, least: 3 };
/** Shares of what training never met from which on it should be repeated. */
const NEW_INTERACTIONS = 0.01;
const UNKNOWN_PROGRAMS = 0.2;
const LEAST_PROGRAMS = 10;
/** More high scores than this are no handful of alerts: an attack at large, or change too strong to be told from one. */
const FLOOD = { share: 0.02, times: 5 };
/** So many in quarantine need no word. */
const FEW = 5;

/**
 * `too-little`: nothing could be compared. `look-first`: so much scores high that it has to be looked at before anything
 * is learned from it. `retrain`: the model itself no longer fits. `recalibrate`: its tables do not.
 */
export type DriftVerdict = 'steady' | 'recalibrate' | 'retrain' | 'look-first' | 'too-little';

export interface Advice {
  readonly verdict: DriftVerdict;
  /** Why, in sentences for people. */
  readonly reasons: readonly string[];
}

/** What to do about it. */
export function adviseOn(found: DriftFindings): Advice {
  const { counts, quarantine, rows, change, novelty, level } = found;
  if (counts.compared === 0) {
    const reason =
      counts.instances === 0
        ? 'there is nothing to compare'
        : 'no relation has enough nodes, then and now, to be compared';
    return { verdict: 'too-little', reasons: [reason] };
  }
  const reasons: string[] = [];
  const advice = { verdict: 'steady' as DriftVerdict, reasons };
  const raise = (to: DriftVerdict, why: string) => {
    reasons.push(why);
    if (ORDER.indexOf(to) > ORDER.indexOf(advice.verdict)) advice.verdict = to;
  };
  const moved = rows.filter((row) => row.verdict === 'stranger').length;
  const calmer = rows.filter((row) => row.verdict === 'calmer').length;
  const isUnusual = quarantine.high > Math.max(FEW, FLOOD.times * quarantine.expected);
  if (isUnusual && quarantine.high > FLOOD.share * counts.instances) {
    raise(
      'look-first',
      `${percent(quarantine.high / counts.instances)} of the instances score as high as ${quarantine.rule} allows few to: an attack, or change that cannot be told from one`,
    );
  }
  if (moved > 0) {
    const many = moved >= MANY.least && moved >= MANY.share * counts.compared;
    raise(many ? 'retrain' : 'recalibrate', `${moved} of ${counts.compared} relations have become stranger`);
  }
  if (change.reached !== null && isLarge(change.above)) {
    raise(
      'recalibrate',
      `scores have risen: ${percent(change.above.p90)} are above the benign 90th percentile`,
    );
  } else if (change.reached !== null) {
    reasons.push(
      `scores have risen a little: ${percent(change.above.p90)} are above the benign 90th percentile`,
    );
  }
  if (novelty.newRelation > NEW_INTERACTIONS * novelty.interactions) {
    const share = percent(novelty.newRelation / novelty.interactions);
    raise('retrain', `${share} of the interactions are of relations that training never met`);
  }
  const programs = novelty.names.find(({ type }) => type === 'process');
  if (
    programs !== undefined &&
    programs.nodes >= LEAST_PROGRAMS &&
    programs.unknown > UNKNOWN_PROGRAMS * programs.nodes
  ) {
    const share = percent(programs.unknown / programs.nodes);
    raise('retrain', `${share} of the processes have names that training never met`);
  }
  if (calmer > 0) {
    reasons.push(
      `${calmer} of ${counts.compared} relations have become calmer: fewer alerts, and duller ones`,
    );
  }
  if (advice.verdict === 'steady') {
    reasons.unshift(
      `none of ${counts.compared} relations has become much stranger, at a false discovery rate of ${level}`,
    );
  }
  if (isUnusual && advice.verdict !== 'look-first') {
    reasons.push(
      `${quarantine.high} instances are kept out where ${quarantine.expected.toPrecision(2)} were expected: look at them with recal detect`,
    );
  }
  return advice;
}

const ORDER: readonly DriftVerdict[] = ['too-little', 'steady', 'recalibrate', 'retrain', 'look-first'];

function percent(share: number): string {
  return `${(share * 100).toPrecision(2)} %`;
}
