import { describe, expect, it } from 'vitest';
import type { Severity } from '../../../src/detect/alerts/severity.js';
import { parseThreshold } from '../../../src/detect/threshold/threshold.js';
import { type Suppression, type TriageEntry, TriageState } from '../../../src/live/triage/triage-ledger.js';
import { type Decisions, decide } from '../../../src/live/watch/decide.js';
import { followDecisions, spansToRead } from '../../../src/live/watch/follow-decisions.js';
import type { JudgedIncident } from '../../../src/live/watch/judge-span.js';
import { SpanRecords, standingWithoutAlerts } from '../../../src/live/watch/standing.js';
import { notificationWith } from '../sinks/sample-notifications.js';

const by = { version: 1, author: 'anna', time: '2026-01-01T00:00:00Z' } as const;
const NOTHING = { incidents: {}, held: {} };

function judged(id: string, severity: Severity = 'medium', processes = 3): JudgedIncident {
  const notification = notificationWith({ id, severity });
  return { notification, processes, falsePerDay: 1, counted: true, undecided: [] };
}

function suppressing(path: string, id = '5'.repeat(16)): Suppression {
  const { version: _, ...decision } = by;
  const rule = { by: 'path', glob: path } as const;
  return { id, ...decision, owner: 'anna', reason: 'r', expires: '2027-01-01T00:00:00Z', host: null, rule };
}

function verdict(incident: string, closed: boolean, severity: Severity = 'medium'): TriageEntry {
  const { id, host, model, rank, score, title, sentence, first, last, root } = notificationWith({
    id: incident,
  });
  const snapshot = { id, host, model, rank, score, severity, title, sentence, first, last, root };
  const word = closed ? 'benign' : 'malicious';
  return { kind: 'verdict', id: '7'.repeat(16), ...by, incident: snapshot, verdict: word, closed, note: 'n' };
}

/** Judges one span under decisions. */
function judge(
  before: Pick<Decisions, 'incidents' | 'held'>,
  found: readonly JudgedIncident[],
  { active = [], entries = [], span = 5n, final = false }: Partial<Given> = {},
): Decisions {
  const triage = new TriageState(entries);
  const standingOf = (each: JudgedIncident) => standingWithoutAlerts(each, triage, active, active);
  const rule = parseThreshold('top:10/day');
  return decide(before, found, { rule, minSeverity: 'info', span, final, standingOf });
}

interface Given {
  readonly active: readonly Suppression[];
  readonly entries: readonly TriageEntry[];
  readonly span: bigint;
  readonly final: boolean;
}

function follow(before: Pick<Decisions, 'incidents' | 'held'>, given: Partial<Given> & { open: string }) {
  const { active = [], entries = [], open } = given;
  const triage = new TriageState(entries);
  const context = { triage, active, recordsOf: () => SpanRecords.none };
  return followDecisions({ ...before, span: open }, context);
}

const told = ({ notifications }: Pick<Decisions, 'notifications'>) =>
  notifications.map(({ id, revision, status, triage }) => `${id}.${revision} ${triage?.verdict ?? status}`);

const RULE = suppressing('/tmp/*');

describe('a suppressed incident', () => {
  it('is not told, and is told when the rule ends and it still stands', () => {
    const held = judge(NOTHING, [judged('a')], { active: [RULE] });
    expect(told(held)).toEqual([]);
    expect(held.held.a).toMatchObject({ suppression: RULE.id, span: '5' });
    expect(told(judge(held, [judged('a')]))).toEqual(['a.1 new']);
    expect(judge(held, [judged('a')]).held).toEqual({});
  });

  it('is told after the end of its span, once', () => {
    const over = judge(NOTHING, [judged('a')], { active: [RULE], final: true });
    expect(told(over)).toEqual([]);
    expect(told(follow(over, { active: [RULE], open: '6' }))).toEqual([]);
    const free = follow(over, { open: '6' });
    expect(told(free)).toEqual(['a.1 new']);
    expect(told(follow(free, { open: '6' }))).toEqual([]);
  });

  it('is forgotten if it no longer stands at the end of its span', () => {
    const held = judge(NOTHING, [judged('a')], { active: [RULE] });
    const over = judge(held, [], { active: [RULE], final: true });
    expect(told(follow(over, { open: '6' }))).toEqual([]);
  });

  it('gets no update while it is suppressed, and one afterwards', () => {
    const first = judge(NOTHING, [judged('a')]);
    const grown = judge(first, [judged('a', 'critical')], { active: [RULE] });
    expect(told(grown)).toEqual([]);
    expect(told(judge(grown, [judged('a', 'critical')]))).toEqual(['a.2 updated']);
  });

  it('waits for its alerts if a rule could cover them, or if the judge did not know the rule', () => {
    const triage = new TriageState([]);
    const other = suppressing('/opt/*');
    const standing = (undecided: string[], asked: Suppression[]) =>
      standingWithoutAlerts({ ...judged('a'), undecided }, triage, [other], asked).kind;
    expect(standing([], [other])).toBe('tell');
    expect(standing([other.id], [other])).toBe('wait');
    expect(standing([], [])).toBe('wait');
  });
});

describe('a verdict', () => {
  it('is told to those who heard of the incident, once', () => {
    const first = judge(NOTHING, [judged('a')]);
    const entries = [verdict('a', false), verdict('a', true), verdict('never told', true)];
    const followed = follow(first, { entries, open: '5' });
    expect(told(followed)).toEqual(['a.2 malicious', 'a.3 benign']);
    expect(followed.notifications[1]).toMatchObject({
      status: 'closed',
      triage: { author: 'anna', note: 'n' },
    });
    expect(followed.notifications[1].entities.length).toBeGreaterThan(0);
    expect(told(follow(followed, { entries, open: '5' }))).toEqual([]);
  });

  it('that closes an incident ends its news, until it becomes more severe', () => {
    const entries = [verdict('a', true)];
    const closed = follow(judge(NOTHING, [judged('a')]), { entries, open: '5' });
    const grown = judge(closed, [judged('a', 'medium', 99)], { entries });
    expect(told(grown)).toEqual([]);
    expect(told(judge(grown, [], { entries, final: true }))).toEqual([]);
    expect(told(judge(grown, [judged('a', 'high')], { entries }))).toEqual(['a.3 updated']);
  });

  it('asks for the records of a span only when it needs them', () => {
    const entries = [verdict('a', true)];
    const over = judge(NOTHING, [judged('a'), judged('b')], { final: true });
    const triage = new TriageState(entries);
    expect([...spansToRead({ ...over, span: '6' }, triage)]).toEqual(['5']);
    const followed = follow(over, { entries, open: '6' });
    expect([...spansToRead({ ...followed, span: '6' }, triage)]).toEqual([]);
  });
});
