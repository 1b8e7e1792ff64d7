import { describe, expect, test } from 'vitest';
import { renderEvaluation } from '../../../src/cli/terminal/evaluation-table.js';
import { summariseSeeds } from '../../../src/evaluate/metrics/summary-statistics.js';
import {
  type EvaluationResult,
  FIGURE_NAMES,
  type Figure,
  type SeedResult,
} from '../../../src/evaluate/result-schema.js';

const LOOK = { width: Number.POSITIVE_INFINITY, unicode: true };

function seedOf(seed: number, given: Partial<SeedResult>): SeedResult {
  const figures = Object.fromEntries(FIGURE_NAMES.map((name) => [name, 0])) as Record<Figure, number>;
  const threshold = { kind: 'budget' as const, asked: 'budget:5/day', value: 3, oracle: false };
  return { ...figures, seed, threshold, oracle: null, ...given };
}

function linesOf(
  seeds: readonly SeedResult[],
  look = LOOK,
  complete = true,
  attacks: readonly string[] | null = null,
  hostDays = 1,
): string[] {
  const result = {
    complete,
    protocol: 'honest',
    matching: 'node',
    notes: ['see \u001b[2J'],
    variants: { recal: { seeds, ...summariseSeeds(seeds, FIGURE_NAMES) } },
    data: { nodes: 1000, positives: 5, attacks, splits: { test: { hostDays } } },
  } as unknown as EvaluationResult;
  return [...renderEvaluation(result, look)];
}

const SEEDS = [
  seedOf(0, {
    tp: 4,
    fp: 2,
    fn: 1,
    precision: 4 / 6,
    recall: 0.8,
    f1: 8 / 11,
    attacks: 2,
    attacksDetected: 2,
  }),
  seedOf(1, { tp: 3, fp: 1, fn: 2, precision: 0.75, recall: 0.6, f1: 6 / 9, attacks: 2, attacksDetected: 1 }),
];

describe('renderEvaluation', () => {
  test('prints the median of the steps, which may differ by seed', () => {
    const budgets = [688, 308, 1391].map((steps) => ({ epochs: 1, steps, graphs: 1 }));
    const lines = linesOf(budgets.map((budget, seed) => seedOf(seed, { budget })));
    expect(lines.find((line) => line.startsWith('recal'))).toMatch(/ 688 +budget:5\/day$/);
  });

  test('prints mean and deviation, with counts after every rate', () => {
    const lines = linesOf(SEEDS);
    expect(lines[0]).toBe('protocol honest, matching node: 5 of 1,000 nodes are labelled (0.50 %)');
    const row = lines.find((line) => line.startsWith('recal')) as string;
    expect(row).toContain('1.5 ± 0.7/2');
    expect(row).toContain('0.697 ± 0.043'); // F1
    expect(row).toContain('0.708 ± 0.059 (3.5/5)');
    expect(row).toContain('0.700 ± 0.141 (3.5/5)');
    expect(row).toMatch(/budget:5\/day$/);
  });

  test('prints the steps that training took, and - for a variant that learns nothing', () => {
    const budget = { epochs: 10, steps: 960, graphs: 96 };
    const trained = SEEDS.map((seed) => ({ ...seed, budget }));
    expect(linesOf(trained).join('\n')).toMatch(/gap +steps +threshold\nrecal .* 960 +budget:5\/day\n/);
    expect(linesOf(SEEDS).join('\n')).toMatch(/\nrecal .* - +budget:5\/day\n/);
  });

  test('prints no deviation for one seed, and - for undefined figures', () => {
    const one = { ...SEEDS[0], attacks: null, attacksDetected: null, precision: null, tp: 0, fp: 0 };
    const row = linesOf([one]).find((line) => line.startsWith('recal')) as string;
    expect(row).not.toContain('±');
    expect(row).toMatch(/^recal +- /);
    expect(row).toContain('- (0/0)');
  });

  test('prints no rate per day of a test that is much shorter than a day', () => {
    const seeds = [seedOf(0, { falseIncidents: 2, falseIncidentsPerDay: 160 })];
    const of = (hostDays: number) => linesOf(seeds, LOOK, true, null, hostDays).join('\n');
    expect(of(1)).toContain('2 (160.0/day)');
    expect(of(0.0125)).not.toMatch(/160|per host and day of the test split/);
    expect(of(0.0125)).toContain('too short for a rate per day');
  });

  test('prints the number of seeds per row after a stop', () => {
    expect(linesOf(SEEDS, LOOK, false).join('\n')).toMatch(/\nvariant +seeds +attacks .*\nrecal +2 +1\.5 ±/);
    expect(linesOf(SEEDS).join('\n')).toMatch(/\nvariant +attacks .*\nrecal +1\.5 ±/);
  });

  test('prints the mark of a threshold, and notes without control characters', () => {
    const threshold = { ...SEEDS[0].threshold, mark: 'unresolved' as const };
    const lines = linesOf([{ ...SEEDS[0], threshold }, SEEDS[1]], { ...LOOK, unicode: false });
    expect(lines.find((line) => line.startsWith('recal'))).toMatch(/\+- .*budget:5\/day, unresolved$/);
    expect(lines.at(-1)).toBe('note: see \\e[2J');
  });

  test('prints where each attack is first seen, also beyond the highest nodes', () => {
    const attacks = ['A1', 'A2', 'A3', 'A4'];
    const of = (...ranks: readonly (number | null)[]) =>
      attacks.map((name, a) => ({
        name,
        nodes: 2,
        scored: a === 3 ? 0 : 2,
        flagged: 0,
        firstIncident: ranks[a],
        deeper:
          ranks[a] !== null || a === 3
            ? null
            : { incident: a === 2 ? null : 212, incidents: 300, nodes: 800 },
      }));
    const given = { incidentsUntilAllAttacks: null, nodesUntilAllAttacks: null };
    const seeds = [
      { ...SEEDS[0], ...given, perAttack: of(2, 7, null, null) },
      { ...SEEDS[1], ...given, perAttack: of(2, null, null, null) },
    ];
    const lines = linesOf(seeds, LOOK, true, attacks);
    const start = lines.findIndex((line) => /^attack, by incident +recal$/.test(line));
    expect(lines.slice(start + 1, start + 5).map((line) => line.replace(/ +/, ': '))).toEqual([
      'A1: 2',
      'A2: 212*',
      'A3: >300',
      'A4: not scored',
    ]);
    expect(lines.join('\n')).toContain('not scored: every node of the attack scores 0');
    expect(lines.find((line) => line.startsWith('recal'))).toMatch(/ not all +not all /);
    expect(linesOf(SEEDS).join('\n')).not.toContain('not scored');
  });
});
