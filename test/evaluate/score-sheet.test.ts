import { describe, expect, test } from 'vitest';
import { ScoreSheet } from '../../src/evaluate/score-sheet.js';

const rows = [
  ['a', 0, Float64Array.of(1, 2)],
  ['b', 0, Float64Array.of(5, 5)],
  ['a', 1, Float64Array.of(3, 2)],
  ['a', 4, Float64Array.of(8, 2)],
] as const;

function sheetOf(most: number) {
  const sheet = new ScoreSheet(2, rows.length, most);
  for (const [variant, seed, scores] of rows) sheet.add(variant, seed, scores);
  return sheet.columns;
}

describe('ScoreSheet', () => {
  test('a column a variant and seed', () => {
    expect(sheetOf(8)).toEqual(rows.map(([variant, seed, scores]) => ({ variant, seed, scores })));
  });

  test('means where there are too many', () => {
    expect(sheetOf(7)).toEqual([
      { variant: 'a', seed: 'mean', scores: Float64Array.of(4, 2) },
      { variant: 'b', seed: 'mean', scores: Float64Array.of(5, 5) },
    ]);
    expect(rows[0][2]).toEqual(Float64Array.of(1, 2)); // what was given is left alone
  });
});
