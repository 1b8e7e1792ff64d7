import { appendFileSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type IngestOptions, ingestFiles } from '../../src/store/ingest.js';
import { Store } from '../../src/store/store.js';
import { newFolder } from '../folders.js';
import { eventLine, eventsOf, file, MIDNIGHT } from './small-logs.js';

const line = (i: number) =>
  `${eventLine({ ts: MIDNIGHT + BigInt(i), rel: 'EVENT_WRITE', obj: file(`f${i}`, { name: `/f${i}` }) })}\n`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => line(from + i)).join('');

let folder: string;
let store: string;
let log: string;

beforeEach(() => {
  folder = newFolder();
  store = join(folder, 'store');
  log = join(folder, 'audit.log');
});

const ingest = (paths: string[], options: Partial<IngestOptions> = {}) =>
  ingestFiles(paths, { store, threads: 0, ...options });
const stored = async () => (await eventsOf(store)).length;
/** The distinct times of the stored events, after midnight. */
const times = async () => new Set((await eventsOf(store)).map(({ ts }) => Number(ts - MIDNIGHT))).size;
const packed = (path: string) => {
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
  return `${path}.gz`;
};

describe('a log that has grown', () => {
  test('adds only its new lines, without --append, with the line numbers of the file', async () => {
    writeFileSync(log, lines(0, 2000));
    await ingest([log]);
    appendFileSync(log, lines(2000, 3000));
    const result = await ingest([log]);
    expect(result).toMatchObject({ status: 'added', events: 1000, grown: [{ name: log, lines: 2000 }] });
    expect(await stored()).toBe(3000);
    expect(await times()).toBe(3000);
    const { manifest } = await Store.open(store);
    expect(manifest.ingests[1].files[0].content).toMatchObject({ lines: 3000, linesBefore: 2000 });
    expect(await ingest([log])).toMatchObject({ status: 'unchanged', known: [log] });
    appendFileSync(log, lines(3000, 3001));
    expect(await ingest([log])).toMatchObject({ events: 1, grown: [{ lines: 3000 }] });
    expect(await stored()).toBe(3001);
  });

  test('may add its new lines to another split', async () => {
    writeFileSync(log, lines(0, 30));
    await ingest([log], { split: 'train' });
    appendFileSync(log, lines(30, 50));
    expect(await ingest([log], { split: 'test' })).toMatchObject({ events: 20 });
    expect(await eventsOf(store, { split: 'test' })).toHaveLength(20);
  });

  test('is one log, however it is cut', async () => {
    const whole = lines(0, 40);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 4 }), async (cuts) => {
        const at = join(newFolderOf(), 'store');
        for (const cut of [...cuts.sort((a, b) => a - b), whole.length]) {
          if (cut === 0) continue;
          writeFileSync(log, whole.slice(0, cut));
          // A first piece without a whole line has nothing to read.
          await ingestFiles([log], { store: at, threads: 0 }).catch((error: { code: string }) =>
            expect(['nothing-read', 'unknown-format']).toContain(error.code),
          );
        }
        const events = await eventsOf(at);
        expect(events.map(({ ts }) => Number(ts - MIDNIGHT))).toEqual([...Array(40).keys()]);
        const counted = (await Store.open(at)).manifest.ingests.map(({ summary }) => summary.malformed);
        expect(counted.every((malformed) => malformed === 0)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  test('leaves a last line without its end for later, and says so', async () => {
    writeFileSync(log, lines(0, 5) + line(5).slice(0, 40));
    expect(await ingest([log])).toMatchObject({ events: 5, malformed: 0, skipped: { unfinishedLine: 1 } });
    expect(await ingest([log])).toMatchObject({ status: 'unchanged' });
    writeFileSync(log, lines(0, 6));
    expect(await ingest([log])).toMatchObject({ events: 1, malformed: 0 });
    expect(await stored()).toBe(6);
  });

  test('has a last record without a newline read at once if it is whole', async () => {
    writeFileSync(log, lines(0, 6).trimEnd());
    expect(await ingest([log])).toMatchObject({ events: 6, skipped: {} });
    writeFileSync(log, lines(0, 7));
    expect(await ingest([log])).toMatchObject({ events: 1, malformed: 0 });
    expect(await stored()).toBe(7);
  });

  let made = 0;
  function newFolderOf(): string {
    return join(folder, `${made++}`);
  }
});

describe('a rotated log', () => {
  test('is recognised under its new names and compressed', async () => {
    writeFileSync(log, lines(0, 500));
    await ingest([log]);
    appendFileSync(log, lines(500, 800));
    renameSync(log, `${log}.1`);
    writeFileSync(log, lines(800, 900));
    expect(await ingest([`${log}.1`, log], { append: true })).toMatchObject({
      events: 400,
      grown: [{ name: `${log}.1`, lines: 500 }],
    });
    renameSync(`${log}.1`, `${log}.2`);
    renameSync(log, `${log}.1`);
    writeFileSync(log, lines(900, 1000));
    const second = packed(`${log}.2`);
    const result = await ingest([second, `${log}.1`, log], { append: true });
    expect(result).toMatchObject({ events: 100, known: [second, `${log}.1`] });
    expect(await stored()).toBe(1000);
    expect(await times()).toBe(1000);
  });

  test('is read once if a run has it plain and compressed', async () => {
    writeFileSync(log, lines(0, 100));
    const result = await ingest([log, packed(log)]);
    expect(result).toMatchObject({ events: 100, known: [`${log}.gz`] });
    expect(await stored()).toBe(100);
  });

  test('may have grown between the copy and the compressed one', async () => {
    writeFileSync(log, lines(0, 100));
    await ingest([log]);
    appendFileSync(log, lines(100, 150));
    expect(await ingest([packed(log)])).toMatchObject({ events: 50 });
    expect(await stored()).toBe(150);
  });
});

describe('a log that was truncated', () => {
  test('and written anew is new', async () => {
    writeFileSync(log, lines(0, 100));
    await ingest([log]);
    writeFileSync(log, lines(100, 160));
    expect(await ingest([log], { append: true })).toMatchObject({ events: 60, grown: [], known: [] });
    expect(await stored()).toBe(160);
  });

  test('or is an older copy is refused, because its lines are stored', async () => {
    writeFileSync(log, lines(0, 100));
    await ingest([log]);
    const copy = join(folder, 'copy.log');
    writeFileSync(copy, lines(0, 70));
    await expect(ingest([copy], { append: true })).rejects.toMatchObject({ code: 'already-ingested' });
    expect(await stored()).toBe(100);
  });

  test('and has other lines after a common half is refused', async () => {
    writeFileSync(log, lines(0, 100));
    await ingest([log]);
    copyFileSync(log, join(folder, 'other.log'));
    writeFileSync(join(folder, 'other.log'), lines(0, 90) + lines(200, 300));
    await expect(ingest([join(folder, 'other.log')], { append: true })).rejects.toMatchObject({
      code: 'already-ingested',
      message: expect.stringContaining('begins like'),
    });
  });
});
