import { describe, expect, test } from 'vitest';
import { TailSurprise } from '../../../src/detect/episodes/novelty/tail-surprise.js';
import { raiseIncidents } from '../../../src/detect/episodes/raise-incidents.js';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';

const ranked = [50, 20, 8, 4, 2, 1, 0].map((score) => ({ score }));
const benignOf = (scores: number[], hostDays: number) => ({
  scores: new TailSurprise(scores),
  hostDays,
  graphs: 2,
});
const raise = (rule: string, benign: ReturnType<typeof benignOf>, hostDays = 0.5) =>
  raiseIncidents(parseThreshold(rule) as never, ranked, { benign, hostDays });

describe('raiseIncidents', () => {
  test('top:N/day raises the first N although calibration was short', () => {
    const { incidents, tau, note } = raise('top:3/day', benignOf([1, 2], 0.01));
    expect(incidents.map(({ score }) => score)).toEqual([50, 20, 8]);
    expect(tau).toBe(8);
    expect(note).toContain('fewer than 20 benign incidents');
  });

  test('top:N/day raises N for each host and day, never an incident that scores 0', () => {
    const benign = benignOf([1], 1);
    expect(raise('top:2/day', benign, 2.2).incidents).toHaveLength(5);
    expect(raise('top:100/day', benign, 3).incidents).toHaveLength(6);
  });

  test('says how many incidents of this score benign events give', () => {
    const scores = Array.from({ length: 40 }, (_, i) => i / 4);
    const { threshold } = raise('top:4/day', benignOf(scores, 2));
    expect(threshold.status).toBe('resolved');
    expect(threshold.incidentsPerDay).toBe(scores.filter((score) => score >= 4).length / 2);
    const sharp = raise('top:1/day', benignOf(scores, 2)).threshold;
    expect(sharp.status).toBe('extrapolated');
    expect(sharp.incidentsPerDay).toBeLessThan(0.01);
  });

  test('budget:N/day raises those above the score that benign incidents rarely reach', () => {
    const scores = Array.from({ length: 40 }, (_, i) => i / 4);
    const { incidents } = raise('budget:3/day', benignOf(scores, 1));
    expect(incidents.map(({ score }) => score)).toEqual([50, 20]);
  });
});
