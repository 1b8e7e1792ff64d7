import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adp, adpCurve } from '../../../src/evaluate/metrics/adp.js';
import { discrimination, fpUntilAllAttacks } from '../../../src/evaluate/metrics/attack-metrics.js';
import { rankScores } from '../../../src/evaluate/metrics/ranking-metrics.js';
import { attacksOf } from '../samples.js';

/** The rows of the worked example: score, labels of its nodes, precision, share of attacks. */
function workedExample(): { score: number; nodes: string[]; precision: number; detected: number }[] {
  const lines = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8').split(
    '\n',
  );
  const from = lines.findIndex((line) => line.startsWith('| score | nodes |')) + 2;
  const rows = lines.slice(from, lines.indexOf('', from));
  const ratio = (cell: string) => {
    const [part, whole] = cell.split('/').map(Number);
    return part / whole;
  };
  return rows.map((row) => {
    const [score, nodes, precision, detected] = row.split('|').slice(1, -1);
    return {
      score: Number(score),
      nodes: nodes.split(',').map((node) => node.trim()),
      precision: ratio(precision),
      detected: ratio(detected),
    };
  });
}

describe('the worked example of docs/reference/metrics.md', () => {
  const rows = workedExample();
  const nodes = rows.flatMap((row) => row.nodes.map((label) => ({ label, score: row.score })));
  const scores = nodes.map((node) => node.score);
  const nodesOf = (label: string) => nodes.flatMap((node, v) => (node.label === label ? [v] : []));
  const attacks = attacksOf({ A: nodesOf('A'), B: nodesOf('B') });
  const ranking = rankScores(
    scores,
    Uint8Array.from(nodes, ({ label }) => (label === 'benign' ? 0 : 1)),
  );

  it('has eight nodes and two attacks', () => {
    expect(nodes).toHaveLength(8);
    expect([...attacks.offsets]).toEqual([0, 2, 3]);
  });

  it('matches the precision and the shares of its rows', () => {
    expect([...ranking.thresholds]).toEqual(rows.map((row) => row.score));
    rows.forEach((row, n) => {
      expect(ranking.hits[n] / ranking.flagged[n]).toBe(row.precision);
    });
    const curve = adpCurve(ranking, attacks, scores);
    for (const row of rows) {
      const best = Math.max(...rows.filter((r) => r.precision === row.precision).map((r) => r.detected));
      expect(curve?.detected[curve.precision.indexOf(row.precision)]).toBe(best);
    }
  });

  it('matches the points and figures of the text', () => {
    const curve = adpCurve(ranking, attacks, scores);
    expect([...(curve?.precision ?? [])]).toEqual([0, 0.375, 0.5, 0.6, 1]);
    expect([...(curve?.detected ?? [])]).toEqual([0, 1, 1, 1, 0.5]);
    expect(adp(ranking, attacks, scores)).toBeCloseTo(0.7125, 14);
    expect(fpUntilAllAttacks(ranking, attacks, scores)).toBe(2);
    expect(discrimination(ranking, attacks, scores)).toBeCloseTo(0.4, 14);
    const page = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');
    const text = page.replace(/\s+/g, ' ');
    for (const figure of ['ADP = 0.7125', '(8 − 4.4) / 9 = 0.4', 'after 2 negatives'])
      expect(text).toContain(figure);
  });
});

describe('ADP', () => {
  it('is near 1 for a perfect ranking, which lacks only the first trapezoid', () => {
    const scores = [9, 8, ...new Array(98).fill(0)];
    const ranking = rankScores(
      scores,
      Uint8Array.from(scores, (score) => (score > 0 ? 1 : 0)),
    );
    // (0, 0), (0.02, 1), (1, 1): both hits have precision 1, and the second completes the attacks.
    expect(adp(ranking, attacksOf({ A: [0], B: [1] }), scores)).toBeCloseTo(0.99, 14);
  });

  it('is low when all scores are equal', () => {
    const ranking = rankScores([1, 1, 1, 1], Uint8Array.of(1, 0, 0, 0));
    expect(adp(ranking, attacksOf({ A: [0] }), [1, 1, 1, 1])).toBe(0.125);
  });

  it('is null without attacks', () => {
    const ranking = rankScores([1], Uint8Array.of(1));
    expect(adp(ranking, null, [1])).toBeNull();
    expect(adp(ranking, attacksOf({}), [1])).toBeNull();
  });

  it('agrees with a direct evaluation of its definition', () => {
    const labelledNodes = fc.array(
      fc.record({ score: fc.integer({ min: 0, max: 9 }), attacks: fc.subarray(['A', 'B', 'C']) }),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(labelledNodes, (nodes) => {
        const names = ['A', 'B', 'C'].filter((name) => nodes.some((node) => node.attacks.includes(name)));
        const rows = names.map((name) => [
          name,
          nodes.flatMap((n, v) => (n.attacks.includes(name) ? [v] : [])),
        ]);
        const scores = nodes.map((node) => node.score);
        const positives = Uint8Array.from(nodes, (node) => (node.attacks.length > 0 ? 1 : 0));
        const found = adp(rankScores(scores, positives), attacksOf(Object.fromEntries(rows)), scores);
        if (names.length === 0) {
          expect(found).toBeNull();
          return;
        }

        const best = new Map<number, number>([[0, 0]]);
        for (const threshold of new Set(scores)) {
          const above = nodes.filter((node) => node.score >= threshold);
          const precision = above.filter((node) => node.attacks.length > 0).length / above.length;
          const hit =
            names.filter((name) => above.some((node) => node.attacks.includes(name))).length / names.length;
          best.set(precision, Math.max(best.get(precision) ?? 0, hit));
        }
        const points = [...best].sort(([a], [b]) => a - b);
        const area = points
          .slice(1)
          .reduce((sum, [x, y], i) => sum + ((x - points[i][0]) * (y + points[i][1])) / 2, 0);
        expect(found).toBeCloseTo(area, 12);
      }),
    );
  });
});
