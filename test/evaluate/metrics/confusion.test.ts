import { describe, expect, it } from 'vitest';
import { countConfusion, ratesOf, share } from '../../../src/evaluate/metrics/confusion.js';
import { flagNodes, SAMPLE } from '../samples.js';

describe('a confusion', () => {
  it('counts each node once and leaves ignored nodes out', () => {
    const flagged = Uint8Array.of(1, 1, 0, 0, 1, 0, 1);
    const positives = Uint8Array.of(1, 0, 1, 0, 0, 0, 1);
    expect(countConfusion(flagged, positives)).toEqual({ tp: 2, fp: 2, fn: 1, tn: 2 });
    const ignored = Uint8Array.of(1, 0, 0, 0, 1, 1, 0);
    expect(countConfusion(flagged, positives, ignored)).toEqual({ tp: 1, fp: 1, fn: 1, tn: 1 });
  });

  it('refuses masks of different lengths', () => {
    expect(() => countConfusion(new Uint8Array(3), new Uint8Array(2))).toThrow(RangeError);
    expect(() => countConfusion(new Uint8Array(3), new Uint8Array(3), new Uint8Array(4))).toThrow(RangeError);
  });
});

describe('rates', () => {
  // From scikit-learn 1.2.1: confusion_matrix, precision_score, recall_score, f1_score, matthews_corrcoef,
  // balanced_accuracy_score.
  it.each([
    [
      0.5,
      [9, 17, 2, 12],
      0.34615384615384615,
      0.8181818181818182,
      0.4864864864864865,
      0.21716292688879757,
      0.6159874608150471,
    ],
    [0.9, [3, 3, 8, 26], 0.5, 0.2727272727272727, 0.3529411764705882, 0.2116817097177376, 0.5846394984326019],
    [
      1.2,
      [1, 0, 10, 29],
      1,
      0.09090909090909091,
      0.16666666666666669,
      0.25999820691510084,
      0.5454545454545454,
    ],
  ])(
    'at %s equal those of scikit-learn',
    (threshold, [tp, fp, fn, tn], precision, recall, f1, mcc, balanced) => {
      const confusion = countConfusion(flagNodes(SAMPLE.scores, threshold), SAMPLE.positives);
      expect(confusion).toEqual({ tp, fp, fn, tn });
      const rates = ratesOf(confusion);
      expect(rates.precision).toBeCloseTo(precision, 14);
      expect(rates.recall).toBeCloseTo(recall, 14);
      expect(rates.f1).toBeCloseTo(f1, 14);
      expect(rates.mcc).toBeCloseTo(mcc, 14);
      expect(rates.balancedAccuracy).toBeCloseTo(balanced, 14);
      expect(rates.fpr).toBe(fp / (fp + tn));
    },
  );

  it('are null if the denominator is 0; MCC is 0 then', () => {
    const none = { precision: null, recall: null, f1: null, fpr: null, mcc: 0, balancedAccuracy: null };
    expect(ratesOf({ tp: 0, fp: 0, fn: 0, tn: 0 })).toEqual(none);
    expect(ratesOf({ tp: 0, fp: 0, fn: 0, tn: 5 })).toEqual({ ...none, fpr: 0 });
    expect(ratesOf({ tp: 0, fp: 0, fn: 3, tn: 5 })).toEqual({
      precision: null,
      recall: 0,
      f1: 0,
      fpr: 0,
      mcc: 0,
      balancedAccuracy: 0.5,
    });
    expect(ratesOf({ tp: 3, fp: 0, fn: 0, tn: 0 })).toEqual({
      precision: 1,
      recall: 1,
      f1: 1,
      fpr: null,
      mcc: 0,
      balancedAccuracy: null,
    });
    expect(share(0, 0)).toBeNull();
  });

  it('reach the ends of MCC, even if the product of counts exceeds 2^53', () => {
    expect(ratesOf({ tp: 4e6, fp: 0, fn: 0, tn: 9e6 }).mcc).toBe(1);
    expect(ratesOf({ tp: 0, fp: 9e6, fn: 4e6, tn: 0 }).mcc).toBe(-1);
  });
});
