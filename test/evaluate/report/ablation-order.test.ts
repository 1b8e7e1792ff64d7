import { describe, expect, test } from 'vitest';
import {
  compareOrder,
  inversionText,
  orderCaveat,
  orderText,
} from '../../../src/evaluate/report/ablation-order.js';
import { resultOf } from './sample-result.js';

// Published F1 for CADETS: RECAL 99.99, w/o BL 99.26, max 99.08, mean 98.67, z-score 97.09, w/o CD 96.05.
describe('compareOrder', () => {
  test('lists pairs in the opposite order, with the number of seeds', () => {
    const result = resultOf({
      paper: [0.9, 0.92],
      'wo-bl': [0.7, 0.8],
      'wo-cd': [0.95, 0.91],
      max: [0.5, 0.5],
    });
    const order = compareOrder(result, 'cadets');
    expect(order).toMatchObject({ pairs: 6, asPublished: 3, equal: 0, alike: [] });
    expect(order.turned.map(({ better, worse, seeds }) => [better, worse, ...seeds])).toEqual([
      ['w/o CD', 'RECAL', 1, 2],
      ['w/o CD', 'w/o BL', 2, 2],
      ['w/o CD', 'max fusion', 2, 2],
    ]);
    expect(inversionText(order.turned[0])).toBe(
      'w/o CD is above RECAL here (F1 93.00 against 91.00, in 1 of 2 seeds) and below it in the paper (96.05 against 99.99)',
    );
    expect(orderText(order)).toBe(
      'by mean F1, 3 of 6 pairs have the same order as in the paper, 3 the opposite order',
    );
    expect(orderCaveat(order)).toContain('above the full method: w/o CD');
  });

  test('an equal F1 is not the published order', () => {
    const order = compareOrder(resultOf({ paper: [0], max: [0], zscore: [0], 'wo-cd': [0.1] }), 'cadets');
    expect(order).toMatchObject({ pairs: 6, asPublished: 0, equal: 3 });
    expect(order.alike).toEqual([{ f1: 0, names: ['RECAL', 'max fusion', 'z-score'] }]);
    expect(orderText(order)).toBe(
      'by mean F1, 0 of 6 pairs have the same order as in the paper, 3 the opposite order, 3 the same F1',
    );
    const [first] = order.turned;
    expect(inversionText(first)).not.toContain('seeds');
    expect(orderCaveat(compareOrder(resultOf({ paper: [0], max: [0] }), 'cadets'))).toContain(
      '1 the same F1',
    );
  });

  test('the published order gives no caveat', () => {
    const order = compareOrder(resultOf({ paper: [0.9], max: [0.8], zscore: [0.7] }), 'cadets');
    expect(order).toMatchObject({ pairs: 3, asPublished: 3, equal: 0, turned: [], alike: [] });
    expect(orderCaveat(order)).toBeUndefined();
    expect(orderText(order)).toBe('by mean F1, the ablations have the same order as in the paper');
  });

  test('a variant that was not run or has no F1 is in no pair', () => {
    const result = resultOf({ max: [0.4], mean: [0.5], rarity: [1] });
    result.variants.mean.mean.f1 = null;
    expect(compareOrder(result, 'theia').pairs).toBe(0);
  });

  test('for THEIA the paper has w/o BL above the full method', () => {
    const order = compareOrder(resultOf({ paper: [0.9], 'wo-bl': [0.8] }), 'theia');
    expect(order.turned.map(({ better, worse }) => [better, worse])).toEqual([['RECAL', 'w/o BL']]);
  });
});
