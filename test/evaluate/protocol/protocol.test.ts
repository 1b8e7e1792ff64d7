import { describe, expect, test } from 'vitest';
import { checkOrder } from '../../../src/evaluate/protocol/protocol.js';
import type { Splits } from '../../../src/evaluate/protocol/splits.js';

const split = (name: string, first: number, last: number) => ({
  name,
  first: BigInt(first),
  last: BigInt(last),
});
const splits = (train: [number, number], calibrate: [number, number], test: [number, number]) =>
  ({
    train: split('train', ...train),
    calibrate: split('calibrate', ...calibrate),
    test: split('test', ...test),
  }) as unknown as Splits;

describe('checkOrder', () => {
  test('accepts splits in order of time', () => {
    expect(checkOrder(splits([0, 10], [10, 20], [20, 30]), 'honest', false)).toEqual([]);
  });

  test.each([
    ['calibrate', splits([10, 20], [0, 9], [20, 30])],
    ['test', splits([10, 20], [20, 25], [19, 40])],
  ])('refuses a %s split before the end of training, except with allowPast or under paper', (name, given) => {
    expect(() => checkOrder(given, 'honest', false)).toThrow(
      expect.objectContaining({ code: 'not-chronological', exit: 2 }),
    );
    for (const notes of [checkOrder(given, 'honest', true), checkOrder(given, 'paper', false)]) {
      expect(notes[0]).toContain(name);
    }
  });

  test('notes a test that begins before calibration ends', () => {
    expect(checkOrder(splits([0, 10], [20, 30], [10, 20]), 'honest', false)).toHaveLength(1);
  });
});
