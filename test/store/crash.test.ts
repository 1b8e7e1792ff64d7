import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../src/base/random.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { answer, type Ended, recal } from '../cli/recal-process.js';
import { filesBelow, sharedFolder } from '../folders.js';
import {
  cdmEvent,
  cdmLine,
  entitiesOf,
  eventLine,
  eventsOf,
  file,
  MIDNIGHT,
  uuid,
  writeLog,
} from './small-logs.js';

/** `npm run bench -- faults` kills all commands, and more often. */
const POINTS = 8;
const SEED = 20180406;

/** The bytes of each file, by path. */
function bytesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesBelow(folder).map((path) => [path, readFileSync(join(folder, path)).toString('base64')]),
  );
}

const segmentsOf = (folder: string) =>
  Object.entries(bytesOf(folder)).filter(([path]) => path.endsWith('.parquet'));

// Windows does not have these signals.
describe.runIf(process.platform !== 'win32')('an interrupted ingest', () => {
  const folder = sharedFolder();
  const log = join(folder, 'more.json');
  /** A store with one file, which is copied for each attempt. */
  const before = join(folder, 'before');
  /** The same store after a complete ingest. */
  const after = join(folder, 'after');
  /** Duration of the last complete ingest, in milliseconds. */
  let duration = 0;
  let contentBefore: Awaited<ReturnType<typeof content>>;

  async function content(store: string) {
    return { events: await eventsOf(store), entities: await entitiesOf(store) };
  }

  const ingest = (store: string, onStart?: Parameters<typeof recal>[1]): Promise<Ended> =>
    recal(['ingest', log, '--store', store, '--append', '--as', 'test', '--json'], onStart);

  beforeAll(async () => {
    const first = writeLog(folder, 'first.ndjson', [
      eventLine({ obj: file('f', { name: '/first' }) }),
      eventLine({ ts: MIDNIGHT + 1n, rel: 'EVENT_EXIT' }),
    ]);
    await ingestFiles([first], { store: before, split: 'train', threads: 0 });
    contentBefore = await content(before);
    const lines: string[] = [];
    for (let i = 0; i < 16_000; i++) {
      const object = uuid(1000 + (i % 4001));
      if (i < 4001) lines.push(cdmLine('FileObject', { uuid: object, type: 'FILE_OBJECT_FILE' }));
      const [subject, ts] = [uuid(i % 89), MIDNIGHT - 10_000n + BigInt(i)];
      lines.push(cdmEvent({ ts, subject, object, path: `/data/${i % 4001}`, exec: `worker-${i % 7}` }));
    }
    writeLog(folder, 'more.json', lines);
    cpSync(before, after, { recursive: true });
    const { ended, milliseconds } = await timed(after);
    expect(answer(ended)).toMatchObject({ events: 16_000, status: 'added' });
    duration = milliseconds;
    expect(await eventsOf(after)).toHaveLength(16_002);
  });

  /** Ingests and measures the time since the process locked the store. Kills it after `killAfter` milliseconds. */
  async function timed(store: string, killAfter?: number): Promise<{ ended: Ended; milliseconds: number }> {
    let locked = 0;
    const ended = await ingest(store, {
      onStart(child) {
        const timer = setInterval(() => {
          if (locked === 0 && existsSync(join(store, 'writer.lock'))) locked = performance.now();
          if (locked > 0 && killAfter !== undefined && performance.now() >= locked + killAfter) {
            child.kill('SIGKILL');
          }
        }, 1);
        child.on('close', () => clearInterval(timer));
      },
    });
    return { ended, milliseconds: performance.now() - locked };
  }

  test(`leaves the store unchanged when killed at ${POINTS} random points, and can be repeated`, async () => {
    const random = new Random(SEED);
    const points: string[] = [];
    let killed = 0;
    let staging = 0;
    for (let index = 0; index < POINTS; index++) {
      const store = join(folder, `killed-${index}`);
      // One point in each eighth of the run, so that the points cover all of it.
      const point = (index + random.float()) / POINTS;
      // A run that ends before its point is repeated with its own duration.
      for (let attempt = 0; attempt < 5; attempt++) {
        rmSync(store, { recursive: true, force: true });
        cpSync(before, store, { recursive: true });
        const { ended, milliseconds } = await timed(store, point * duration);
        if (ended.code === null) {
          killed++;
          break;
        }
        duration = milliseconds;
      }
      points.push(`${Math.round(point * duration)}`);
      if (existsSync(join(store, 'staging'))) staging++;
      // Once the manifest is replaced, the ingest is complete.
      const replaced = readFileSync(join(store, 'manifest.json'), 'utf8').includes('more.json');
      if (replaced) expect(segmentsOf(store)).toEqual(segmentsOf(after));
      else expect(await content(store)).toEqual(contentBefore);
      const again = await timed(store);
      expect(answer(again.ended)).toMatchObject({ events: 16_000, status: replaced ? 'unchanged' : 'added' });
      expect(bytesOf(store)).toEqual(bytesOf(after));
      if (!replaced) duration = again.milliseconds;
      rmSync(store, { recursive: true });
    }
    console.log(
      `kill -9 at ${points.join(', ')} ms of about ${Math.round(duration)} after locking the store: ` +
        `${killed} of ${POINTS} before the end, ${staging} with staged segments`,
    );
    expect(killed).toBeGreaterThanOrEqual(POINTS - 2);
    expect(staging).toBeGreaterThan(0);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('exits after %s with %i, and leaves the store unchanged', async (signal, code) => {
    const store = join(folder, signal);
    cpSync(before, store, { recursive: true });
    const ended = await ingest(store, {
      // The signal comes as soon as there are files to clean up.
      onStart: (child) => {
        const timer = setInterval(() => {
          if (existsSync(join(store, 'staging')) && child.kill(signal)) clearInterval(timer);
        }, 2);
        child.on('close', () => clearInterval(timer));
      },
    });
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toContain('stopping');
    expect(bytesOf(store)).toEqual(bytesOf(before));
    expect(existsSync(join(store, 'staging'))).toBe(false);
    expect(answer(await ingest(store))).toMatchObject({ events: 16_000, status: 'added' });
  });
});
