import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMIT_BYTES, type Source, type SourceRead } from '../../../src/live/sources/source.js';
import { Intake } from '../../../src/live/watch/intake.js';
import { Metrics } from '../../../src/live/watch/metrics.js';
import { Watermark } from '../../../src/live/watch/watermark.js';
import type { LiveIngest } from '../../../src/store/live/live-ingest.js';
import type { SourcePart } from '../../../src/store/live/log-chunk.js';
import { newFolder } from '../../folders.js';

const LINES = Buffer.alloc(COMMIT_BYTES / 2, `${'x'.repeat(1023)}\n`);

function source(name: string, ends: boolean, read: (most: number) => Partial<SourceRead>): Source {
  return {
    name,
    ends,
    losses: new Map(),
    open: async () => undefined,
    read: async (most) => ({ chunks: [], position: 0, idle: true, ended: false, ...read(most) }),
    commit: async () => undefined,
    lag: async () => ({ bytes: 0 }),
    close: async () => undefined,
  };
}

const chunksOf = (bytes: Uint8Array) => [{ log: 'l', name: 'l', linesBefore: 0, bytes }];

/** An intake, and the parts of each commit. */
function intakeOf(sources: readonly Source[]) {
  const commits: SourcePart[][] = [];
  const nothing = { summary: { events: 0, malformed: 0, skipped: {}, losses: [] }, problems: [], late: 0 };
  const ingest = {
    position: () => undefined,
    append: async (parts: SourcePart[]) => {
      commits.push(parts);
      return { ...nothing, unknownLines: 0, latest: new Map(), eventsBySource: new Map() };
    },
  } as unknown as LiveIngest;
  const intake = new Intake({
    ingest,
    sources,
    watermark: new Watermark(0),
    metrics: new Metrics(),
    log: () => undefined,
    setAside: join(newFolder(), 'set-aside'),
    signal: new AbortController().signal,
  });
  return { intake, commits };
}

const bytesOf = (parts: readonly SourcePart[]) =>
  parts.flatMap(({ chunks }) => chunks).reduce((sum, { bytes }) => sum + bytes.length, 0);

it('bounds the bytes of a commit, and lets sources take turns', async () => {
  const endless = (name: string) =>
    source(name, false, (most) => ({ chunks: chunksOf(LINES.subarray(0, most)), idle: false }));
  const { intake, commits } = intakeOf(['a', 'b', 'c', 'd'].map(endless));
  for (let step = 0; step < 4; step++) expect((await intake.step(undefined)).more).toBe(true);
  for (const parts of commits) expect(bytesOf(parts)).toBe(COMMIT_BYTES);
  const names = commits.map((parts) => parts.map(({ source }) => source).join(''));
  expect(names).toEqual(['ab', 'bc', 'cd', 'da']);
});

it('asks no source for less than a chunk, so that a long line of it is not left out', async () => {
  const asked: number[] = [];
  const almostAll = Buffer.alloc(COMMIT_BYTES - 1024, LINES);
  const busy = source('busy', false, () => ({ chunks: chunksOf(almostAll), idle: false }));
  const other = source('other', false, (most) => {
    asked.push(most);
    return {};
  });
  const { intake } = intakeOf([busy, other]);
  expect((await intake.step(undefined)).more).toBe(true);
  expect(asked).toEqual([]);
  await intake.step(undefined);
  expect(asked).toEqual([COMMIT_BYTES]);
});

it('does not complete an event at the end of what a pipe has sent so far', async () => {
  let ended = false;
  const pipe = source('pipe', true, () =>
    ended ? { ended } : { chunks: chunksOf(LINES.subarray(0, 1024)) },
  );
  const file = source('file', false, () => ({ chunks: chunksOf(LINES.subarray(0, 1024)) }));
  const { intake, commits } = intakeOf([pipe, file]);
  expect((await intake.step(undefined, true)).more).toBe(false);
  expect(commits[0].map(({ source, idle }) => [source, idle])).toEqual([
    ['pipe', false],
    ['file', true],
  ]);
  ended = true;
  await intake.step(undefined, true);
  expect(commits[1].find(({ source }) => source === 'pipe')?.idle).toBe(true);
});
