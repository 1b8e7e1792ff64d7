import { formatFixed, formatNumber } from '../../report/page/format.js';
import { PUBLISHED_SIZES } from '../e3/published.js';
import type { EvaluationResult } from '../result-schema.js';
import { compareOrder, orderCaveat } from './ablation-order.js';
import type { Study, StudyRun } from './study.js';

/** What a reader must know before any figure, in plain words. Each once, with the runs it is about. */
export function caveatsOf(study: Study): string[] {
  const said = new Map<string, string[]>();
  for (const run of study.runs) {
    for (const text of runCaveats(run, study)) said.set(text, [...(said.get(text) ?? []), run.name]);
  }
  const several = study.runs.length > 1;
  const lines = [...said].map(([text, runs]) =>
    several && runs.length < study.runs.length ? `protocol ${runs.join(', ')}: ${text}` : text,
  );
  return [...(study.notes ?? []), ...lines, ...sweepCaveats(study)].filter(
    (text, i, all) => all.indexOf(text) === i,
  );
}

function* runCaveats({ result, curves }: StudyRun, { host }: Study): Generator<string> {
  yield* thresholdCaveats(result);
  const seeds = Math.max(0, ...Object.values(result.variants).map((variant) => variant.seeds.length));
  if (seeds === 1) {
    yield 'one seed only: nothing here has a deviation, and another seed may turn the order round';
  }
  yield* labelCaveats(result);
  yield* gateCaveats(result);
  if (result.matching !== 'node') {
    yield `alarms are matched by ${result.matching}: what is near a label is forgiven or counted as found`;
  }
  if (host !== undefined) {
    const { judged, positives } = PUBLISHED_SIZES[host];
    if (result.data.nodes !== judged) {
      const [own, labelled] = [result.data.nodes, result.data.positives].map((n) => formatNumber(n));
      yield `${own} nodes are judged and ${labelled} of them labelled; published figures fit ${formatNumber(judged)} and ${formatNumber(positives)}: rates of different populations do not compare`;
    }
    const order = orderCaveat(compareOrder(result, host));
    if (order !== undefined) yield order;
  }
  if (curves === undefined) yield 'curves were not kept, only figures';
  // Among them: parts that begin before training ends, and what was left out or capped.
  yield* result.notes.filter((note) => !SAID_ABOVE.some((pattern) => pattern.test(note)));
}

const SAID_ABOVE = [/^one seed only/, /^the labels name no attacks/, /labels are in training too/];

function* thresholdCaveats({ variants }: EvaluationResult): Generator<string> {
  const all = Object.entries(variants);
  const isOracle = ([, { seeds }]: (typeof all)[number]) => seeds.some(({ threshold }) => threshold.oracle);
  const oracle = all.filter(isOracle).map(([name]) => name);
  if (oracle.length > 0) {
    const whom = oracle.length === all.length ? 'all thresholds' : `the thresholds of ${oracle.join(', ')}`;
    yield `${whom} are the oracle’s: chosen by the labels of the test itself, so that no one could have had them beforehand`;
  }
  for (const mark of ['extrapolated', 'unresolved', 'nominal'] as const) {
    const names = all.filter(([, { seeds }]) => seeds.some(({ threshold }) => threshold.mark === mark));
    if (names.length > 0) {
      yield `the thresholds of ${names.map(([name]) => name).join(', ')} are ${mark}: ${MARKS[mark]}`;
    }
  }
}

const MARKS = {
  extrapolated: 'finer than calibration can resolve, by a fitted tail',
  unresolved: 'finer than calibration can resolve, so the largest benign score was taken',
  nominal: 'a rate that holds only if its p-values do',
} as const;

function* labelCaveats({ data }: EvaluationResult): Generator<string> {
  if (data.attacks === null) {
    yield 'the labels name no attacks: nothing can be said about attacks found or missed';
  } else if (data.withoutAttack > 0) {
    yield `${data.withoutAttack} of ${data.positives} labelled nodes belong to no attack`;
  }
  if (data.labelsInTraining > 0) {
    yield `${data.labelsInTraining} of ${data.labelled} labelled entities are in training too: what was learned as benign is hard to find`;
  }
}

/** Whatever calibration and fusion are, what the gate holds back is ranked by distance (method §8). */
function* gateCaveats({ variants }: EvaluationResult): Generator<string> {
  const byShare = new Map<string, string[]>();
  for (const [name, { mean }] of Object.entries(variants)) {
    if (mean.candidateRecall === null || mean.candidateRecall >= FEW) continue;
    const text = `${formatFixed(mean.candidateRecall * 100, 1)} %`;
    byShare.set(text, [...(byShare.get(text) ?? []), name]);
  }
  for (const [share, names] of byShare) {
    yield `the gate of ${names.join(', ')} lets ${share} of the labelled nodes pass: all others are ranked by distance alone, as wo-cd ranks them, whatever calibration and fusion do`;
  }
}

const FEW = 0.5;

function* sweepCaveats({ sweeps }: Study): Generator<string> {
  if (sweeps !== undefined && !sweeps.complete) yield 'sweeps were stopped before the end';
}
