import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attackRow,
  bestScores,
  detectedAttacks,
  discrimination,
  fpUntilAllAttacks,
  incidentsUntilAllAttacks,
} from '../../../src/evaluate/metrics/attack-metrics.js';
import { rankScores } from '../../../src/evaluate/metrics/ranking-metrics.js';
import { attacksOf } from '../samples.js';

const positivesOf = (nodes: number, ...hits: number[]) =>
  Uint8Array.from({ length: nodes }, (_, v) => (hits.includes(v) ? 1 : 0));

describe('attacks at a threshold', () => {
  it('are detected by one flagged node; a node may belong to two attacks', () => {
    const attacks = attacksOf({ A: [0, 1], B: [1, 2], C: [3] });
    expect(detectedAttacks(attacks, Uint8Array.of(0, 1, 1, 0))).toEqual({
      detected: 2,
      hits: [1, 2, 0],
    });
    expect([...attackRow(attacks, 1)]).toEqual([1, 2]);
    expect([...bestScores(attacks, [5, 3, 4, -2])]).toEqual([5, 4, -2]);
  });

  it('are null if the labels name no attacks', () => {
    expect(detectedAttacks(null, Uint8Array.of(1))).toBeNull();
    expect(detectedAttacks(attacksOf({}), Uint8Array.of(1))).toBeNull();
  });
});

describe('false positives until every attack is hit', () => {
  it('are the worst case within a group of equal scores', () => {
    // Attack B is first hit at 3, where it shares its score with two benign nodes.
    const scores = [9, 5, 3, 3, 3, 1];
    const ranking = rankScores(scores, positivesOf(6, 0, 2));
    expect(fpUntilAllAttacks(ranking, attacksOf({ A: [0], B: [2] }), scores)).toBe(3);
  });

  it('depend on the best node of an attack', () => {
    const scores = [9, 8, 7, 1];
    const ranking = rankScores(scores, positivesOf(4, 0, 1, 3));
    expect(fpUntilAllAttacks(ranking, attacksOf({ A: [0, 3], B: [1] }), scores)).toBe(0);
    expect(fpUntilAllAttacks(ranking, null, scores)).toBeNull();
  });

  it('leave ignored nodes out', () => {
    const scores = [9, 8, 7];
    const ranking = rankScores(scores, positivesOf(3, 2), Uint8Array.of(1, 0, 0));
    expect(fpUntilAllAttacks(ranking, attacksOf({ A: [2] }), scores)).toBe(1);
  });
});

describe('discrimination', () => {
  it('compares with the ten highest benign scores and divides by the highest score', () => {
    // Benign scores 20, 19, …, 9: the ten highest have a mean of 15.5.
    const benign = Array.from({ length: 12 }, (_, i) => 20 - i);
    const scores = [...benign, 25, 10, 3];
    const ranking = rankScores(scores, positivesOf(15, 12, 13, 14));
    const wanted = ((25 - 15.5) / 25 + (10 - 15.5) / 25) / 2;
    expect(discrimination(ranking, attacksOf({ A: [12], B: [13, 14] }), scores)).toBeCloseTo(wanted, 14);
  });

  it('is null where it is undefined', () => {
    const attacks = attacksOf({ A: [0] });
    const of = (scores: number[], positives: Uint8Array) =>
      discrimination(rankScores(scores, positives), attacks, scores);
    expect(of([1], positivesOf(1, 0))).toBeNull();
    expect(of([0, 0], positivesOf(2, 0))).toBeNull();
    expect(of([-1, -2], positivesOf(2, 0))).toBeNull();
    expect(of([Infinity, 1], positivesOf(2, 0))).toBeNull();
    expect(discrimination(rankScores([1, 0], positivesOf(2, 0)), null, [1, 0])).toBeNull();
    expect(of([2, 1], positivesOf(2, 0))).toBe(0.5);
  });
});

describe('incidents until every attack is found', () => {
  const attacks = attacksOf({ A: [1, 2], B: [7] });
  const incidents = (...rows: number[][]) => rows.map((nodes) => ({ nodes }));

  it('counts the incidents opened and their members', () => {
    const opened = incidentsUntilAllAttacks(incidents([0, 1], [3], [7, 4, 5], [6]), attacks);
    expect(opened).toMatchObject({ incidents: 3, nodes: 6, firstRank: [1, 3] });
    expect(opened?.members).toEqual([
      { nodes: 2, labelled: 1 },
      { nodes: 3, labelled: 1 },
    ]);
  });

  it('does not find an attack by a fourth member', () => {
    const giant = [0, 3, 4, 1, 2, 7, 5, 6];
    expect(incidentsUntilAllAttacks(incidents(giant), attacks)).toMatchObject({
      incidents: null,
      nodes: null,
      firstRank: [null, null],
    });
    expect(incidentsUntilAllAttacks(incidents(giant, [2], [8, 9, 7]), attacks)).toMatchObject({
      incidents: 3,
      nodes: 12,
      firstRank: [2, 3],
    });
  });

  it('is null if an attack is never found, with the ranks of the other attacks', () => {
    expect(incidentsUntilAllAttacks(incidents([0], [2]), attacks)).toMatchObject({
      incidents: null,
      nodes: null,
      firstRank: [2, null],
    });
    expect(incidentsUntilAllAttacks([], attacks)).toMatchObject({ incidents: null });
    expect(incidentsUntilAllAttacks(incidents([1]), null)).toBeNull();
  });

  it('finds both attacks of one node', () => {
    const both = attacksOf({ A: [1], B: [1] });
    expect(incidentsUntilAllAttacks(incidents([0], [1, 5]), both)).toMatchObject({
      incidents: 2,
      nodes: 3,
      firstRank: [2, 2],
    });
  });

  it('does not change if ignored nodes are removed', () => {
    const nodes = 12;
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.nat(nodes - 1), { maxLength: 8 }), { maxLength: 8 }),
        fc.uniqueArray(fc.constantFrom(0, 3, 4, 5, 6, 8, 9, 10, 11)),
        (rows, ignored) => {
          const without = rows
            .map((row) => row.filter((v) => !ignored.some((u) => u === v)))
            .filter((row) => row.length > 0);
          const mask = positivesOf(nodes, ...ignored);
          expect(incidentsUntilAllAttacks(incidents(...rows), attacks, mask)).toEqual(
            incidentsUntilAllAttacks(incidents(...without), attacks),
          );
        },
      ),
    );
  });
});
