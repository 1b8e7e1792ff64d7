import { beforeAll, describe, expect, test } from 'vitest';
import type { Alert, AlertEvidence, EntityRef } from '../../../src/detect/alerts/alert.js';
import { phraseAction, phraseAlert, phraseIncident } from '../../../src/detect/alerts/alert-sentence.js';
import { sharedFolder } from '../../folders.js';
import { ENTITIES, makeSmallAlerts, type SmallAlerts } from './small-alerts.js';

let small: SmallAlerts;
beforeAll(async () => {
  small = await makeSmallAlerts(sharedFolder());
});

const alertOf = (id: string): Alert => small.alerts.find(({ entity }) => entity.id === id) as Alert;

describe('an alert in one sentence', () => {
  test('says what happened, why it is suspicious, and what else is', () => {
    expect(alertOf(ENTITIES.nginx).sentence).toBe(
      '`nginx` (pid 98651) executed `/var/tmp/dropper`: no process in training ever executed anything under `/var/tmp` ' +
        '(more surprising than all 9,999 benign values); its reads are more unusual than 98.0 % of 12,430 benign ones; ' +
        'it is farther from known behaviour than 72.0 % of 50 benign values ' +
        '(few to compare with, compared with other relations too).',
    );
  });

  test('mentions a relation that training never saw', () => {
    expect(alertOf(ENTITIES.shell).sentence).toBe(
      '`sh` (pid 99001) read `/etc/master.passwd`: this is more surprising than all 999 benign values; ' +
        'it takes part in a relation that training never saw.',
    );
  });

  test('describes an object, and the highest of several values', () => {
    expect(alertOf(ENTITIES.secret).sentence).toBe(
      '`sh` read `/etc/master.passwd`: this is more surprising than 96.5 % of 999 benign values (the highest of 3).',
    );
  });

  test('mentions a second action', () => {
    const alert = alertOf(ENTITIES.nginx);
    const other = alertOf(ENTITIES.shell).evidence[0];
    const source = { ...(other.source as NonNullable<AlertEvidence['source']>), subject: alert.entity };
    const sentence = phraseAlert({ ...alert, evidence: [alert.evidence[0], { ...other, source }] });
    expect(sentence).toContain('; it read `/etc/master.passwd`: this is more surprising than all 999');
  });

  test('needs no evidence', () => {
    const { sentence: _, ...alert } = alertOf(ENTITIES.nginx);
    expect(phraseAlert({ ...alert, evidence: [] })).toBe('`nginx` (pid 98651) stands out.');
  });
});

describe('evidence', () => {
  const row = (more: Partial<AlertEvidence>): AlertEvidence => ({
    ...alertOf(ENTITIES.nginx).evidence[0],
    because: '',
    beyond: false,
    benignQuantile: 0.99999,
    n: 1000,
    ...more,
  });

  test.each<[Partial<AlertEvidence>, string]>([
    [{}, 'this is more surprising than all but 1 of 1,000 benign values'],
    [{ benignQuantile: 0.998 }, 'this is more surprising than all but 2 of 1,000 benign values'],
    [
      { benignQuantile: 0.9999999, n: 1e9 },
      'this is more surprising than 99.99 % of 1,000,000,000 benign values',
    ],
    [{ benignQuantile: 0 }, 'this is more surprising than 0.0 % of 1,000 benign values'],
    [{ n: 0 }, 'this has no benign values to compare with'],
    [{ kind: 'distance', n: 0 }, 'its distance from known behaviour has no benign values to compare with'],
    [
      { kind: 'relation', n: 1, beyond: true },
      'this relation is more surprising than the only benign value (few to compare with)',
    ],
    [
      { kind: 'reconstruction', relation: 'EVENT_UNLINK', n: 243, beyond: true },
      'its deletions are unlike any of 243 benign ones',
    ],
    [
      { kind: 'reconstruction', relation: 'EVENT_FCNTL', n: 200, benignQuantile: 0.5 },
      'its `EVENT_FCNTL` events are more unusual than 50.0 % of 200 benign ones',
    ],
  ])('%j', (more, expected) => {
    const { sentence: _, ...alert } = alertOf(ENTITIES.nginx);
    const sentence = phraseAlert({ ...alert, evidence: [{ ...row(more), source: null }] });
    expect(sentence).toBe(`\`nginx\` (pid 98651) stands out: ${expected}.`);
  });
});

describe('an action', () => {
  const acts = (relation: string, type: EntityRef['type'], isSelf = false) => {
    const { entity, evidence } = alertOf(ENTITIES.nginx);
    const object = isSelf ? entity : { id: '7', type, name: '34.201.88.65:443' };
    const source = { ...(evidence[0].source as NonNullable<AlertEvidence['source']>), relation, object };
    return phraseAction({ entity, evidence: [{ ...evidence[0], source }] });
  };

  test('uses a verb for the type of the object', () => {
    expect(acts('EVENT_CREATE_OBJECT', 'flow')).toBe(
      '`nginx` (pid 98651) opened a connection to `34.201.88.65:443`',
    );
    expect(acts('EVENT_CREATE_OBJECT', 'file')).toBe('`nginx` (pid 98651) created `34.201.88.65:443`');
  });

  test('of an entity on itself names it once', () => {
    expect(acts('EVENT_CHANGE_PRINCIPAL', 'process', true)).toBe('`nginx` (pid 98651) changed its user');
  });
});

describe('names', () => {
  const phraseName = (entity: Pick<EntityRef, 'type' | 'name'>) =>
    phraseAction({ entity: { ...alertOf(ENTITIES.nginx).entity, pid: null, ...entity }, evidence: [] });

  test('are cut in the middle, and a backtick does not end the quotation', () => {
    expect(phraseName({ type: 'file', name: `/tmp/${'x'.repeat(9000)}/end` })).toMatch(
      /^`\/tmp\/x{30}…x{31}\/end` stands out$/,
    );
    expect(phraseName({ type: 'pipe', name: null })).toBe('an unnamed pipe stands out');
    expect(phraseName({ type: 'file', name: '`; `x' })).toBe("`'; 'x` stands out");
  });
});

describe('an incident in one sentence', () => {
  test('says how many entities, the root, the time span and the strongest action', () => {
    expect(small.incidents[0].sentence).toBe(
      '2 processes and 1 file around `nginx` on h between 2018-04-06 00:00:01 and 00:01:03 UTC: ' +
        '`sh` (pid 99001) read `/etc/master.passwd`.',
    );
  });

  test('handles midnight, one moment and one entity', () => {
    const { first, last, ...rest } = small.incidents[0];
    const next = { ns: '0', iso: '2018-04-07T00:00:00.000000000Z' };
    const phrase = (entities: (typeof rest)['entities'], until: typeof last) =>
      phraseIncident({ ...rest, entities, first, last: until }, small.alerts[0]);
    expect(phrase({ flow: 1 }, next)).toMatch(/^1 network flow around .* and 2018-04-07 00:00:00 UTC:/);
    expect(phrase({ process: 1, file: 2, flow: 1200 }, first)).toMatch(
      /^1 process, 2 files and 1,200 network flows around .* at 2018-04-06 00:00:01 UTC:/,
    );
  });
});
