import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countConfusion, ratesOf } from '../../../src/evaluate/metrics/confusion.js';
import {
  auroc,
  averagePrecision,
  bestF1,
  precisionRecallCurve,
  rankScores,
  rocCurve,
  stepOf,
} from '../../../src/evaluate/metrics/ranking-metrics.js';
import { flagNodes, SAMPLE } from '../samples.js';

const rank = (scores: number[], positives: number[], ignored?: number[]) =>
  rankScores(scores, Uint8Array.from(positives), ignored && Uint8Array.from(ignored));

/** Few distinct scores, so that ties are common. */
const labelledNodes = fc.array(
  fc.record({
    score: fc.integer({ min: -6, max: 6 }),
    positive: fc.nat(1),
    ignored: fc.constantFrom(0, 0, 1),
  }),
  { maxLength: 60 },
);
const columns = (nodes: { score: number; positive: number; ignored: number }[]) => ({
  scores: nodes.map((node) => node.score),
  positives: nodes.map((node) => node.positive),
  ignored: nodes.map((node) => node.ignored),
});

describe('a ranking', () => {
  it('has one step per distinct score, without ignored nodes', () => {
    const ranking = rank([3, 1, 3, 2, -0, 0, 9], [1, 0, 0, 1, 0, 1, 1], [0, 0, 0, 0, 0, 0, 1]);
    expect([...ranking.thresholds]).toEqual([3, 2, 1, 0]);
    expect([...ranking.flagged]).toEqual([2, 3, 4, 6]);
    expect([...ranking.hits]).toEqual([1, 2, 2, 3]);
    expect([ranking.nodes, ranking.positives]).toEqual([6, 3]);
    expect([...rank([-0, -0], [1, 0]).thresholds]).toEqual([0]);
  });

  it('finds the step that flags a score', () => {
    const ranking = rank([3, 1, 3, 2], [1, 0, 0, 1]);
    expect([4, 3, 2.5, 1, 0].map((score) => stepOf(ranking, score))).toEqual([0, 0, 1, 2, 3]);
  });

  it('agrees with counts at every threshold', () => {
    fc.assert(
      fc.property(labelledNodes, (nodes) => {
        const { scores, positives, ignored } = columns(nodes);
        const ranking = rank(scores, positives, ignored);
        ranking.thresholds.forEach((threshold, n) => {
          const { tp, fp } = countConfusion(
            flagNodes(scores, threshold),
            Uint8Array.from(positives),
            Uint8Array.from(ignored),
          );
          expect([ranking.hits[n], ranking.flagged[n]]).toEqual([tp, tp + fp]);
        });
      }),
    );
  });

  it('refuses a score that is NaN, and arrays of different lengths', () => {
    expect(() => rank([1, Number.NaN], [0, 1])).toThrow('node 1');
    expect(() => rank([1, 2], [0])).toThrow(RangeError);
  });
});

describe('AP and AUROC', () => {
  it('equal those of scikit-learn 1.2.1', () => {
    // The example in the documentation of scikit-learn.
    const documented = rank([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]);
    expect(averagePrecision(documented)).toBeCloseTo(0.8333333333333333, 15);
    expect(auroc(documented)).toBe(0.75);
    const tied = rank(
      [0.9, 0.9, 0.8, 0.8, 0.8, 0.5, 0.5, 0.4, 0.3, 0.3, 0.1, 0.1],
      [1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1],
    );
    expect(averagePrecision(tied)).toBeCloseTo(0.44904761904761903, 15);
    expect(auroc(tied)).toBeCloseTo(0.5285714285714287, 15);
    const sample = rankScores(SAMPLE.scores, SAMPLE.positives);
    expect(averagePrecision(sample)).toBeCloseTo(0.5285005929742772, 15);
    expect(auroc(sample)).toBeCloseTo(0.7053291536050157, 15);
  });

  it('are defined or null in edge cases', () => {
    const both = (scores: number[], positives: number[]) => {
      const ranking = rank(scores, positives);
      return [averagePrecision(ranking), auroc(ranking)];
    };
    expect(both([], [])).toEqual([null, null]);
    expect(both([1, 2], [0, 0])).toEqual([null, null]);
    expect(both([1, 2], [1, 1])).toEqual([1, null]);
    expect(both([5, 5, 5, 5], [1, 0, 0, 0])).toEqual([0.25, 0.5]);
    expect(both([1, 2, 3], [1, 0, 0])).toEqual([1 / 3, 0]);
    expect(both([Infinity, Infinity, -Infinity], [1, 0, 0])).toEqual([0.5, 0.75]);
  });

  it('AUROC is the share of pairs in the right order', () => {
    fc.assert(
      fc.property(labelledNodes, (nodes) => {
        const { scores, positives, ignored } = columns(nodes);
        const kept = nodes.filter((node) => node.ignored === 0);
        let [right, pairs] = [0, 0];
        for (const a of kept.filter((node) => node.positive === 1)) {
          for (const b of kept.filter((node) => node.positive === 0)) {
            pairs++;
            right += a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0;
          }
        }
        const found = auroc(rank(scores, positives, ignored));
        if (pairs === 0) expect(found).toBeNull();
        else expect(found).toBeCloseTo(right / pairs, 12);
      }),
    );
  });

  it('AP is the sum over positives of the precision at their own score', () => {
    fc.assert(
      fc.property(labelledNodes, (nodes) => {
        const { scores, positives } = columns(nodes);
        const hits = nodes.filter((node) => node.positive === 1);
        const wanted = hits.map(({ score }) => {
          const above = nodes.filter((node) => node.score >= score);
          return above.filter((node) => node.positive === 1).length / above.length;
        });
        const found = averagePrecision(rank(scores, positives));
        if (hits.length === 0) expect(found).toBeNull();
        else expect(found).toBeCloseTo(wanted.reduce((a, b) => a + b, 0) / hits.length, 12);
      }),
    );
  });

  it('depend only on the order of scores', () => {
    fc.assert(
      fc.property(labelledNodes, (nodes) => {
        const { scores, positives, ignored } = columns(nodes);
        const plain = rank(scores, positives, ignored);
        const stretched = rank(
          scores.map((score) => Math.sinh(score) * 1e6), // keeps the sign: the oracle looks above 0 only
          positives,
          ignored,
        );
        expect(averagePrecision(stretched)).toBe(averagePrecision(plain));
        expect(auroc(stretched)).toBe(auroc(plain));
        expect(bestF1(stretched)?.f1).toBe(bestF1(plain)?.f1);
      }),
    );
  });
});

