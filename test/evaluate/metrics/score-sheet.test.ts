import { describe, expect, test } from 'vitest';
import { ordersSilent, ScoreSheet, scoreAt } from '../../../src/evaluate/metrics/score-sheet.js';

const rows = [
  ['a', 0, Float64Array.of(1, -0.5)],
  ['b', 0, Float64Array.of(5, 5)],
  ['a', 1, Float64Array.of(3, -1)],
  ['a', 4, Float64Array.of(8, 3)],
] as const;

function sheetOf(most: number) {
  const sheet = new ScoreSheet(2, rows.length, most);
  for (const [variant, seed, ranking] of rows) sheet.add(variant, seed, ranking);
  return sheet.columns;
}

describe('ScoreSheet', () => {
  test('a column a variant and seed', () => {
    expect(sheetOf(8)).toEqual(rows.map(([variant, seed, ranking]) => ({ variant, seed, ranking })));
  });

  test('means of scores where there are too many', () => {
    expect(sheetOf(7)).toEqual([
      { variant: 'a', seed: 'mean', ranking: Float64Array.of(4, 1) },
      { variant: 'b', seed: 'mean', ranking: Float64Array.of(5, 5) },
    ]);
    expect(rows[0][2]).toEqual(Float64Array.of(1, -0.5)); // what was given is left alone
  });
});

test('what ranks below 0 scores 0, and is worth a column of its own where it differs', () => {
  const column = (...ranking: number[]) => ({ variant: 'a', seed: 0, ranking: Float64Array.from(ranking) });
  expect([0, 1].map((node) => scoreAt(column(2, -0.25), node))).toEqual([2, 0]);
  expect(ordersSilent(column(2, -0.25, -1))).toBe(true);
  expect(ordersSilent(column(2, -1, 3, -1))).toBe(false);
  expect(ordersSilent(column(2, 3))).toBe(false);
});
