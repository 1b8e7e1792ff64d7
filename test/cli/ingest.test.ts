import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ingestFiles } from '../../src/graph/ingest.js';
import { newFolder, sharedFolder } from '../folders.js';
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
} from '../graph/small-logs.js';
import { answer, type Ended, recal } from './recal-process.js';

const ESCAPES = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
const line = (i: number) => eventLine({ ts: MIDNIGHT + BigInt(i), obj: file(`f${i}`) });
const root = process.getuid?.() === 0;

/** A folder to work in, with a log and a store that holds it. */
async function workplace(): Promise<{ folder: string; store: string; log: string }> {
  const folder = newFolder();
  const [store, log] = [join(folder, 'store'), writeLog(folder, 'log.ndjson', [line(0), line(1)])];
  await ingestFiles([log], { store, threads: 0 });
  return { folder, store, log };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

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
      ...{ status: 'added', events: 3, edges: { total: 3, secondObject: 1 }, noObject: 1, malformed: 1 },
      entities: {
        ...{ total: 3, byType: { process: 1, file: 1, other: 1 }, placeholders: 1 },
        bySourceType: { SUBJECT_PROCESS: 1, FILE_OBJECT_FILE: 1, '<undefined>': 1 },
      },
      relations: { EVENT_EXIT: 1, EVENT_READ: 1, EVENT_RENAME: 1 },
      records: { Event: 3, FileObject: 1, Subject: 1, TimeMarker: 1 },
      ...{ skipped: { TimeMarker: 1 }, repaired: {}, unresolved: 1, outOfOrder: 0, lines: 7, known: [] },
      dropped: 0,
      ...{ firstTs: String(MIDNIGHT + 1n), lastTs: String(MIDNIGHT + 9n), seconds: expect.any(Number) },
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

describe('malformed lines', () => {
  // Every second line is broken: 13 of them, which is more than are listed.
  const lines = Array.from({ length: 26 }, (_, i) => (i % 2 === 0 ? line(i) : `{"ts":"${i}",`));

  test('are counted, the first ten listed with place and reason, and the run goes on', async () => {
    const folder = newFolder();
    const log = writeLog(folder, 'log.ndjson', lines);
    const ended = await recal(['ingest', log, '--store', join(folder, 'store'), '--json']);
    expect(ended.code).toBe(0);
    expect(answer(ended)).toMatchObject({ events: 13, malformed: 13, lines: 26 });
    const warnings = ended.stderr.split('\n').filter((text) => text.startsWith('warning:'));
    expect(warnings[0]).toBe('warning: 13 malformed lines left out');
    const places = warnings.slice(1, 11).map((text) => {
      const [, path, number, reason] = /^warning: {3}(.*):(\d+): (.+)$/.exec(text) ?? [];
      expect([path, reason.length > 3]).toEqual([log, true]);
      return Number(number);
    });
    expect(places).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    expect(warnings.slice(11)).toEqual(['warning:   … and 3 more']);
    expect(await eventsOf(join(folder, 'store'))).toHaveLength(13);
  });

  test('--strict stops at the first', async () => {
    const { folder, store } = await workplace();
    const log = writeLog(folder, 'bad.ndjson', lines);
    const ended = await recal(['ingest', log, '--store', store, '--append', '--strict']);
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toMatch(/^error: malformed line: .+\nhint: .*--strict.*\nat .*bad\.ndjson:2$/m);
    expect(await eventsOf(store)).toHaveLength(2);
  });

  test('a line over 1 MiB is one of them, and can be asked for', async () => {
    const folder = newFolder();
    const long = eventLine({ ts: MIDNIGHT, obj: file('f', { name: 'x'.repeat(1 << 20) }) });
    const log = writeLog(folder, 'log.ndjson', [line(1), long, line(2)]);
    const [store, wide] = [join(folder, 'store'), join(folder, 'wide')];
    const ended = await recal(['ingest', log, '--store', store, '--json']);
    expect(ended.code).toBe(0);
    expect(answer(ended)).toMatchObject({ events: 2, malformed: 1 });
    expect(ended.stderr).toMatch(/log\.ndjson:2: oversize: \d+ bytes, over the limit of 1048576/);
    expect(ended.stderr).toContain('--max-line');
    const again = await recal(['ingest', log, '--store', wide, '--json', '--max-line', '2000000']);
    expect(answer(again)).toMatchObject({ events: 3, malformed: 0 });
  });
});

describe('input that cannot be read', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  const AUDIT =
    'type=SYSCALL msg=audit(1364481363.243:24287): arch=c000003e syscall=2 success=no exit=-13 comm="cat"\n';
  const good = Array.from({ length: 2000 }, (_, i) => line(i + 10)).join('\n');
  const cases: [string, string, string | Uint8Array, RegExp, RegExp][] = [
    ['a truncated gzip', 'a.json.gz', gzipSync(good).subarray(0, 4000), /a\.json\.gz/, /./],
    ['gzip that was damaged', 'b.json.gz', damaged(gzipSync(good)), /b\.json\.gz/, /./],
    ['an empty file', 'c.json', '', /is empty/, /interrupted/],
    ['an empty gzip', 'd.json.gz', gzipSync(''), /unpacks to nothing/, /interrupted/],
    ['an auditd log', 'e.log', AUDIT, /of no format/, /cdm .*ndjson/],
    ['a PNG', 'f.png', PNG, /of no format/, /cdm .*ndjson/],
    ['a CSV', 'g.csv', 'ts,subject,object\n1,2,3\n', /of no format/, /cdm .*ndjson/],
    ['JSON of another kind', 'h.json', '{"a":1}\n', /of no format/, /--format/],
    ['random bytes', 'i.json', Buffer.alloc(100_000, '\u00ff\u0000a'), /of no format/, /--format/],
    ['a zip archive', 'j.zip', Buffer.from('504b0304140000000800', 'hex'), /zip archive/, /unzip -p/],
    ['xz', 'k.json.xz', Buffer.from('fd377a585a000004e6d6b446', 'hex'), /xz/, /xz -dc/],
  ];

  test.each(cases)(
    '%s: an error with a hint, and the store unharmed',
    async (_what, name, bytes, error, hint) => {
      const { folder, store } = await workplace();
      const before = filesIn(store);
      const path = join(folder, name);
      writeFileSync(path, bytes);
      const ended = await recal(['ingest', path, '--store', store, '--append']);
      expectFailure(ended, error, hint);
      expect(filesIn(store)).toEqual(before);
      expect(await eventsOf(store)).toHaveLength(2);
    },
  );

  test('a directory', async () => {
    const { folder, store } = await workplace();
    mkdirSync(join(folder, 'logs'));
    writeLog(join(folder, 'logs'), 'x.json', [line(5)]);
    const ended = await recal(['ingest', join(folder, 'logs'), '--store', store, '--append']);
    expectFailure(ended, /is a directory/, /\*\.json\*/);
    expect(await eventsOf(store)).toHaveLength(2);
  });

  test('a file that is not there', async () => {
    const { folder, store } = await workplace();
    const ended = await recal(['ingest', join(folder, 'log'), '--store', store, '--append']);
    expectFailure(ended, /there is no file/, /log\.ndjson/);
  });

  test.skipIf(process.platform === 'win32')('a file that may not be read', async () => {
    const folder = newFolder();
    const log = writeLog(folder, 'secret.ndjson', [line(0)]);
    chmodSync(folder, 0o777);
    chmodSync(log, 0o000);
    // Root may read everything: there, somebody else asks.
    const options = root ? { uid: 65_534, cwd: '/' } : {};
    const ended = await recal(['ingest', log, '--store', join(folder, 'store')], options);
    expectFailure(ended, /no permission to read/, /may read it/);
    expect(existsSync(join(folder, 'store'))).toBe(false);
  });

  test.skipIf(process.platform === 'win32')('a store that may not be written', async () => {
    const { folder, store } = await workplace();
    chmodSync(folder, 0o755);
    spawnSync('chmod', ['-R', 'a+rX,a-w', store]);
    const log = writeLog(folder, 'more.ndjson', [line(5)]);
    const options = root ? { uid: 65_534, cwd: '/' } : {};
    const ended = await recal(['ingest', log, '--store', store, '--append'], options);
    spawnSync('chmod', ['-R', 'u+w', store]);
    expectFailure(ended, /permission|denied/, /permission/);
    expect(await eventsOf(store)).toHaveLength(2);
  });
});

