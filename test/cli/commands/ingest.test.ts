import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../../folders.js';
import {
  cdmEvent,
  cdmLine,
  entitiesOf,
  eventLine,
  eventsOf,
  file,
  MIDNIGHT,
  process as program,
  uuid,
  writeLog,
} from '../../store/small-logs.js';
import { answer, recal } from '../recal-process.js';
import { expectFailure, line, workplace } from './ingesting.js';

const ESCAPES = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe('--json', () => {
  test('prints one object with all that was counted, and nothing else', async () => {
    const folder = newFolder();
    const [p, f, g] = [uuid(1), uuid(2), uuid(3)];
    const second = cdmEvent({ ts: MIDNIGHT + 9n, subject: p, object: f, type: 'EVENT_RENAME' }).replace(
      '"predicateObjectPath"',
      `"predicateObject2":{"com.bbn.tc.schema.avro.cdm18.UUID":"${g}"},"predicateObjectPath"`,
    );
    const log = writeLog(folder, 'log.json', [
      cdmLine('Subject', { uuid: p, type: 'SUBJECT_PROCESS' }),
      cdmLine('FileObject', { uuid: f, type: 'FILE_OBJECT_FILE' }),
      cdmEvent({ ts: MIDNIGHT + 1n, subject: p, object: f }),
      cdmEvent({ ts: MIDNIGHT + 2n, subject: p, type: 'EVENT_EXIT' }),
      cdmLine('TimeMarker', { tsNanos: 1 }),
      '{"datum":{',
      second,
    ]);
    const ended = await recal(['ingest', log, '--store', join(folder, 'store'), '--json']);
    expect(ended.code).toBe(0);
    expect(answer(ended)).toEqual({
      status: 'added',
      events: 3,
      edges: { total: 3, secondObject: 1 },
      noObject: 1,
      malformed: 1,
      entities: {
        total: 3,
        byType: { process: 1, file: 1, other: 1 },
        placeholders: 1,
        bySourceType: { SUBJECT_PROCESS: 1, FILE_OBJECT_FILE: 1, '<undefined>': 1 },
      },
      relations: { EVENT_EXIT: 1, EVENT_READ: 1, EVENT_RENAME: 1 },
      records: { Event: 3, FileObject: 1, Subject: 1, TimeMarker: 1 },
      skipped: { TimeMarker: 1 },
      merged: {},
      repaired: {},
      losses: [],
      unresolved: 1,
      outOfOrder: 0,
      lines: 7,
      known: [],
      grown: [],
      readings: ['EXIT', 'READ', 'RENAME'].map((name) => ({
        relation: `EVENT_${name}`,
        action: name.toLowerCase(),
        in: 0,
        out: 0,
        unset: 1,
      })),
      identities: { users: 0, sessions: 0, containers: 0, units: 0 },
      dropped: 0,
      firstTs: String(MIDNIGHT + 1n),
      lastTs: String(MIDNIGHT + 9n),
      seconds: expect.any(Number),
      files: [expect.objectContaining({ name: log, number: 1 })],
      problems: [expect.objectContaining({ file: log, line: 6 })],
    });
  });

  test('an error is one object too', async () => {
    const ended = await recal(['ingest', 'nosuch.json', '--store', join(newFolder(), 'store'), '--json']);
    expect(ended.code).toBe(1);
    expect(answer(ended)).toEqual({
      error: {
        code: 'input-not-found',
        message: expect.stringContaining('nosuch.json'),
        hint: expect.any(String),
        where: { file: 'nosuch.json' },
      },
    });
  });
});

describe('for a person', () => {
  test('a summary on standard output; the same again says that it is there', async () => {
    const { store, log } = await workplace();
    const ended = await recal(['ingest', log, '--store', store]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^2 events already in .*store in /m);
    expect(ended.stdout).toMatch(/EVENT_READ +2/);
    expect(ended.stderr).toContain(`already in the store: ${log}`);
  });

  test('hostile names and hosts never reach the terminal raw', async () => {
    const folder = newFolder();
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\r';
    const log = join(folder, 'evil\u001b[2J.ndjson');
    const lines = [
      eventLine({ host: evil, rel: `EVENT_${evil}`, subj: program(evil, { name: evil, kind: evil }) }),
      eventLine({ host: evil, obj: file('f', { kind: `K${evil}` }) }),
      `{"ts":"1","rel":5,"x":"${evil.replaceAll('\r', '')}"}`,
      `{${evil}`,
    ];
    writeFileSync(log, lines.join('\n'));
    const store = join(folder, `store${evil.replaceAll('\r', '')}`);
    const shown = [
      await recal(['inspect', log]),
      await recal(['ingest', log, '--store', store]),
      await recal(['ingest', log, '--store', store]),
      await recal(['ingest', log, '--store', store, '--json']),
      await recal(['ingest', log, '--store', store, '--as', 'x']),
      await recal(['ingest', `${log}x`, '--store', store]),
      await recal(['ingest', log, '--store', join(folder, 'other'), '--strict']),
    ];
    expect(shown.map(({ code }) => code)).toEqual([0, 0, 0, 0, 1, 1, 1]);
    for (const { stdout, stderr } of shown) {
      expect(stdout + stderr).not.toMatch(ESCAPES);
      expect(stdout + stderr).not.toContain('\u202e');
    }
    expect(shown[1].stdout).toContain('\\e[2J');
  });
});

