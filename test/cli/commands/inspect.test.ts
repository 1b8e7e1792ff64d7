import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { newFolder } from '../../folders.js';
import { cdmEvent, cdmLine, eventLine, file, MIDNIGHT, uuid, writeLog } from '../../store/small-logs.js';
import { answer, recal } from '../recal-process.js';

const [p, f] = [uuid(1), uuid(2)];
const LINES = [
  cdmLine('Subject', { uuid: p, type: 'SUBJECT_PROCESS' }),
  cdmEvent({ ts: MIDNIGHT + 1_000_000_000n, subject: p, object: f }),
  cdmEvent({ ts: MIDNIGHT, subject: p, object: f, type: 'EVENT_WRITE' }),
  cdmEvent({ ts: MIDNIGHT + 3_600_000_000_000n, subject: p, type: 'EVENT_EXIT' }),
  '{"datum"',
];

test('shows format, records, relations, entities, span, order, what is undefined and what is malformed', async () => {
  const folder = newFolder();
  const log = writeLog(folder, 'log.json', LINES);
  const { code, stdout, stderr } = await recal(['inspect', log]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/log\.json +cdm +ns +5 /);
  expect(stdout).toMatch(/^events +3$/m);
  expect(stdout).toMatch(/^entities +2: 1 process, 1 other$/m);
  expect(stdout).toMatch(/^undefined +1 entity, in 2 \(66\.67 %\) of the events$/m);
  expect(stdout).toMatch(/^records +3 Event, 1 Subject$/m);
  expect(stdout).toMatch(/^span +2018-04-06.00:00:00.* to 2018-04-06.01:00:00/m);
  expect(stdout).toMatch(/^out of order +1 \(33\.33 %\)$/m);
  expect(stdout).toMatch(/^malformed +1 of 5 lines$/m);
  expect(stdout).toMatch(/log scale/);
  for (const relation of ['READ', 'WRITE', 'EXIT'])
    expect(stdout).toMatch(new RegExp(`^EVENT_${relation} +1 `, 'm'));
  expect(stderr).toMatch(/^warning: {3}.*log\.json:5: .+$/m);
  expect(readdirSync(folder)).toEqual(['log.json']);
});

test('--json prints one object: what an ingest would count', async () => {
  const folder = newFolder();
  const log = writeLog(folder, 'log.json', LINES);
  const inspected = answer(await recal(['inspect', log, '--json']));
  const ingested = answer(await recal(['ingest', log, '--store', join(folder, 'store'), '--json']));
  const { status, known, dropped, grown, ...counts } = ingested;
  expect([status, known, dropped, grown]).toEqual(['added', [], 0, []]);
  expect(inspected).toEqual({ ...counts, seconds: expect.any(Number) });
  expect(inspected).toMatchObject({ events: 3, malformed: 1, outOfOrder: 1, unresolved: 2 });
});

test('several files and standard input at once', async () => {
  const folder = newFolder();
  const log = writeLog(folder, 'log.json', LINES);
  const input = gzipSync(eventLine({ obj: file('f') }));
  const result = answer(await recal(['inspect', log, '-', '--json'], { input }));
  expect(result).toMatchObject({
    events: 4,
    files: [{ sources: [{ format: 'cdm' }] }, { name: '<stdin>', sources: [{ format: 'ndjson' }] }],
  });
});

test.each([
  [['inspect'], 2, 'usage-missing-argument'],
  [['inspect', 'nosuch.json'], 1, 'input-not-found'],
  [['inspect', '.'], 1, 'input-is-directory'],
  [['inspect', 'x', '--store', 'y'], 2, 'usage-unknown-option'],
])('recal %j exits with %i and %s', async (args, exit, code) => {
  const ended = await recal([...args, '--json'], { cwd: newFolder() });
  expect(ended.code).toBe(exit);
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code } });
});

test('--strict stops at the first malformed line', async () => {
  const folder = newFolder();
  const log = writeLog(folder, 'log.json', LINES);
  const ended = await recal(['inspect', log, '--strict']);
  expect([ended.code, ended.stdout]).toEqual([1, '']);
  expect(ended.stderr).toMatch(/^at .*log\.json:5$/m);
});
