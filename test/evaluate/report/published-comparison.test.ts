import { expect, test } from 'vitest';
import { compareWithPublished } from '../../../src/evaluate/report/published-comparison.js';
import { resultOf } from './sample-result.js';
import { smallStudy } from './sample-study.js';

test('rates are in percent, and null if the variant was not run', () => {
  const rows = compareWithPublished(smallStudy());
  const row = (name: string) => rows.find((each) => each.name === name);
  expect(row('RECAL')?.ours?.f1).toBeCloseTo(91, 6);
  expect(row('RECAL')?.deviation?.f1).toBeCloseTo(Math.SQRT2, 6);
  expect(row('RECAL')?.steps).toBe(40);
  expect(row('z-score')).toMatchObject({
    variant: 'zscore',
    ours: null,
    published: { f1: 97.09 },
    steps: null,
  });
  expect(row('MAGIC')).toMatchObject({ variant: 'magic', ours: null });
  expect(row('STGAN')).toMatchObject({ variant: null, ours: null });
  expect(compareWithPublished(smallStudy({ host: undefined }))).toEqual([]);
});

test('a rival stands in the row of its publication, any other variant in one of its own', () => {
  const result = resultOf({ paper: [0.9], magic: [0.5, 0.7], rarity: [0.2] });
  const rows = compareWithPublished(smallStudy({ runs: [{ name: 'paper', result }] }));
  const magic = rows.filter(({ variant }) => variant === 'magic');
  expect(magic).toHaveLength(1);
  expect(magic[0]).toMatchObject({ name: 'MAGIC', published: { f1: 97.01 } });
  expect(magic[0].ours?.f1).toBeCloseTo(60, 6);
  expect(rows.find(({ variant }) => variant === 'rarity')).toMatchObject({ published: null, steps: 40 });
});
