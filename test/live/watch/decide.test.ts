import { describe, expect, it } from 'vitest';
import type { Severity } from '../../../src/detect/alerts/severity.js';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import { decide } from '../../../src/live/watch/decide.js';
import type { JudgedIncident } from '../../../src/live/watch/judge-span.js';
import { notificationWith } from '../sinks/sample-notifications.js';

const NOTHING = { incidents: {}, held: {} };

const OPTIONS = {
  rule: parseThreshold('top:10/day'),
  minSeverity: 'info' as Severity,
  span: 5n,
  final: false,
  standingOf: () => ({ kind: 'tell' }) as const,
};

function judged(
  id: string,
  more: Partial<JudgedIncident> = {},
  severity: Severity = 'medium',
): JudgedIncident {
  const notification = notificationWith({ id, severity });
  return { notification, processes: 3, falsePerDay: 1, counted: true, undecided: [], ...more };
}

const told = (decisions: ReturnType<typeof decide>) =>
  decisions.notifications.map(({ id, revision, status }) => `${id}.${revision} ${status}`);

describe('what is told', () => {
  it('is told once', () => {
    const first = decide(NOTHING, [judged('a')], OPTIONS);
    expect(told(first)).toEqual(['a.1 new']);
    expect(told(decide(first, [judged('a')], OPTIONS))).toEqual([]);
  });

  it('waits for the end of the span if benign events give more of them than the budget', () => {
    const often = [judged('a', { falsePerDay: 11 }), judged('b', { falsePerDay: 11, counted: false })];
    expect(told(decide(NOTHING, often, OPTIONS))).toEqual(['b.1 new']);
    expect(told(decide(NOTHING, often, { ...OPTIONS, final: true }))).toEqual(['a.1 new', 'b.1 new']);
  });

  it('is told again if it is more severe or twice as large, not if it is less', () => {
    const before = decide(NOTHING, [judged('a')], OPTIONS);
    expect(told(decide(before, [judged('a', { processes: 5 })], OPTIONS))).toEqual([]);
    expect(told(decide(before, [judged('a', { processes: 6 })], OPTIONS))).toEqual(['a.2 updated']);
    expect(told(decide(before, [judged('a', {}, 'high')], OPTIONS))).toEqual(['a.2 updated']);
    expect(told(decide(before, [judged('a', {}, 'low')], OPTIONS))).toEqual([]);
  });

  it('is closed if the span ends without it, and comes back with the next revision', () => {
    const before = decide(NOTHING, [judged('a')], OPTIONS);
    expect(told(decide(before, [], OPTIONS))).toEqual([]);
    const end = decide(before, [], { ...OPTIONS, final: true });
    expect(told(end)).toEqual(['a.2 closed']);
    const again = decide(end, [judged('a')], { ...OPTIONS, span: 6n });
    expect(told(again)).toEqual(['a.3 updated']);
  });

  it('leaves incidents of earlier spans alone', () => {
    const end = decide(NOTHING, [judged('a')], { ...OPTIONS, final: true });
    expect(told(decide(end, [], { ...OPTIONS, span: 6n, final: true }))).toEqual([]);
  });

  it('leaves out what is not severe enough', () => {
    const options = { ...OPTIONS, minSeverity: 'high' as Severity };
    expect(told(decide(NOTHING, [judged('a'), judged('b', {}, 'critical')], options))).toEqual(['b.1 new']);
  });
});
