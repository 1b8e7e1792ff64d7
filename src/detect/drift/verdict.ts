import type { DriftFindings } from './drift-report.js';
import { isLarge } from './relation-drift.js';

/** If at least this share and number of relations changed, the model is outdated, not only its tables. */
const MANY = { share: 1 / 3, least: 3 };
/** Shares of new interactions and programs from which on the model should be trained again. */
const NEW_INTERACTIONS = 0.01;
const UNKNOWN_PROGRAMS = 0.2;
const LEAST_PROGRAMS = 10;
/** More high scores than this mean an attack, or a change that looks like one. */
const FLOOD = { share: 0.02, times: 5 };
/** Up to so many high scores are not worth a remark. */
const FEW = 5;

/**
 * `too-little`: nothing could be compared. `look-first`: so many instances score high that an analyst must look at them
 * before the model learns from them. `retrain`: the model is outdated. `recalibrate`: only its tables are.
 */
export type DriftVerdict = 'steady' | 'recalibrate' | 'retrain' | 'look-first' | 'too-little';

export interface Advice {
  readonly verdict: DriftVerdict;
  /** Why, in sentences for people. */
  readonly reasons: readonly string[];
}

/** Decides what to do about the findings. */
export function adviseOn(found: DriftFindings): Advice {
  const { counts, quarantine, rows, change, novelty, level } = found;
  if (counts.compared === 0) {
    const reason =
      counts.instances === 0
        ? 'the selection has no events to compare'
        : 'no relation has enough nodes to compare, in calibration and now';
    return { verdict: 'too-little', reasons: [reason] };
  }
  const reasons: string[] = [];
  const advice = { verdict: 'steady' as DriftVerdict, reasons };
  const raise = (to: DriftVerdict, why: string) => {
    reasons.push(why);
    if (ORDER.indexOf(to) > ORDER.indexOf(advice.verdict)) advice.verdict = to;
  };
  const moved = rows.filter((row) => row.verdict === 'more-unusual').length;
  const calmer = rows.filter((row) => row.verdict === 'less-unusual').length;
  const isUnusual = quarantine.high > Math.max(FEW, FLOOD.times * quarantine.expected);
  if (isUnusual && quarantine.high > FLOOD.share * counts.instances) {
    raise(
      'look-first',
      `${percent(quarantine.high / counts.instances)} of the instances score above the threshold ${quarantine.rule}: an attack, or a change that looks like one`,
    );
  }
  if (moved > 0) {
    const many = moved >= MANY.least && moved >= MANY.share * counts.compared;
    raise(
      many ? 'retrain' : 'recalibrate',
      `${moved} of ${counts.compared} relations have become more unusual`,
    );
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
    raise('retrain', `${share} of the interactions have relations that training never saw`);
  }
  const programs = novelty.names.find(({ type }) => type === 'process');
  if (
    programs !== undefined &&
    programs.nodes >= LEAST_PROGRAMS &&
    programs.unknown > UNKNOWN_PROGRAMS * programs.nodes
  ) {
    const share = percent(programs.unknown / programs.nodes);
    raise('retrain', `${share} of the processes have names that training never saw`);
  }
  if (calmer > 0) {
    reasons.push(
      `${calmer} of ${counts.compared} relations have become less unusual: the model will raise fewer alerts`,
    );
  }
  if (advice.verdict === 'steady') {
    reasons.unshift(
      `none of ${counts.compared} relations has become much more unusual, at a false discovery rate of ${level}`,
    );
  }
  if (isUnusual && advice.verdict !== 'look-first') {
    reasons.push(
      `${quarantine.high} instances score high, and ${quarantine.expected.toPrecision(2)} were expected: inspect them with recal detect`,
    );
  }
  return advice;
}

const ORDER: readonly DriftVerdict[] = ['too-little', 'steady', 'recalibrate', 'retrain', 'look-first'];

function percent(share: number): string {
  // Two significant digits of 99.6 would be 1.0e+2.
  return `${share < 0.995 ? (share * 100).toPrecision(2) : Math.round(share * 100)} %`;
}