describe('the oracle', () => {
  it('is the best F1 of any threshold, at the highest such threshold', () => {
    // In scikit-learn, f1_score is 0.5 at 0.4 and at 0.8, and lower at every other score.
    expect(bestF1(rankScores(SAMPLE.scores, SAMPLE.positives))).toEqual({
      f1: 0.5,
      threshold: 0.8,
    });
    expect(bestF1(rank([], []))).toBeNull();
    expect(bestF1(rank([1, 2], [0, 0]))).toBeNull();
  });

  it('never flags a node that scores 0, nor one with a negative rank', () => {
    expect(bestF1(rank([3, -0.1, -0.2, -0.3], [1, 1, 1, 0]))).toEqual({ f1: 0.5, threshold: 3 });
    expect(bestF1(rank([0, 0, -0.2], [1, 0, 1]))).toEqual({ f1: 0, threshold: null });
    expect(bestF1(rank([5, -0.1], [0, 1]))).toEqual({ f1: 0, threshold: null });
  });

  it('agrees with a search over all thresholds above 0', () => {
    fc.assert(
      fc.property(labelledNodes, (nodes) => {
        const { scores, positives, ignored } = columns(nodes);
        const masks = [Uint8Array.from(positives), Uint8Array.from(ignored)] as const;
        const oracle = bestF1(rankScores(scores, ...masks));
        const f1At = (threshold: number) =>
          ratesOf(countConfusion(flagNodes(scores, threshold), ...masks)).f1 ?? 0;
        const tried = scores.filter((score, v) => score > 0 && ignored[v] === 0).map(f1At);
        if (oracle === null) expect(tried.every((f1) => f1 === 0)).toBe(true);
        else {
          expect(oracle.f1).toBe(Math.max(0, ...tried));
          expect(oracle.f1).toBe(f1At(oracle.threshold ?? Number.POSITIVE_INFINITY));
        }
      }),
    );
  });
});

describe('curves', () => {
  const tied = rank(
    [0.9, 0.9, 0.8, 0.8, 0.8, 0.5, 0.5, 0.4, 0.3, 0.3, 0.1, 0.1],
    [1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1],
  );

  it('have the points of scikit-learn 1.2.1, with thresholds in descending order', () => {
    const curve = precisionRecallCurve(tied);
    expect([...(curve?.thresholds ?? [])]).toEqual([0.9, 0.8, 0.5, 0.4, 0.3, 0.1]);
    expect([...(curve?.precision ?? [])]).toEqual([1 / 2, 2 / 5, 3 / 7, 4 / 8, 4 / 10, 5 / 12]);
    expect([...(curve?.recall ?? [])]).toEqual([0.2, 0.4, 0.6, 0.8, 0.8, 1]);
    const roc = rocCurve(tied);
    expect([...(roc?.thresholds ?? [])]).toEqual([Infinity, 0.9, 0.8, 0.5, 0.4, 0.3, 0.1]);
    expect([...(roc?.fpr ?? [])]).toEqual([0, 1 / 7, 3 / 7, 4 / 7, 4 / 7, 6 / 7, 1]);
    expect([...(roc?.tpr ?? [])]).toEqual([0, 0.2, 0.4, 0.6, 0.8, 0.8, 1]);
  });

  it('are null if they are undefined', () => {
    expect(precisionRecallCurve(rank([1], [0]))).toBeNull();
    expect(precisionRecallCurve(rank([1], [1]))).not.toBeNull();
    expect(rocCurve(rank([1], [1]))).toBeNull();
    expect(rocCurve(rank([], []))).toBeNull();
  });

  it('of ROC have the area AUROC', () => {
    const { fpr, tpr } = rocCurve(tied) as NonNullable<ReturnType<typeof rocCurve>>;
    let area = 0;
    for (let i = 1; i < fpr.length; i++) area += ((fpr[i] - fpr[i - 1]) * (tpr[i] + tpr[i - 1])) / 2;
    expect(area).toBeCloseTo(auroc(tied) as number, 14);
  });
});
