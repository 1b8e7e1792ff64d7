import { describe, expect, test } from 'vitest';
import { type AttackResult, ranksText, rankText } from '../../../src/evaluate/report/attack-ranks.js';

const attack = (given: Partial<AttackResult>): AttackResult => ({
  name: 'a',
  nodes: 3,
  scored: 3,
  flagged: 0,
  firstIncident: null,
  deeper: null,
  ...given,
});
const found = (firstIncident: number) => attack({ firstIncident });
const deep = (incident: number | null, incidents = 300) =>
  attack({ deeper: { incident, incidents, nodes: 800 } });
const unscored = attack({ scored: 0 });

test('a rank says how far down the attack is', () => {
  expect([found(3), deep(1212), deep(null, 57), unscored].map(rankText)).toEqual([
    '3',
    '1,212*',
    '>57',
    'not scored',
  ]);
});

describe('ranks over seeds', () => {
  test('are one rank if median and worst agree', () => {
    expect(ranksText([found(3)])).toBe('3');
    expect(ranksText([found(1), found(3), found(3)])).toBe('3');
    expect(ranksText([])).toBe('not run');
  });

  test('are the median and the worst, a deeper rank after every other', () => {
    expect(ranksText([deep(12), found(40), found(2)])).toBe('40, worst 12*');
    expect(ranksText([unscored, deep(null), deep(7), found(9), found(1)])).toBe('7*, worst not scored');
    expect(ranksText([found(5), found(2)])).toBe('5'); // of two, the worse is the median
  });
});
