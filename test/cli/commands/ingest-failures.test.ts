import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/base/error-codes.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { newFolder, sharedFolder } from '../../folders.js';
import { eventLine, eventsOf, file, MIDNIGHT, writeLog } from '../../store/small-logs.js';
import { answer, recal } from '../recal-process.js';
import { expectFailure, filesIn, line, workplace } from './ingesting.js';

const root = process.getuid?.() === 0;
// Root may read and write everything, so another user runs the program there.
const other = root ? { uid: 65_534, cwd: '/' } : {};
const noOther =
  process.platform === 'win32'
    ? 'Windows has other permissions'
    : root && spawnSync(process.execPath, ['--version'], other).status !== 0
      ? `another user cannot execute ${process.execPath}`
      : undefined;
const titled = (title: string) => (noOther === undefined ? title : `${title} (skipped: ${noOther})`);

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
    expect(warnings[0]).toBe('warning: skipped 13 malformed lines');
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
    const ended = await recal(['ingest', log, '--store', store, '--append', '--strict', '--json']);
    expectFailure(ended, 'malformed-line', /--strict.*\nat .*bad\.ndjson:2$/);
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
    expect(ended.stderr).toMatch(/log\.ndjson:2: .* \d+ bytes, .* 1048576/);
    expect(ended.stderr).toContain('--max-line');
    const again = await recal(['ingest', log, '--store', wide, '--json', '--max-line', '2000000']);
    expect(answer(again)).toMatchObject({ events: 3, malformed: 0 });
  });
});

describe('input that cannot be read', () => {
  const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  const ACCESS = '203.0.113.7 - - [02/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 12\n';
  const good = Array.from({ length: 2000 }, (_, i) => line(i + 10)).join('\n');
  const cases: [string, string, string | Uint8Array, ErrorCode, RegExp][] = [
    ['a truncated gzip', 'a.json.gz', gzipSync(good).subarray(0, 4000), 'truncated-input', /a\.json\.gz/],
    ['gzip that was damaged', 'b.json.gz', damaged(gzipSync(good)), 'corrupt-input', /b\.json\.gz/],
    ['an empty file', 'c.json', '', 'empty-input', /c\.json/],
    ['an empty gzip', 'd.json.gz', gzipSync(''), 'empty-input', /d\.json\.gz/],
    ['a web server log', 'e.log', ACCESS, 'unknown-format', /cdm .*ndjson/],
    ['a PNG', 'f.png', PNG, 'unknown-format', /cdm .*ndjson/],
    ['a CSV', 'g.csv', 'ts,subject,object\n1,2,3\n', 'unknown-format', /cdm .*ndjson/],
    ['JSON of another kind', 'h.json', '{"a":1}\n', 'unknown-format', /--format/],
    ['random bytes', 'i.json', Buffer.alloc(100_000, '\u00ff\u0000a'), 'unknown-format', /--format/],
    ['a zip archive', 'j.zip', Buffer.from('504b0304140000000800', 'hex'), 'unsupported-archive', /unzip -p/],
    ['xz', 'k.json.xz', Buffer.from('fd377a585a000004e6d6b446', 'hex'), 'unsupported-compression', /xz -dc/],
  ];

  test.each(cases)(
    '%s: an error with a hint, and the store unharmed',
    async (_what, name, bytes, code, detail) => {
      const { folder, store } = await workplace();
      const before = filesIn(store);
      const path = join(folder, name);
      writeFileSync(path, bytes);
      const ended = await recal(['ingest', path, '--store', store, '--append', '--json']);
      expectFailure(ended, code, detail);
      expect(filesIn(store)).toEqual(before);
      expect(await eventsOf(store)).toHaveLength(2);
    },
  );

  test('a failed first ingest leaves no folder', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'diary.txt'), 'Dear diary\n');
    const store = join(folder, 'new', 'store');
    const ended = await recal(['ingest', join(folder, 'diary.txt'), '--store', store, '--json']);
    expectFailure(ended, 'unknown-format', /diary\.txt/);
    expect(existsSync(join(folder, 'new'))).toBe(false);
    const unset = await recal(['ingest', '', '--store', store, '--json']);
    expectFailure(unset, 'input-not-found', /the name of a log file is empty/);
  });

  test('a directory', async () => {
    const { folder, store } = await workplace();
    mkdirSync(join(folder, 'logs'));
    writeLog(join(folder, 'logs'), 'x.json', [line(5)]);
    const ended = await recal(['ingest', join(folder, 'logs'), '--store', store, '--append', '--json']);
    expectFailure(ended, 'input-is-directory', /\*\.json\*/);
    expect(await eventsOf(store)).toHaveLength(2);
  });

  test('a file that is not there', async () => {
    const { folder, store } = await workplace();
    const ended = await recal(['ingest', join(folder, 'log'), '--store', store, '--append', '--json']);
    expectFailure(ended, 'input-not-found', /log\.ndjson/);
  });

  test.skipIf(noOther)(titled('a file that may not be read'), async () => {
    const folder = newFolder();
    const log = writeLog(folder, 'secret.ndjson', [line(0)]);
    chmodSync(folder, 0o777);
    chmodSync(log, 0o000);
    const ended = await recal(['ingest', log, '--store', join(folder, 'store'), '--json'], other);
    expectFailure(ended, 'input-unreadable', /secret\.ndjson/);
    expect(existsSync(join(folder, 'store'))).toBe(false);
  });

  test.skipIf(noOther)(titled('a store that may not be written'), async () => {
    const { folder, store } = await workplace();
    chmodSync(folder, 0o755);
    spawnSync('chmod', ['-R', 'a+rX,a-w', store]);
    const log = writeLog(folder, 'more.ndjson', [line(5)]);
    const ended = await recal(['ingest', log, '--store', store, '--append', '--json'], other);
    spawnSync('chmod', ['-R', 'u+w', store]);
    expectFailure(ended, 'system-error', /store/);
    expect(await eventsOf(store)).toHaveLength(2);
  });
});

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
    ['while segments are written', 64 << 10, 'disk-full'],
    ['when the first byte is written', 0, 'system-error'],
  ] as const)('%s: told with a hint, and the store unharmed', async (_when, fileLimit, code) => {
    const before = filesIn(store);
    const ended = await recal(['ingest', log, '--store', store, '--append', '--json'], { fileLimit });
    expectFailure(ended, code);
    expect(await eventsOf(store)).toHaveLength(2);
    expect(filesIn(store)).toEqual(before);
  });

  const mounted = mountTiny();
  async function fillMounted(folder: string): Promise<void> {
    const small = join(folder, 'store');
    cpSync(store, small, { recursive: true });
    const before = filesIn(small);
    const ended = await recal(['ingest', log, '--store', small, '--append', '--json']);
    expectFailure(ended, 'disk-full');
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
