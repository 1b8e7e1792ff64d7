import { beforeAll, describe, expect, test } from 'vitest';
import {
  ALERT_VERSION,
  type Alert,
  alertSchema,
  incidentSchema,
  MOST_TEXT,
  stableId,
} from '../../../src/detect/alerts/alert.js';
import { describeAlerts } from '../../../src/detect/alerts/alert-record.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { MIDNIGHT } from '../../store/small-logs.js';
import { ENTITIES, HOSTILE, MODEL, makeSmallAlerts, type SmallAlerts } from './small-alerts.js';

let small: SmallAlerts;
beforeAll(async () => {
  small = await makeSmallAlerts(sharedFolder());
});

const alertOf = (id: string): Alert => small.alerts.find(({ entity }) => entity.id === id) as Alert;

describe('an alert', () => {
  test('has its entity, host, times and score', () => {
    const alert = alertOf(ENTITIES.nginx);
    const from = String(MIDNIGHT + 1_000_000_007n);
    expect(alert).toMatchObject({
      version: ALERT_VERSION,
      id: stableId(MODEL, 'h', ENTITIES.nginx, from),
      host: 'h',
      entity: { type: 'process', name: 'nginx', pid: 98_651, cmd: 'nginx -g "daemon off;"', parent: null },
      window: { from: { ns: from, iso: '2018-04-06T00:00:01.000000007Z' } },
      first: { ns: from },
      last: { iso: '2018-04-06T00:01:03.000000007Z' },
      score: 12.5,
      threshold: 5,
      empiricalP: 1e-3,
      severity: 'medium',
      reasons: ['score'],
      knn: { distance: 0.5, threshold: 0.25 },
    });
    expect(alertOf(ENTITIES.shell)).toMatchObject({
      entity: { parent: { id: ENTITIES.nginx, name: 'nginx' } },
      severity: 'critical',
      reasons: ['score', 'new-relation'],
      // EVENT_EXIT has no object and ends the window.
      window: { to: { iso: '2018-04-06T00:01:04.000000007Z' } },
      last: { iso: '2018-04-06T00:01:03.000000007Z' },
    });
  });

  test('has evidence by share, with its comparison and source', () => {
    const [name, reconstruction, distance] = alertOf(ENTITIES.nginx).evidence;
    expect(name).toMatchObject({
      kind: 'name',
      role: 'subject',
      relation: 'EVENT_EXECUTE',
      events: 1,
      benignQuantile: 1,
      n: 9999,
      beyond: true,
      floor: true,
      level: 'type',
      share: 0.7,
      source: {
        subject: { id: ENTITIES.nginx },
        relation: 'EVENT_EXECUTE',
        object: { id: ENTITIES.dropper, type: 'file', name: '/var/tmp/dropper' },
        count: 1,
      },
    });
    expect(name.p).toBeCloseTo(1e-4, 12);
    // It has 31 reads; p = (1 + benign values not below) / (n + 1).
    expect(reconstruction).toMatchObject({
      role: null,
      relation: 'EVENT_READ',
      events: 31,
      source: null,
      beyond: false,
    });
    expect(reconstruction.benignQuantile).toBeCloseTo(1 - 248 / 12_430, 12);
    expect(distance).toMatchObject({
      kind: 'distance',
      role: null,
      relation: null,
      level: 'all',
      events: 34,
    });
  });

  test('marks a floor only without a tail model, and corrects the largest of several values', () => {
    expect(alertOf(ENTITIES.shell).evidence[0]).toMatchObject({ beyond: true, floor: false });
    const [shared] = alertOf(ENTITIES.secret).evidence;
    expect(shared).toMatchObject({ role: 'object', relation: 'EVENT_READ', draws: 3, events: 1 });
    expect(shared.benignQuantile).toBeCloseTo(1 - 34 / 999, 12);
  });

  test('has a neighbourhood with sources of evidence first, then new relations', () => {
    const { total, interactions } = alertOf(ENTITIES.nginx).neighbourhood;
    expect(total).toBe(4);
    // FORK and PTRACE are both new, and the shell has a higher score than the page.
    expect(interactions.map(({ relation }) => relation)).toEqual([
      'EVENT_EXECUTE',
      'EVENT_FORK',
      'EVENT_PTRACE',
      'EVENT_READ',
    ]);
    expect(interactions[3]).toMatchObject({ count: 31, object: { name: '/srv/index.html' } });
  });

  test('matches its schema and is reproducible', () => {
    for (const alert of small.alerts) expect(alertSchema.parse(alert)).toEqual(alert);
    const again = describeAlerts(small.graph, [small.graph.scores.indexOf(12.5)], small.context);
    expect(again).toEqual([alertOf(ENTITIES.nginx)]);
  });

  test('replaces numbers that JSON does not have', () => {
    const { graph, context } = small;
    const evidence = { ...graph.evidence, logP: graph.evidence.logP.map(() => Number.NEGATIVE_INFINITY) };
    const distances = graph.distances.map(() => Number.NaN);
    const [alert] = describeAlerts({ ...graph, evidence, distances }, [graph.scores.indexOf(20.25)], context);
    expect(alertSchema.parse(JSON.parse(JSON.stringify(alert)))).toEqual(alert);
    expect(alert.knn.distance).toBeNull();
  });
});

test('an incident has its members and its root', () => {
  expect(small.incidents).toHaveLength(1);
  const [incident] = small.incidents;
  expect(incidentSchema.parse(incident)).toEqual(incident);
  expect(incident).toMatchObject({
    rank: 1,
    score: 20.25,
    severity: 'critical',
    entities: { process: 2, file: 1 },
    host: 'h',
    root: { id: ENTITIES.nginx },
    first: { iso: '2018-04-06T00:00:01.000000007Z' },
  });
  expect(incident.alerts.map(({ entity }) => entity.name)).toEqual(['sh', 'nginx', '/etc/master.passwd']);
});

test('hostile names match the schema', async () => {
  const { terminal, bidi, long, surrogate, html } = HOSTILE;
  const hostile = await makeSmallAlerts(newFolder(), {
    nginx: terminal,
    dropper: bidi,
    shell: long,
    secret: surrogate,
    page: html,
  });
  for (const alert of hostile.alerts) {
    const text = JSON.stringify(alertSchema.parse(alert));
    expect(text.isWellFormed()).toBe(true);
    expect(alert.entity.name?.length).toBeLessThanOrEqual(MOST_TEXT + 1);
    expect(alert.sentence).not.toMatch(/[\u0000-\u001f\u007f\u202e\u200b]/);
  }
  expect(hostile.alerts.map(({ id }) => id)).toEqual(small.alerts.map(({ id }) => id));
});
