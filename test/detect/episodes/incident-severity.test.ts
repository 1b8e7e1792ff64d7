import { describe, expect, test } from 'vitest';
import { benignRate, severityOf } from '../../../src/detect/episodes/incident-severity.js';
import { TailSurprise } from '../../../src/detect/episodes/novelty/tail-surprise.js';

const benignOf = (count: number, hostDays: number) => ({
  scores: new TailSurprise(Array.from({ length: count }, (_, i) => i / 10)),
  hostDays,
  graphs: 1,
});

describe('severityOf', () => {
  test('follows how often benign activity raises such an incident', () => {
    const benign = benignOf(40, 1);
    expect(benignRate(3.75, benign)).toEqual({ rate: 2, sure: 'resolved', isHighest: false });
    expect(severityOf(benignRate(3.75, benign))).toBe('medium');
    expect(severityOf(benignRate(0.5, benign))).toBe('info');
    expect(benignRate(30, benign)).toMatchObject({ sure: 'extrapolated', isHighest: true });
    expect(severityOf(benignRate(30, benign))).toBe('critical');
  });

  test('is medium or high above all of a few benign incidents, else low', () => {
    const short = benignOf(12, 0.001);
    expect(benignRate(4, short)).toMatchObject({ sure: 'unresolved', isHighest: true });
    expect(severityOf(benignRate(4, short))).toBe('medium');
    expect(severityOf(benignRate(1, short))).toBe('low');
    expect(severityOf(benignRate(60, short))).toBe('high');
    expect(severityOf(benignRate(1, benignOf(12, 100)))).toBe('low');
  });

  test('is medium without any benign incident', () => {
    expect(severityOf(benignRate(1, benignOf(0, 0)))).toBe('medium');
  });
});
