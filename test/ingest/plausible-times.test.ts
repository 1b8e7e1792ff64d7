import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Batch } from '../../src/ingest/batch.js';
import { PlausibleTimes } from '../../src/ingest/plausible-times.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { Store } from '../../src/store/store.js';
import { newFolder } from '../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../store/small-logs.js';

const SECOND = 1_000_000_000n;
const YEAR = 366n * 86_400n * SECOND;

function run(...batches: bigint[][]): { times: bigint[]; count: number } {
  const plausible = new PlausibleTimes();
  const make = (times: bigint[]) => {
    const batch = new Batch();
    Object.assign(batch, { ts: BigInt64Array.from(times), events: times.length });
    return batch;
  };
  const ready = [...batches.flatMap((times) => plausible.take(make(times))), ...plausible.finish()];
  const times = ready.flatMap(({ ts, events }) => Array.from(ts.subarray(0, events)));
  return { times, count: plausible.count };
}

const from = (start: bigint, count = 100) =>
  Array.from({ length: count }, (_, i) => start + BigInt(i) * SECOND);

describe('far times', () => {
  test('of a few records become the time of the record before', () => {
    const log = from(MIDNIGHT);
    const poisoned = log.map((ts, i) => (i % 17 === 3 ? ts + 50n * YEAR : ts));
    const { times, count } = run(poisoned);
    expect(count).toBe(6);
    expect(times).toEqual(log.map((_, i) => log[i % 17 === 3 ? i - 1 : i]));
    expect(run([log[0] - 2n * YEAR, ...log]).times[0]).toBe(log[0]);
  });

  test('at the end of one batch and the start of the next are found, too', () => {
    const [one, two] = [from(MIDNIGHT), from(MIDNIGHT + 100n * SECOND)];
    const far = MIDNIGHT + 9n * YEAR;
    expect(run([...one, far], [far, far, ...two]).count).toBe(3);
  });

  test('after a real gap stay, also if it lies within a batch', () => {
    const later = from(MIDNIGHT + 3n * YEAR);
    expect(run(from(MIDNIGHT), later).count).toBe(0);
    const mixed = [...from(MIDNIGHT), ...later.slice(0, 20)];
    expect(run(mixed, later).count).toBe(0);
  });

  test('within a year stay, and a few records say nothing', () => {
    expect(run([...from(MIDNIGHT), MIDNIGHT + YEAR]).count).toBe(0);
    expect(run([MIDNIGHT, MIDNIGHT + 2n * YEAR, MIDNIGHT + 9n * YEAR]).count).toBe(0);
  });
});

test('a log with 6 % of its records in the far future ends when it ends, and says so', async () => {
  const folder = newFolder();
  const nginx = process('nginx', { name: 'nginx' });
  const lines = from(MIDNIGHT, 500).map((ts, i) =>
    eventLine({
      ts: i % 16 === 0 ? ts + 70n * YEAR : ts,
      rel: 'EVENT_READ',
      subj: nginx,
      obj: file(`f${i}`, { name: `/srv/${i}` }),
    }),
  );
  const store = join(folder, 'store');
  const result = await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store, threads: 0 });
  expect(result).toMatchObject({ events: 500, repaired: { farTime: 32 } });
  const opened = await Store.open(store);
  expect(opened.manifest.ingests[0].summary.lastTs).toBe(String(MIDNIGHT + 499n * SECOND));
});
