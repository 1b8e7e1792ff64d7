import { expect, test } from 'vitest';
import type { DriftFindings, DriftRow } from '../../../src/detect/drift/drift-report.js';
import { adviseOn } from '../../../src/detect/drift/verdict.js';

/** Ten relations, all steady. */
function findings(
  verdicts: readonly DriftRow['verdict'][] = [],
  more: {
    counts?: Partial<DriftFindings['counts']>;
    quarantine?: Partial<DriftFindings['quarantine']>;
    change?: Partial<DriftFindings['change']>;
    novelty?: Partial<DriftFindings['novelty']>;
  } = {},
): DriftFindings {
  const rows = Array.from({ length: 10 }, (_, i) => ({ verdict: verdicts[i] ?? 'steady' }) as DriftRow);
  return {
    level: 0.01,
    rows,
    leftOut: [],
    counts: {
      graphs: 48,
      instances: 10_000,
      hostDays: 1,
      compared: 10,
      tooFew: 0,
      withoutTable: 0,
      ...more.counts,
    },
    quarantine: {
      rule: 'budget:5/day',
      tau: 12,
      high: 8,
      inherited: 3,
      nodes: 9,
      graphs: 2,
      expected: 10,
      ...more.quarantine,
    },
    change: {
      windows: 48,
      capital: 1,
      most: 1.5,
      reached: null,
      since: null,
      above: { p90: 0.1, p99: 0.01 },
      against: { p90: 0.12, p99: 0.02 },
      ...more.change,
    },
    novelty: { interactions: 1000, newRelation: 0, relations: [], more: 0, names: [], ...more.novelty },
  };
}

const at = { ns: '0', iso: '2018-04-06T10:00:00.000000000Z' };
const programs = (nodes: number, unknown: number) => ({
  names: [{ type: 'process', nodes, unknown, examples: [] } as const],
});

const cases: [string, string, DriftFindings][] = [
  ['no change', 'steady', findings()],
  ['a small move', 'steady', findings(['shifted', 'shifted', 'less-unusual'])],
  ['one relation', 'recalibrate', findings(['more-unusual'])],
  ['many relations', 'retrain', findings(['more-unusual', 'more-unusual', 'more-unusual', 'more-unusual'])],
  ['higher scores', 'recalibrate', findings([], { change: { reached: at, above: { p90: 0.3, p99: 0.01 } } })],
  [
    'slightly higher scores',
    'steady',
    findings([], { change: { reached: at, above: { p90: 0.13, p99: 0.01 } } }),
  ],
  ['new relations', 'retrain', findings([], { novelty: { newRelation: 20 } })],
  ['new programs', 'retrain', findings([], { novelty: programs(100, 30) })],
  ['few programs, one of them new', 'steady', findings([], { novelty: programs(3, 1) })],
  ['many high scores', 'look-first', findings(['more-unusual'], { quarantine: { high: 900 } })],
  ['as many high scores as expected', 'steady', findings([], { quarantine: { high: 900, expected: 800 } })],
  ['nothing compared', 'too-little', findings([], { counts: { compared: 0, instances: 20 } })],
];

test('a share of nearly all is written as a number', () => {
  const { reasons } = adviseOn(findings([], { novelty: programs(1000, 998) }));
  expect(reasons.join()).toContain('100 % of the processes');
});

test.each(cases)('%s: %s', (_, verdict, found) => {
  const advice = adviseOn(found);
  expect(advice.verdict).toBe(verdict);
  expect(advice.reasons.length).toBeGreaterThan(0);
});

test('all reasons are given, not only that of the verdict', () => {
  const { reasons } = adviseOn(findings(['more-unusual', 'less-unusual'], { novelty: { newRelation: 50 } }));
  expect(reasons).toEqual([
    '1 of 10 relations have become more unusual',
    '5.0 % of the interactions have relations that training never saw',
    '1 of 10 relations have become less unusual: the model will raise fewer alerts',
  ]);
});

test('unexpectedly many high scores are a reason even without drift', () => {
  expect(adviseOn(findings([], { quarantine: { high: 120 } }))).toEqual({
    verdict: 'steady',
    reasons: [
      'none of 10 relations has become much more unusual, at a false discovery rate of 0.01',
      '120 instances score high, and 10 were expected: inspect them with recal detect',
    ],
  });
});
