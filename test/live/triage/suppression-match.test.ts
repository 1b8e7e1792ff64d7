import { beforeAll, describe, expect, it } from 'vitest';
import type { Alert, Incident } from '../../../src/detect/alerts/alert.js';
import { couldCover, findSuppression } from '../../../src/live/triage/suppression-match.js';
import type { Suppression, SuppressionRule } from '../../../src/live/triage/triage-ledger.js';
import { makeSmallAlerts } from '../../detect/alerts/small-alerts.js';
import { sharedFolder } from '../../folders.js';

const folder = sharedFolder();
let incident: Incident;
let alerts: ReadonlyMap<string, Alert>;

beforeAll(async () => {
  const made = await makeSmallAlerts(folder);
  alerts = new Map(made.alerts.map((alert) => [alert.id, alert]));
  [incident] = made.incidents;
});

const covers = (rule: SuppressionRule, changes: Partial<Suppression> = {}) => {
  const by = { id: '0'.repeat(16), author: 'a', owner: 'a', reason: 'r', host: null };
  const times = { time: '2026-01-01T00:00:00Z', expires: '2027-01-01T00:00:00Z' };
  const suppression = { ...by, ...times, rule, ...changes };
  return findSuppression(incident, [suppression], (id) => alerts.get(id)) !== undefined;
};

describe('findSuppression', () => {
  it('a start rule needs the relation between both, and one of them as the root', () => {
    expect(incident.root.name).toBe('nginx');
    const start = { by: 'start', parent: 'nginx', relation: 'EVENT_EXECUTE', child: '/var/tmp/*' } as const;
    expect(covers(start)).toBe(true);
    expect(covers({ ...start, relation: 'EVENT_READ' })).toBe(false);
    expect(covers({ ...start, child: '/srv/*' })).toBe(false);
    expect(covers({ ...start, parent: 'sh' })).toBe(false);
    // The relation is there, but neither is where the incident began.
    expect(covers({ by: 'start', parent: '/var/*', relation: 'EVENT_EXECUTE', child: 'sh' })).toBe(false);
  });

  it('an entity rule needs the root or every alert', () => {
    expect(covers({ by: 'entity', entity: 'nginx' })).toBe(true);
    expect(covers({ by: 'entity', entity: incident.root.id })).toBe(true);
    expect(covers({ by: 'entity', entity: 'ngin' })).toBe(false);
    expect(covers({ by: 'entity', entity: '/var/tmp/dropper' })).toBe(false);
  });

  it('a glob is no regular expression, and hosts limit a rule', () => {
    expect(covers({ by: 'path', glob: '.*' })).toBe(false);
    expect(covers({ by: 'path', glob: 'ng*' })).toBe(true);
    expect(covers({ by: 'path', glob: 'ng*' }, { host: 'other-*' })).toBe(false);
    expect(covers({ by: 'path', glob: 'ng*' }, { host: incident.host })).toBe(true);
  });
});

it('what covers an incident with its alerts could cover it without them', () => {
  const touched = incident.alerts.flatMap(({ id, entity }) => [
    entity,
    ...(alerts.get(id)?.neighbourhood.interactions ?? []).flatMap(({ subject, object }) => [subject, object]),
  ]);
  const names = [...new Set([...touched, incident.root].map(({ name }) => name ?? ''))];
  const rules: SuppressionRule[] = [
    ...names.flatMap((name): SuppressionRule[] => [
      { by: 'entity', entity: name },
      { by: 'path', glob: `${name.slice(0, 3)}*` },
    ]),
    { by: 'path', glob: '*' },
    { by: 'start', parent: 'nginx', relation: 'EVENT_EXECUTE', child: '/var/tmp/*' },
  ];
  const by = { id: '0'.repeat(16), author: 'a', owner: 'a', reason: 'r', host: null };
  const times = { time: '2026-01-01T00:00:00Z', expires: '2027-01-01T00:00:00Z' };
  for (const rule of rules) {
    if (covers(rule)) expect(couldCover({ ...by, ...times, rule }, incident, touched)).toBe(true);
  }
  const other = { by: 'path', glob: '/no/such/*' } as const;
  expect(couldCover({ ...by, ...times, rule: other }, incident, touched)).toBe(false);
  const elsewhere = { ...by, ...times, rule: { by: 'path', glob: '*' } as const, host: 'other' };
  expect(couldCover(elsewhere, incident, touched)).toBe(false);
});
