import { formatNumber, formatPercent } from '../../report/page/format.js';
import { PUBLISHED_SIZES } from '../e3/published.js';
import type { EvaluationResult } from '../result-schema.js';
import { compareOrder, orderCaveat } from './ablation-order.js';
import { IN_TRAINING, NO_ATTACKS, ONE_SEED } from './run-notes.js';
import type { Study, StudyRun } from './study.js';

/** What a reader must know before the results. Each caveat occurs once and names its protocols if it is not true of all. */
export function caveatsOf(study: Study): string[] {
  const runsOf = new Map<string, string[]>();
  for (const run of study.runs) {
    for (const text of runCaveats(run, study)) runsOf.set(text, [...(runsOf.get(text) ?? []), run.name]);
  }
  const lines = [...runsOf].map(([text, runs]) =>
    runs.length < study.runs.length ? `protocol ${runs.join(', ')}: ${text}` : text,
  );
  return [...new Set([...(study.notes ?? []), ...lines, ...sweepCaveats(study)])];
}

function* runCaveats({ result, curves }: StudyRun, { host }: Study): Generator<string> {
  yield* thresholdCaveats(result);
  const seeds = Math.max(0, ...Object.values(result.variants).map((variant) => variant.seeds.length));
  if (seeds === 1) yield ONE_SEED;
  yield* labelCaveats(result);
  yield* gateCaveats(result);
  if (result.matching !== 'node') {
    yield `matching is ${result.matching}: nodes near a labelled node are not false alerts, or count as found`;
  }
  if (host !== undefined) {
    const { judged, positives } = PUBLISHED_SIZES[host];
    if (result.data.nodes !== judged) {
      const [own, labelled] = [result.data.nodes, result.data.positives].map((n) => formatNumber(n));
      yield `${own} nodes are evaluated, ${labelled} of them labelled; published results fit ${formatNumber(judged)} nodes, ${formatNumber(positives)} of them labelled, so the rates are not comparable`;
    }
    const order = orderCaveat(compareOrder(result, host));
    if (order !== undefined) yield order;
  }
  if (curves === undefined) yield 'the curves were not kept';
  yield* result.notes.filter((note) => !REPEATED.some((text) => note.includes(text)) && !MARKED.test(note));
}

/** Notes of a run that the caveats above already state. */
const REPEATED = [ONE_SEED, NO_ATTACKS, IN_TRAINING];
const MARKED = /: the threshold (\S+ )?is (extrapolated|unresolved): /;

function* thresholdCaveats({ variants }: EvaluationResult): Generator<string> {
  const all = Object.entries(variants);
  const isOracle = ([, { seeds }]: (typeof all)[number]) => seeds.some(({ threshold }) => threshold.oracle);
  const oracle = all.filter(isOracle).map(([name]) => name);
  if (oracle.length > 0) {
    const which = oracle.length === all.length ? 'all thresholds' : `the thresholds of ${oracle.join(', ')}`;
    yield `${which} are oracle thresholds: they are chosen with the labels of the test split, so nobody could know them in advance`;
  }
  for (const mark of ['extrapolated', 'unresolved', 'nominal'] as const) {
    const names = all.filter(([, { seeds }]) => seeds.some(({ threshold }) => threshold.mark === mark));
    if (names.length > 0) {
      yield `the thresholds of ${names.map(([name]) => name).join(', ')} are ${mark}: ${MARKS[mark]}`;
    }
  }
}

const MARKS = {
  extrapolated: 'calibration cannot measure such a low rate, so a fitted tail gives the threshold',
  unresolved: 'calibration cannot measure such a low rate, so the threshold is the highest benign score',
  nominal: 'the rate holds only if the p-values are valid',
} as const;

function* labelCaveats({ data }: EvaluationResult): Generator<string> {
  if (data.attacks === null) yield NO_ATTACKS;
  else if (data.withoutAttack > 0) {
    yield `${data.withoutAttack} of ${data.positives} labelled nodes belong to no attack`;
  }
  if (data.labelsInTraining > 0) {
    yield `${data.labelsInTraining} of ${data.labelled} labelled entities ${IN_TRAINING}`;
  }
}

/** Whatever calibration and fusion do, nodes that the gate holds back score 0 and are ranked by distance (method §8). */
function* gateCaveats({ variants }: EvaluationResult): Generator<string> {
  const byShare = new Map<string, string[]>();
  for (const [name, { mean }] of Object.entries(variants)) {
    if (mean.candidateRecall === null || mean.candidateRecall >= FEW) continue;
    const share = formatPercent(mean.candidateRecall);
    byShare.set(share, [...(byShare.get(share) ?? []), name]);
  }
  for (const [share, names] of byShare) {
    yield `the gate of ${names.join(', ')} lets only ${share} of the labelled nodes pass; the others are never flagged, and ranking metrics order them by distance alone, as in wo-cd, whatever calibration and fusion do`;
  }
}

const FEW = 0.5;

function* sweepCaveats({ sweeps }: Study): Generator<string> {
  if (sweeps !== undefined && !sweeps.complete) yield 'the sweeps were stopped before the end';
}
