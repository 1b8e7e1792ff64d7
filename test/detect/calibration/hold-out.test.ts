import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holdOut } from '../../../src/detect/calibration/hold-out.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { newFolder } from '../../folders.js';
import { DAY, eventLine, file, MIDNIGHT, writeLog } from '../../store/small-logs.js';

const MINUTE = 60_000_000_000n;
const HOUR = 60n * MINUTE;
/** Far away, but not so far that ingest replaces the time: that is more than a year. */
const EARLY = MIDNIGHT - 100n * DAY;
const LATE = MIDNIGHT + 300n * DAY;
const window = { graph: 'window', window: 30 } as const;

/** One event per minute for five days, and events at these times. */
async function fiveDays(...more: bigint[]): Promise<Store> {
  const folder = newFolder();
  const times = Array.from({ length: 5 * 24 * 60 }, (_, i) => MIDNIGHT + BigInt(i) * MINUTE);
  const lines = [...times, ...more].map((ts) => eventLine({ ts, obj: file('f') }));
  await ingestFiles([writeLog(folder, 'log.ndjson', lines)], { store: join(folder, 'store'), threads: 0 });
  return Store.open(join(folder, 'store'));
}

describe('with windows', () => {
  test('the last fifth of the time is held out', async () => {
    const held = await holdOut(await fiveDays(), {}, window);
    expect(held).toMatchObject({ boundary: MIDNIGHT + 4n * DAY, strays: 0 });
  });

  test.each([
    ['before', EARLY],
    ['after', LATE],
  ])('an event long %s all others does not move the boundary, and is counted', async (_, stray) => {
    const held = await holdOut(await fiveDays(stray), {}, window);
    expect(held).toMatchObject({ boundary: MIDNIGHT + 4n * DAY, strays: 1 });
  });

  test('strays are in neither split; all other events are in one', async () => {
    const store = await fiveDays(EARLY, LATE);
    const held = await holdOut(store, {}, window);
    const [train, calibrate] = [
      await loadEvents(store, held?.train),
      await loadEvents(store, held?.calibrate),
    ];
    expect([train.table.length, calibrate.table.length]).toEqual([4 * 24 * 60, 24 * 60]);
    expect(calibrate.table.ts.at(-1)).toBe(MIDNIGHT + 5n * DAY - MINUTE);
  });

  test('a selection with a start time keeps its strays', async () => {
    const held = await holdOut(await fiveDays(EARLY), { from: 0n }, window);
    expect(held?.strays).toBe(0);
  });

  test('strays at both ends are found', async () => {
    const held = await holdOut(await fiveDays(EARLY, EARLY + 5n, LATE), {}, window);
    expect(held).toMatchObject({ boundary: MIDNIGHT + 4n * DAY, strays: 3 });
  });

  test('an early event is not a stray if the gap is shorter than the rest', async () => {
    const held = await holdOut(await fiveDays(MIDNIGHT - 3n * DAY), {}, window);
    expect(held?.strays).toBe(0);
    expect(held?.boundary).toBeLessThan(MIDNIGHT + 4n * DAY);
  });

  test('more than a hundredth of the events are not strays, however far away', async () => {
    const early = Array.from({ length: 80 }, (_, i) => EARLY + BigInt(i));
    const held = await holdOut(await fiveDays(...early), {}, window);
    expect(held?.strays).toBe(0);
  });
});

test('the boundary is the start of a file near the last fifth, even for files of one ingest', async () => {
  const folder = newFolder();
  const logs = Array.from({ length: 9 }, (_, i) => {
    const times = Array.from({ length: 60 }, (_, k) => MIDNIGHT + BigInt(i) * HOUR + BigInt(k) * MINUTE);
    return writeLog(
      folder,
      `part${i}.ndjson`,
      times.map((ts) => eventLine({ ts, obj: file('f') })),
    );
  });
  await ingestFiles(logs, { store: join(folder, 'store'), threads: 0 });
  const store = await Store.open(join(folder, 'store'));
  const held = await holdOut(store, {}, { graph: 'file', window: 30 });
  expect(held?.boundary).toBe(MIDNIGHT + 7n * HOUR);
  const train = await loadEvents(store, held?.train);
  const calibrate = await loadEvents(store, held?.calibrate);
  expect(new Set(train.files).size + new Set(calibrate.files).size).toBe(9);
});
