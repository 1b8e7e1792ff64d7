import { describe, expect, test } from 'vitest';
import {
  assignmentText,
  combinations,
  groupAssignment,
  PAPER_SWEEPS,
  parseAxes,
} from '../../../src/evaluate/sweep/sweep-axes.js';

/** Parses one axis. */
const parseAxis = (text: string) => parseAxes([text])[0];

describe('parseAxes', () => {
  test('parses numbers, words, booleans and lists', () => {
    expect(parseAxis('gamma=0,0.5,1')).toEqual({ key: 'gamma', values: [0, 0.5, 1] });
    expect(parseAxis('learningRate=1e-4')).toEqual({ key: 'learningRate', values: [1e-4] });
    expect(parseAxis('steps=100,1000').values).toEqual([100, 1000]);
    expect(parseAxis('fusion=fisher,brown').values).toEqual(['fisher', 'brown']);
    expect(parseAxis('balanced=true,false').values).toEqual([true, false]);
    expect(parseAxis('evidence=name,reconstruction+name').values).toEqual([
      ['name'],
      ['reconstruction', 'name'],
    ]);
    expect(parseAxis('calibrationShare=0.01,1').values).toEqual([0.01, 1]);
  });

  test.each([
    ['gama=1', "did you mean 'gamma'?"],
    ['seed=0,1', 'every trial runs all of --seeds'],
    ['profile=paper', '--variants'],
    ['gamma', 'write gamma=V1,V2'],
    ['gamma=', 'write gamma=V1,V2'],
    ['gamma=0,,1', 'write gamma=V1,V2'],
    ['gamma=1,1', 'give each value once'],
    ['gamma=often', 'docs/reference/settings.md'],
    ['steps=many', 'docs/reference/settings.md'],
    ['rounds=0', 'docs/reference/settings.md'],
    ['calibrationShare=0', 'above 0'],
    ['__proto__=1', 'one of: '],
  ])('%s is refused', (text, hint) => {
    expect(() => parseAxis(text)).toThrow(
      expect.objectContaining({ code: 'sweep-config', exit: 2, hint: expect.stringContaining(hint) }),
    );
  });

  test('refuses a key that is given twice', () => {
    expect(() => parseAxes(['gamma=0', 'gamma=1'])).toThrow(
      expect.objectContaining({ code: 'sweep-config' }),
    );
  });
});

describe('combinations', () => {
  test('covers every combination; the last axis changes fastest', () => {
    const all = combinations(parseAxes(['gamma=0,1', 'fusion=fisher,max', 'rounds=5']));
    expect(all.map(assignmentText)).toEqual([
      'gamma=0 fusion=fisher rounds=5',
      'gamma=0 fusion=max rounds=5',
      'gamma=1 fusion=fisher rounds=5',
      'gamma=1 fusion=max rounds=5',
    ]);
    expect(combinations([])).toEqual([{}]);
  });

  test('groups values by training and detection', () => {
    expect(groupAssignment({ gamma: 1, fusion: 'max', calibrationShare: 0.1 })).toEqual({
      training: { gamma: 1 },
      detection: { fusion: 'max' },
      calibrationShare: 0.1,
    });
    expect(groupAssignment({})).toEqual({ training: {}, detection: {}, calibrationShare: 1 });
  });
});

test('the sweeps of the paper are valid', () => {
  for (const { key, values } of PAPER_SWEEPS) {
    expect(parseAxis(`${key}=${values.join(',')}`).values).toEqual(values);
  }
  const range = PAPER_SWEEPS.map(({ key, values }) => [key, values[0], values.at(-1)]);
  expect(range).toEqual([
    ['calibrationShare', 0.01, 1],
    ['rounds', 1, 20],
    ['gamma', 0, 1],
    ['learningRate', 1e-4, 1e-2],
  ]);
});