describe('inputs', () => {
  test('standard input, once; the same content again is no news', async () => {
    const { folder, store } = await workplace();
    const input = [line(7), line(8), ''].join('\n');
    const first = answer(await recal(['ingest', '-', '--store', store, '--append', '--json'], { input }));
    expect(first).toMatchObject({ status: 'added', events: 2, files: [{ name: '<stdin>' }] });
    const again = answer(await recal(['ingest', '-', '--store', store, '--append', '--json'], { input }));
    expect(again).toMatchObject({ status: 'unchanged', events: 2 });
    const path = join(folder, 'same.ndjson');
    writeFileSync(path, input);
    expect(answer(await recal(['ingest', path, '--store', store, '--json']))).toMatchObject({
      status: 'unchanged',
    });
    expect(await eventsOf(store)).toHaveLength(4);
  });

  test('known content on standard input beside a new file is refused as a whole', async () => {
    const { folder, store, log } = await workplace();
    const more = writeLog(folder, 'more.ndjson', [line(9)]);
    const ended = await recal(['ingest', '-', more, '--store', store, '--append', '--json'], {
      input: readFileSync(log),
    });
    expectFailure(ended, 'already-ingested', /<stdin>/);
    expect(await eventsOf(store)).toHaveLength(2);
  });

  test('gzip on standard input, and nothing on it', async () => {
    const store = join(newFolder(), 'store');
    expectFailure(await recal(['ingest', '-', '--store', store, '--json']), 'empty-input', /<stdin>/);
    const ended = await recal(['ingest', '-', '--store', store, '--json'], { input: gzipSync(line(3)) });
    expect(answer(ended)).toMatchObject({ events: 1 });
  });

  test('globs, which the program expands where the shell does not', async () => {
    const folder = newFolder();
    for (const name of ['a.json', 'b.json', 'c.txt']) writeLog(folder, name, [line(name.charCodeAt(0))]);
    const ended = await recal(['ingest', join(folder, '*.json'), '--store', join(folder, 'store'), '--json']);
    expect(answer(ended)).toMatchObject({ events: 2, files: [{ name: join(folder, 'a.json') }, {}] });
    const none = await recal(['ingest', join(folder, '*.gz'), '--store', join(folder, 'store'), '--json']);
    expectFailure(none, 'input-no-match', /\*\.gz/);
  });

  test('parts of Engagement 3 in their order, whatever that of the arguments', async () => {
    const folder = newFolder();
    const names = ['x.json', 'x.json.1', 'x.json.2', 'x.json.10'];
    for (const [index, name] of names.entries()) writeLog(folder, name, [line(index)]);
    const given = [...names].reverse().map((name) => join(folder, name));
    const ended = await recal(['ingest', ...given, '--store', join(folder, 'store'), '--json']);
    const { files } = answer(ended) as { files: { name: string }[] };
    expect(files.map(({ name }) => name)).toEqual(names.map((name) => join(folder, name)));
    writeLog(folder, 'x.json.0', [line(9)]);
    const twice = await recal(['ingest', join(folder, 'x.json*'), '--store', join(folder, 'two'), '--json']);
    expectFailure(twice, 'duplicate-part', /x\.json\.0/);
  });
});