/** `error: …`, `hint: …` and `at …`, exit 1, no stack. */
function expectFailure({ code, stdout, stderr }: Ended, error: RegExp, hint: RegExp): void {
  expect([code, stdout]).toEqual([1, '']);
  const lines = stderr.trimEnd().split('\n');
  const at = lines.findIndex((text) => text.startsWith('error: '));
  expect(lines[at]).toMatch(error);
  expect(lines[at]).not.toContain('internal');
  expect(lines[at + 1]).toMatch(/^hint: /);
  expect(lines[at + 1]).toMatch(hint);
  expect(lines.slice(at + 2).every((text) => text.startsWith('at '))).toBe(true);
  expect(stderr).not.toMatch(/^\s+at .*\.js:\d+/m);
}

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.fill(0x55, copy.length >> 1, (copy.length >> 1) + 64);
  return copy;
}

// A file may not grow beyond a limit: every write beyond it fails just as on a full disk, and that needs no mount.
describe.skipIf(process.platform === 'win32')('a full disk', () => {
  const folder = sharedFolder();
  const [store, log] = [join(folder, 'store'), join(folder, 'big.ndjson')];

  beforeAll(async () => {
    const first = writeLog(folder, 'first.ndjson', [line(0), line(1)]);
    await ingestFiles([first], { store, threads: 0 });
    const names = Array.from({ length: 20_000 }, (_, i) => `/data/${(i * 2654435761) % 2 ** 32}/${i ** 3}`);
    writeLog(
      folder,
      'big.ndjson',
      names.map((name, i) => eventLine({ ts: MIDNIGHT + BigInt(i * i), obj: file(name, { name }) })),
    );
  });

  test.each([
    ['while segments are written', 64 << 10],
    ['when the first byte is written', 0],
  ])('%s: told with a hint, and the store unharmed', async (_when, fileLimit) => {
    const before = filesIn(store);
    const ended = await recal(['ingest', log, '--store', store, '--append'], { fileLimit });
    expectFailure(ended, /no space left|disk is full|file too large/i, /space|limit/);
    expect(await eventsOf(store)).toHaveLength(2);
    expect(filesIn(store)).toEqual(before);
  });

  const mounted = mountTiny();
  async function fillMounted(folder: string): Promise<void> {
    const small = join(folder, 'store');
    cpSync(store, small, { recursive: true });
    const before = filesIn(small);
    const ended = await recal(['ingest', log, '--store', small, '--append']);
    expectFailure(ended, /no space left/i, /space/);
    expect(await eventsOf(small)).toHaveLength(2);
    expect(filesIn(small)).toEqual(before);
  }
  if (mounted !== undefined) test('a file system of one megabyte', () => fillMounted(mounted));

  test('with space again, the same ingest is done', async () => {
    expect((await recal(['ingest', log, '--store', store, '--append', '--quiet'])).code).toBe(0);
    expect(await eventsOf(store)).toHaveLength(20_002);
  });
});

