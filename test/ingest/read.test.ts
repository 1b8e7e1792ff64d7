import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultThreads, LogReader, type SourceBatch } from '../../src/ingest/read.js';
import { built } from '../built.js';
import { fixtureLog } from '../fixture-logs.js';
import { sharedFolder } from '../folders.js';
import { decode, readBytes, readLog } from './records.js';

const folder = sharedFolder();

function put(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const event = (i: number, more = ''): string =>
  `{"ts":"${1_600_000_000_000_000_000n + BigInt(i)}","rel":"r","subj":{"id":"p"}${more}}\n`;

/** Reads the paths in turn with one reader, and returns all batches. */
async function batchesOf(reader: LogReader, ...paths: string[]): Promise<SourceBatch[]> {
  const all: SourceBatch[] = [];
  for (const path of paths) for await (const batch of reader.readPath(path)) all.push(batch);
  return all;
}

describe('LogReader', () => {
  it('reads files of several formats in any order', async () => {
    const names = ['recal', 'cadets-cdm18', 'recal', 'theia-cdm20', 'recal'];
    const paths = names.map((name, i) => put(`${i}.json`, fixtureLog(name)));
    const reader = new LogReader();
    try {
      const batches = await batchesOf(reader, ...paths);
      expect(batches.map(({ source }) => source.format)).toEqual([
        'ndjson',
        'cdm',
        'ndjson',
        'cdm',
        'ndjson',
      ]);
      for (const [i, { batch }] of batches.entries()) {
        const [alone] = await readLog(paths[i]);
        expect(decode([batch]).events).toEqual(alone.events);
        expect(batch.malformed).toBe(0);
      }
    } finally {
      await reader.close();
    }
  });

  it('reports on each source', async () => {
    const content = fixtureLog('theia-cdm18');
    const [source] = await readLog(put('theia', content));
    expect(source.report).toEqual({
      name: join(folder, 'theia'),
      format: 'cdm',
      timeUnit: 'us',
      badTime: 1,
      farTime: 0,
      lines: content.split('\n').length - 1,
      bytes: Buffer.byteLength(content),
      unfinished: 0,
    });
  });

  it('stops on an abort signal', async () => {
    const controller = new AbortController();
    const reader = new LogReader({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(batchesOf(reader, put('stop', event(1)))).rejects.toThrow('enough');
    await reader.close();
  });

  it('can read a file after one that failed', async () => {
    const reader = new LogReader();
    await expect(batchesOf(reader, put('no-log', 'hello\n'))).rejects.toMatchObject({
      code: 'unknown-format',
    });
    await expect(batchesOf(reader, join(folder, 'missing'))).rejects.toMatchObject({
      code: 'input-not-found',
    });
    const [{ batch }] = await batchesOf(reader, put('log', event(1)));
    expect(batch.events).toBe(1);
    await reader.close();
  });

  it('starts threads only for large inputs', () => {
    expect(defaultThreads(0)).toBe(0);
    expect(defaultThreads(1 << 20)).toBe(0);
    expect(defaultThreads(1 << 30)).toBeGreaterThan(0);
    expect(defaultThreads(2 ** 45)).toBeLessThanOrEqual(4);
  });
});

describe('the format', () => {
  it('must be known; the error lists the known formats', async () => {
    await expect(readBytes('\u001b[31m{"a":1}\n')).rejects.toMatchObject({
      code: 'unknown-format',
      hint: expect.stringMatching(/cdm .*ndjson .*--format/),
    });
  });

  it('is not detected if it is given', async () => {
    const [{ counts, report }] = await readBytes('hello\nworld\n', { format: 'cdm' });
    expect([counts.malformed, report.format]).toEqual([2, 'cdm']);
    await expect(readBytes('x\n', { format: 'evtx' })).rejects.toMatchObject({
      code: 'unknown-format',
      exit: 2,
    });
  });
});

describe('format detection', () => {
  const names = [70_000, 1_000_000].map((length) => 'x'.repeat(length));

  it.each(names)('reads a first line with a very long name', async (name) => {
    const [{ counts, report }] = await readBytes(event(1, `,"obj":{"id":"f","name":"${name}"}`) + event(2));
    expect([report.format, counts.malformed]).toEqual(['ndjson', 0]);
  });

  it('skips first lines over the limit', async () => {
    const long = event(1, `,"obj":{"id":"f","name":"${'x'.repeat(1 << 20)}"}`);
    const [{ events, counts, report }] = await readBytes(long + long + event(2));
    expect([report.format, events.length, counts.malformed]).toEqual(['ndjson', 1, 2]);
  });

  it('skips many broken lines', async () => {
    const [{ counts, report }] = await readBytes('{"broken":\n'.repeat(10_000) + event(1));
    expect([report.format, counts.malformed]).toEqual(['ndjson', 10_000]);
  });
});

describe('the unit of time', () => {
  const cdm = (time: string): string =>
    `{"datum":{"Event":{"type":"EVENT_READ","subject":"p","predicateObject":"f","timestampNanos":${time}}}}\n`;

  it('can be given', async () => {
    const content = cdm('12') + cdm('1600000000000') + cdm('null');
    const [{ events, report }] = await readBytes(content, { timeUnit: 'ms' });
    const last = 1_600_000_000_000_000_000n;
    expect(events.map(({ ts }) => ts)).toEqual([12_000_000n, last, last]);
    expect([report.timeUnit, report.badTime]).toEqual(['ms', 1]);
  });

  it('is always nanoseconds in recal NDJSON', async () => {
    const content = `${event(0)}{"ts":"2020-09-13T12:26:40.5Z","rel":"r","subj":{"id":"p"}}\n`;
    const [{ events, report }] = await readBytes(content, { timeUnit: 'us' });
    expect(events.map(({ ts }) => ts)).toEqual([1_600_000_000_000_000_000n, 1_600_000_000_500_000_000n]);
    expect([report.timeUnit, report.badTime]).toEqual(['ns', 0]);
  });

  it('must be recognisable', async () => {
    await expect(readBytes(cdm('12') + cdm('34'))).rejects.toMatchObject({ code: 'no-time' });
  });
});

describe('lines longer than a block', () => {
  it('are counted, and the other lines keep their numbers', async () => {
    const long = (length: number): string => `{"x":"${'y'.repeat(length - 8)}"}\n`;
    const [a, b] = [5_000_000, 9_000_000];
    const content = `${event(1) + long(a) + long(b) + event(2)}\n{"bad"\n${event(3)}${long(a)}`;
    const [{ events, lines, counts, problems, report }] = await readBytes(content);
    expect(events).toHaveLength(3);
    expect(lines).toEqual([1, 4, 7]);
    expect(counts).toMatchObject({ lines: 8, blank: 1, malformed: 4 });
    expect([report.lines, report.bytes]).toEqual([8, content.length]);
    expect(problems.map(({ line, code }) => [line, code]).sort(([x], [y]) => Number(x) - Number(y))).toEqual([
      [2, 'oversize'],
      [3, 'oversize'],
      [6, 'syntax'],
      [8, 'oversize'],
    ]);
  });
});

describe('threads', () => {
  it('give the same batches in the same order', async () => {
    const lines: string[] = [];
    for (let i = 0; i < 60_000; i++) {
      lines.push(
        i % 997 === 0
          ? '{"cut":\n'
          : event(i, `,"obj":{"id":"f-${i % 50}","name":"/tmp/${i % 71}"},"pad":"${'x'.repeat(90)}"`),
      );
    }
    const path = put('large', lines.join(''));
    const { LogReader: Built } = (await import(built('ingest/read.js'))) as { LogReader: typeof LogReader };
    const read = async (threads: number, isReused: boolean): Promise<unknown> => {
      const reader = new Built({ threads });
      const parts: unknown[] = [];
      let report: unknown;
      try {
        for await (const { batch, firstLine, source } of reader.readPath(path)) {
          const times = [...batch.ts.subarray(0, batch.events)];
          const texts = Array.from({ length: batch.upserts }, (_, i) => batch.textOf(i, 1));
          parts.push({ firstLine, lines: batch.lines, malformed: batch.malformed, times, texts });
          report = source;
          if (isReused) reader.reuse(batch);
        }
      } finally {
        await reader.close();
      }
      return { parts, report };
    };
    const result = await read(0, false);
    expect(result).toMatchObject({ report: { lines: 60_000 } });
    expect(await read(2, false)).toEqual(result);
    // The memory of batches that were given back serves for later ones.
    expect(await read(2, true)).toEqual(result);
    expect(await read(0, true)).toEqual(result);
  });
});
