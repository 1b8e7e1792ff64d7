import { describe, expect, test } from 'vitest';
import { ranksApart, ScoreSheet, scoreAt } from '../../../src/evaluate/metrics/score-sheet.js';

const rows = [
  ['a', 0, Float64Array.of(1, -0.5)],
  ['b', 0, Float64Array.of(5, 5)],
  ['a', 1, Float64Array.of(3, -1)],
  ['a', 4, Float64Array.of(8, 3)],
] as const;

function sheetOf(maxCells: number) {
  const sheet = new ScoreSheet(2, rows.length, maxCells);
  for (const [variant, seed, ranking] of rows) {
    sheet.add(variant, seed, { ranking, scores: ranking.map((rank) => Math.max(0, rank)) });
  }
  return sheet.columns;
}

describe('ScoreSheet', () => {
  test('has a column for each variant and seed', () => {
    expect(sheetOf(8)).toEqual(rows.map(([variant, seed, ranking]) => ({ variant, seed, ranking })));
  });

  test('keeps means of scores above the limit', () => {
    expect(sheetOf(7)).toEqual([
      { variant: 'a', seed: 'mean', ranking: Float64Array.of(4, 1) },
      { variant: 'b', seed: 'mean', ranking: Float64Array.of(5, 5) },
    ]);
    expect(rows[0][2]).toEqual(Float64Array.of(1, -0.5)); // the input is not changed
  });
});

test('keeps scores that the ranking does not give', () => {
  const sheet = new ScoreSheet(2, 1);
  const [scores, ranking] = [Float64Array.of(3, 2), Float64Array.of(3 - Math.log(2), 2)];
  sheet.add('a', 0, { scores, ranking });
  expect(sheet.columns).toEqual([{ variant: 'a', seed: 0, ranking, scores }]);
  expect(scoreAt(sheet.columns[0], 0)).toBe(3);
  expect(ranksApart(sheet.columns[0])).toBe(true);
});

test('a negative rank is a score of 0; ranks of equal scores may differ', () => {
  const column = (...ranking: number[]) => ({ variant: 'a', seed: 0, ranking: Float64Array.from(ranking) });
  expect([0, 1].map((node) => scoreAt(column(2, -0.25), node))).toEqual([2, 0]);
  expect(ranksApart(column(2, -0.25, -1))).toBe(true);
  expect(ranksApart(column(2, -1, 3, -1))).toBe(false);
  expect(ranksApart(column(2, 3))).toBe(false);
});
