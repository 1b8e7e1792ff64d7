import { expect, test } from 'vitest';
import { caveatsOf } from '../../../src/evaluate/report/caveats.js';
import { NO_ATTACKS, ONE_SEED } from '../../../src/evaluate/report/run-notes.js';
import { resultOf } from './sample-result.js';
import { CURVES, smallStudy } from './sample-study.js';

test('oracle thresholds, labels without attacks, other sizes, another order', () => {
  const caveats = caveatsOf(smallStudy());
  const text = caveats.join('\n');
  expect(text).toContain('all thresholds are oracle thresholds');
  expect(caveats).toContain(NO_ATTACKS);
  expect(text).toContain('published results fit 357,173 nodes, 12,857 of them labelled');
  expect(text).toContain('3 of 6 pairs have the same order as in the paper, 3 the opposite order');
  expect(text).toContain('above the full method: w/o CD');
  expect(caveats).not.toContain(ONE_SEED);
});

test('one seed, labels in training, marked thresholds, notes of the run, stopped sweeps', () => {
  const note = 'the test split begins before training ends: X and Y';
  const result = resultOf(
    { recal: [0.4] },
    {
      oracle: false,
      attacks: ['a'],
      withoutAttack: 2,
      labelsInTraining: 3,
      notes: [note, ONE_SEED, 'recal: the threshold budget:5/day is extrapolated: it is too short'],
      mark: 'extrapolated',
    },
  );
  const caveats = caveatsOf({
    title: '',
    runs: [{ name: 'honest', result, curves: CURVES }],
    notes: ['this split trains on the future'],
    sweeps: { run: 'x', axes: [], trials: [], complete: false },
  });
  expect(caveats[0]).toBe('this split trains on the future');
  expect(caveats.filter((each) => each === ONE_SEED)).toHaveLength(1);
  expect(caveats).toContain('2 of 4 labelled nodes belong to no attack');
  expect(caveats.join('\n')).toMatch(/3 of 5 labelled entities also occur in training/);
  expect(caveats.join('\n')).toMatch(/thresholds of recal are extrapolated/);
  expect(caveats.filter((each) => each.includes('extrapolated'))).toHaveLength(1);
  expect(caveats).toContain(note);
  expect(caveats.at(-1)).toContain('sweeps');
  expect(caveats.join('\n')).not.toContain('oracle');
});

test('a gate that stops labelled nodes, which makes variants equal', () => {
  const result = resultOf({ paper: [0.4, 0.4], max: [0.4, 0.4], recal: [0.5, 0.5] });
  for (const name of ['paper', 'max']) result.variants[name].mean.candidateRecall = 0.125;
  result.variants.recal.mean.candidateRecall = null;
  const text = caveatsOf(smallStudy({ runs: [{ name: 'paper', result, curves: CURVES }] })).join('\n');
  expect(text).toContain('the gate of paper, max lets only 12.5 % of the labelled nodes pass');
  expect(caveatsOf(smallStudy()).join('\n')).not.toContain('the gate of');
});

test('a caveat of one protocol names it', () => {
  const result = resultOf({ paper: [0.1, 0.2] }, { oracle: false });
  const { runs } = smallStudy();
  const caveats = caveatsOf(smallStudy({ runs: [...runs, { name: 'honest', result, curves: CURVES }] }));
  expect(caveats.filter((each) => each.startsWith('protocol paper: all thresholds'))).toHaveLength(1);
  expect(caveats).toContain(NO_ATTACKS);
});
