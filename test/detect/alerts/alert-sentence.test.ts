import { beforeAll, describe, expect, test } from 'vitest';
import type { Alert, AlertEvidence } from '../../../src/detect/alerts/alert.js';
import {
  phraseAlert,
  phraseEntity,
  phraseEvidence,
  phraseIncident,
} from '../../../src/detect/alerts/alert-sentence.js';
import { sharedFolder } from '../../folders.js';
import { ENTITIES, makeSmallAlerts, type SmallAlerts } from './small-alerts.js';

let small: SmallAlerts;
beforeAll(async () => {
  small = await makeSmallAlerts(sharedFolder());
});

const alertOf = (id: string): Alert => small.alerts.find(({ entity }) => entity.id === id) as Alert;

describe('an alert in one sentence', () => {
  test('who did what, why that is strange, what else', () => {
    expect(alertOf(ENTITIES.nginx).sentence).toBe(
      '`nginx` (pid 98651) executed `/var/tmp/dropper`: nothing in training ever executed anything under `/var/tmp`, ' +
        'more surprising than all 9,999 benign values; its part in `EVENT_READ` fits what was learned worse than ' +
        '98.00 % of 12,430 benign values; it lies farther from known behaviour than 72.0 % of 50 benign values ' +
        '(few to compare with, of other relations too, for want of this one).',
    );
  });

  test('training never met a relation', () => {
    expect(alertOf(ENTITIES.shell).sentence).toBe(
      '`sh` (pid 99001) read `/etc/master.passwd`: that name is more surprising than all 999 benign values; ' +
        'training never met a relation that it takes part in.',
    );
  });

  test('seen from the object, the largest of several', () => {
    expect(alertOf(ENTITIES.secret).sentence).toBe(
      '`sh` read `/etc/master.passwd`: that name is more surprising than 96.59 % of 999 benign values (the most of 3).',
    );
  });

  test('a second deed', () => {
    const alert = alertOf(ENTITIES.nginx);
    const other = alertOf(ENTITIES.shell).evidence[0];
    const source = { ...(other.source as NonNullable<AlertEvidence['source']>), subject: alert.entity };
    const sentence = phraseAlert({ ...alert, evidence: [alert.evidence[0], { ...other, source }] });
    expect(sentence).toContain('; it read `/etc/master.passwd`, that name is more surprising than all 999');
  });

  test('no evidence at all', () => {
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
    [{}, 'that name is more surprising than 99.999 % of 1,000 benign values'],
    [{ benignQuantile: 0.9999999 }, 'that name is more surprising than 99.999 % of 1,000 benign values'],
    [{ n: 0 }, 'that name is more surprising than anything, because there is nothing benign to compare with'],
    [
      { kind: 'relation', n: 1, beyond: true },
      'that this was done is more surprising than all 1 benign value (few to compare with)',
    ],
  ])('%j', (more, expected) => {
    expect(phraseEvidence(row(more))).toBe(expected);
  });
});

describe('names', () => {
  test('long ones lose their middle, nameless ones their quotes, backticks do not end a quotation', () => {
    expect(phraseEntity({ type: 'file', name: `/tmp/${'x'.repeat(9000)}/end` })).toMatch(
      /^`\/tmp\/x{30}…x{31}\/end`$/,
    );
    expect(phraseEntity({ type: 'pipe', name: null })).toBe('a nameless pipe');
    expect(phraseEntity({ type: 'file', name: '`; `x' })).toBe("`'; 'x`");
  });
});

describe('an incident in one sentence', () => {
  test('how many of what, around whom, when, and the strongest deed', () => {
    expect(small.incidents[0].sentence).toBe(
      '2 processes and 1 file around `nginx` on h between 2018-04-06 00:00:01 and 00:01:03 UTC: ' +
        '`sh` (pid 99001) read `/etc/master.passwd`.',
    );
  });

  test('over midnight, at one moment, of one kind', () => {
    const { first, last, ...rest } = small.incidents[0];
    const next = { ns: '0', iso: '2018-04-07T00:00:00.000000000Z' };
    const tell = (entities: (typeof rest)['entities'], until: typeof last) =>
      phraseIncident({ ...rest, entities, first, last: until }, small.alerts[0]);
    expect(tell({ flow: 1 }, next)).toMatch(/^1 network flow around .* and 2018-04-07 00:00:00 UTC:/);
    expect(tell({ process: 1, file: 2, flow: 1200 }, first)).toMatch(
      /^1 process, 2 files and 1,200 network flows around .* at 2018-04-06 00:00:01 UTC:/,
    );
  });
});