/** A file system of one megabyte, where this user may mount one. */
function mountTiny(): string | undefined {
  if (process.platform !== 'linux' || !root) return undefined;
  const folder = join(sharedFolder(), 'tiny');
  mkdirSync(folder);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) return undefined;
  afterAll(() => {
    spawnSync('umount', [folder]);
  });
  return folder;
}

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
    const ended = await recal(['ingest', '-', more, '--store', store, '--append'], {
      input: readFileSync(log),
    });
    expectFailure(ended, /<stdin> is there already/, /without it/);
    expect(await eventsOf(store)).toHaveLength(2);
  });

  test('gzip on standard input, and nothing on it', async () => {
    const store = join(newFolder(), 'store');
    expectFailure(await recal(['ingest', '-', '--store', store]), /is empty/, /interrupted/);
    const ended = await recal(['ingest', '-', '--store', store, '--json'], { input: gzipSync(line(3)) });
    expect(answer(ended)).toMatchObject({ events: 1 });
  });

  test('globs, which the program expands where the shell does not', async () => {
    const folder = newFolder();
    for (const name of ['a.json', 'b.json', 'c.txt']) writeLog(folder, name, [line(name.charCodeAt(0))]);
    const ended = await recal(['ingest', join(folder, '*.json'), '--store', join(folder, 'store'), '--json']);
    expect(answer(ended)).toMatchObject({ events: 2, files: [{ name: join(folder, 'a.json') }, {}] });
    const none = await recal(['ingest', join(folder, '*.gz'), '--store', join(folder, 'store')]);
    expectFailure(none, /no file matches/, /\*\*/);
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
    const twice = await recal(['ingest', join(folder, 'x.json*'), '--store', join(folder, 'two')]);
    expectFailure(twice, /the same part/, /twice/);
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
    const wrong = await recal(['ingest', log, '--store', join(folder, 'cdm'), '--format', 'cdm']);
    expectFailure(wrong, /no usable record/, /not a CDM record/);
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
      ...{ firstTs: String(MIDNIGHT), lastTs: String(MIDNIGHT + 1000n), repaired: { badTime: 1 } },
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
    expectFailure(await recal(['ingest', more, '--store', store]), /is not among them/, /--append/);
    expect((await recal(['ingest', more, '--store', store, '--append'])).code).toBe(0);
    expect(await eventsOf(store)).toHaveLength(3);
  });

  test('a folder of other files, a file, a newer store', async () => {
    const { folder, store, log } = await workplace();
    expectFailure(await recal(['ingest', log, '--store', folder]), /holds other files/, /empty folder/);
    expectFailure(await recal(['ingest', log, '--store', log]), /is a file/, /folder/);
    const manifest = join(store, 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"version": 1', '"version": 9'));
    expectFailure(await recal(['ingest', log, '--store', store]), /version 9/, /newer/);
  });

  test('two writers at once: the second is told, the first is not disturbed', async () => {
    const folder = newFolder();
    const store = join(folder, 'store');
    const log = writeLog(folder, 'log.ndjson', [line(0)]);
    const first = recal(['ingest', '-', '--store', store, '--json'], {
      input: `${line(1)}\n`.repeat(60_000),
    });
    while (!existsSync(join(store, 'writer.lock'))) await new Promise((resolve) => setTimeout(resolve, 2));
    const second = await recal(['ingest', log, '--store', store, '--append']);
    expectFailure(second, /another process \(\d+ on .*\) is writing to this store/, /wait/);
    expect(answer(await first)).toMatchObject({ status: 'added', events: 60_000 });
    expect((await recal(['ingest', log, '--store', store, '--append'])).code).toBe(0);
  });

  test('recal drop removes old days', async () => {
    const { store } = await workplace();
    const dropped = await recal(['drop', '--store', store, '--before', '2018-04-07', '--json']);
    expect(answer(dropped)).toEqual({ segments: 1, events: 2, bytes: expect.any(Number) });
    expect(await eventsOf(store)).toEqual([]);
    expectFailure(
      await recal(['drop', '--store', join(store, 'nosuch'), '--before', '2018-04-07']),
      /no store/,
      /recal ingest/,
    );
    expect((await recal(['drop', '--store', store, '--before', 'yesterday'])).code).toBe(2);
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