describe('settings', () => {
  test('--host, --as and --format', async () => {
    const folder = newFolder();
    const store = join(folder, 'store');
    const log = writeLog(folder, 'log.ndjson', [line(0)]);
    const args = ['ingest', log, '--store', store, '--host', 'web-1', '--as', 'train', '--format', 'ndjson'];
    expect((await recal([...args, '--quiet'])).code).toBe(0);
    expect(await eventsOf(store, { split: 'train', host: 'web-1' })).toHaveLength(1);
    expect(new Set((await entitiesOf(store)).map(({ host }) => host))).toEqual(new Set(['web-1']));
    const wrong = await recal(['ingest', log, '--store', join(folder, 'cdm'), '--format', 'cdm', '--json']);
    expectFailure(wrong, 'nothing-read', /log\.ndjson/);
  });

  test.each([
    ['--as', '../x'],
    ['--as', ''],
    ['--format', 'xml'],
    ['--time-unit', 'days'],
    ['--host', ''],
    ['--max-line', '10'],
    ['--threads', '-1'],
  ])('%s %j is wrong usage', async (flag, value) => {
    const folder = newFolder();
    const log = writeLog(folder, 'log.ndjson', [line(0)]);
    const ended = await recal(['ingest', log, '--store', join(folder, 'store'), `${flag}=${value}`]);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(flag);
    expect(existsSync(join(folder, 'store'))).toBe(false);
  });

  test('the unit of time is that of most events, unless --time-unit says otherwise', async () => {
    const folder = newFolder();
    const micros = MIDNIGHT / 1000n;
    const log = writeLog(
      folder,
      'log.json',
      [micros, micros + 1n, MIDNIGHT].map((ts) => cdmEvent({ ts, subject: uuid(1) })),
    );
    const auto = answer(await recal(['ingest', log, '--store', join(folder, 'auto'), '--json']));
    expect(auto).toMatchObject({
      firstTs: String(MIDNIGHT),
      lastTs: String(MIDNIGHT + 1000n),
      repaired: { badTime: 1 },
      files: [{ sources: [{ timeUnit: 'us' }] }],
    });
    const args = ['ingest', log, '--store', join(folder, 'told'), '--time-unit', 'ns', '--json'];
    expect(answer(await recal(args))).toMatchObject({ firstTs: String(micros), lastTs: String(MIDNIGHT) });
  });

  test('the store from a flag, over RECAL_STORE, over the configuration file', async () => {
    const folder = newFolder();
    const log = writeLog(folder, 'log.ndjson', [line(0)]);
    const missing = await recal(['ingest', log], { cwd: folder });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/--store/);
    writeFileSync(join(folder, 'recal.config.json'), JSON.stringify({ ingest: { store: 'from-file' } }));
    expect((await recal(['ingest', log], { cwd: folder })).code).toBe(0);
    const env = { RECAL_STORE: 'from-env', RECAL_AS: 'train' };
    expect((await recal(['ingest', log], { cwd: folder, env })).code).toBe(0);
    expect((await recal(['ingest', log, '--store', 'from-flag'], { cwd: folder, env })).code).toBe(0);
    for (const [name, split] of [['from-file'], ['from-env', 'train'], ['from-flag', 'train']]) {
      expect(await eventsOf(join(folder, name), { split })).toHaveLength(1);
    }
  });
});

describe('the store', () => {
  test('other content needs --append', async () => {
    const { folder, store } = await workplace();
    const more = writeLog(folder, 'more.ndjson', [line(9)]);
    expectFailure(await recal(['ingest', more, '--store', store, '--json']), 'store-not-empty', /--append/);
    expect((await recal(['ingest', more, '--store', store, '--append'])).code).toBe(0);
    expect(await eventsOf(store)).toHaveLength(3);
  });

  test('a folder of other files, a file, a newer store', async () => {
    const { folder, store, log } = await workplace();
    expectFailure(await recal(['ingest', log, '--store', folder, '--json']), 'not-a-store', /log\.ndjson/);
    expectFailure(await recal(['ingest', log, '--store', log, '--json']), 'not-a-store', /log\.ndjson/);
    const manifest = join(store, 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": \d+/, '"version": 9'));
    expectFailure(await recal(['ingest', log, '--store', store, '--json']), 'store-version', /9/);
  });

  test('two writers at once: the second is told, the first is not disturbed', async () => {
    const folder = newFolder();
    const store = join(folder, 'store');
    const log = writeLog(folder, 'log.ndjson', [line(0)]);
    const input = new PassThrough(); // open for as long as the second tries, however long that is
    input.write(`${line(1)}\n`.repeat(60_000));
    const first = recal(['ingest', '-', '--store', store, '--json'], { input });
    while (!existsSync(join(store, 'writer.lock'))) await new Promise((resolve) => setTimeout(resolve, 2));
    const second = await recal(['ingest', log, '--store', store, '--append', '--json']);
    input.end();
    expectFailure(second, 'store-busy', /writer\.lock/);
    expect(answer(await first)).toMatchObject({ status: 'added', events: 60_000 });
    expect((await recal(['ingest', log, '--store', store, '--append'])).code).toBe(0);
  });

  test('recal drop removes old days', async () => {
    const { store } = await workplace();
    const drop = ['drop', '--store', store, '--before'];
    // A slip of the year must not empty the store.
    expectFailure(await recal([...drop, '2030-04-07', '--json']), 'drop-all', /2018-04-06.*--all/, 2);
    expect(await eventsOf(store)).not.toEqual([]);
    const dropped = await recal([...drop, '2018-04-07', '--all', '--json']);
    expect(answer(dropped)).toEqual({
      segments: 1,
      events: 2,
      statements: expect.any(Number),
      bytes: expect.any(Number),
    });
    expect(await eventsOf(store)).toEqual([]);
    expectFailure(
      await recal(['drop', '--store', join(store, 'nosuch'), '--before', '2018-04-07', '--json']),
      'no-store',
      /recal ingest/,
    );
    expectFailure(await recal([...drop, 'yesterday', '--json']), 'settings-invalid', /--before/, 2);
  });
});

test('nothing is left in the temporary folder', async () => {
  const folder = newFolder();
  const log = writeLog(folder, 'log.ndjson', [line(0)]);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const env = { TMPDIR: temporary };
  await recal(['ingest', log, '--store', join(folder, 'store')], { env });
  await recal(['inspect', log], { env });
  await recal(['inspect', join(folder, 'nosuch')], { env });
  expect(readdirSync(temporary)).toEqual([]);
});
