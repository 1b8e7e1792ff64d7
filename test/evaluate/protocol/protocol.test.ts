import { describe, expect, test } from 'vitest';
import type { Parts } from '../../../src/evaluate/protocol/parts.js';
import { checkOrder } from '../../../src/evaluate/protocol/protocol.js';

const part = (name: string, first: number, last: number) => ({
  name,
  first: BigInt(first),
  last: BigInt(last),
});
const parts = (train: [number, number], calibrate: [number, number], test: [number, number]) =>
  ({
    train: part('train', ...train),
    calibrate: part('calibrate', ...calibrate),
    test: part('test', ...test),
  }) as unknown as Parts;

describe('checkOrder', () => {
  test('one after the other is in order', () => {
    expect(checkOrder(parts([0, 10], [10, 20], [20, 30]), 'honest', false)).toEqual([]);
  });

  test.each([
    ['calibrate', parts([10, 20], [0, 9], [20, 30])],
    ['test', parts([10, 20], [20, 25], [19, 40])],
  ])(
    '%s before the end of training is refused, unless it is allowed or the paper’s protocol',
    (name, given) => {
      expect(() => checkOrder(given, 'honest', false)).toThrow(
        expect.objectContaining({ code: 'not-chronological', exit: 2 }),
      );
      for (const notes of [checkOrder(given, 'honest', true), checkOrder(given, 'paper', false)]) {
        expect(notes[0]).toContain(`the part ${name} begins before training ends`);
      }
    },
  );

  test('a test before the end of calibration is noted', () => {
    expect(checkOrder(parts([0, 10], [20, 30], [10, 20]), 'honest', false)).toEqual([
      expect.stringContaining('the test begins before calibration ends'),
    ]);
  });
});
