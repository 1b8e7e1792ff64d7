import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestFiles } from '../../src/store/ingest.js';
import { inspectFiles } from '../../src/store/inspect.js';
import { addReadings } from '../../src/store/readings.js';
import { newFolder } from '../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from './small-logs.js';

const openLine = (i: number, flow?: 'in' | 'out') =>
  eventLine({
    ts: MIDNIGHT + BigInt(i),
    rel: 'EVENT_OPEN',
    obj: file('f'),
    ...(flow === undefined ? {} : { flow }),
  });

test('a summary says how relations were read, the most frequent first', async () => {
  const folder = newFolder();
  const log = writeLog(folder, 'log.ndjson', [
    openLine(1, 'in'),
    openLine(2, 'out'),
    openLine(3, 'out'),
    openLine(4),
    eventLine({ ts: MIDNIGHT + 5n, rel: 'frobnicate', obj: file('g') }),
  ]);
  const result = await inspectFiles([log], { threads: 0 });
  expect(result.readings).toEqual([
    { relation: 'EVENT_OPEN', action: 'open', in: 1, out: 2, unset: 1 },
    { relation: 'frobnicate', action: 'other', in: 0, out: 0, unset: 1 },
  ]);
  expect(addReadings([result.readings, result.readings])[0]).toEqual({
    relation: 'EVENT_OPEN',
    action: 'open',
    in: 2,
    out: 4,
    unset: 2,
  });
});

test('a relation with several actions has a row for each', async () => {
  const folder = newFolder();
  const line = (i: number, action: string) =>
    JSON.stringify({ ...JSON.parse(openLine(i, 'in')), rel: 'call', action });
  const log = writeLog(folder, 'log.ndjson', [line(1, 'read'), line(2, 'read'), line(3, 'write')]);
  const { readings } = await inspectFiles([log], { threads: 0 });
  expect(readings.map(({ relation, action, in: count }) => [relation, action, count])).toEqual([
    ['call', 'read', 2],
    ['call', 'write', 1],
  ]);
});

test('a summary counts users, sessions, containers and services', async () => {
  const folder = newFolder();
  const subject = (id: string, session: string) =>
    process(id, { user: 'uid:0', session, container: 'web', unit: 'cron.service' });
  const log = writeLog(folder, 'log.ndjson', [
    eventLine({ ts: MIDNIGHT, subj: subject('p', 'ses:1'), obj: file('f') }),
    eventLine({ ts: MIDNIGHT + 1n, subj: subject('q', 'ses:2'), obj: file('f') }),
    eventLine({ ts: MIDNIGHT + 2n, host: 'other', subj: subject('p', 'ses:1'), obj: file('f') }),
  ]);
  const { identities } = await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
  expect(identities).toEqual({ users: 2, sessions: 3, containers: 2, units: 2 });
});
