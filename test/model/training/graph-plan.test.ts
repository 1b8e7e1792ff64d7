import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planGraphs, spanOf } from '../../../src/model/training/graph-plan.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { newFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, writeLog } from '../../store/small-logs.js';

const MINUTE = 60_000_000_000n;

/** Plans events at these minutes on the hosts a and b, with one file per host. Returns minutes by graph. */
async function plan(minutes: Record<'a' | 'b', readonly number[]>, graph: 'window' | 'file') {
  const folder = newFolder();
  const store = join(folder, 'store');
  const logs = Object.entries(minutes).map(([host, at]) =>
    writeLog(
      folder,
      `${host}.json`,
      at.map((minute) =>
        eventLine({
          ts: MIDNIGHT + BigInt(minute) * MINUTE,
          host,
          subj: process(`p-${host}`, { name: 'sh' }),
          obj: file(`f-${host}`, { name: '/tmp/x' }),
        }),
      ),
    ),
  );
  await ingestFiles(logs, { store, append: true, threads: 0 });
  const opened = await Store.open(store);
  const events = await loadEvents(opened, {});
  const planned = planGraphs(opened, events, { graph, window: 30 });
  const spans: Record<string, number> = {};
  planned.titles.forEach((title, number) => {
    const rows = Int32Array.from(planned.graphOf.keys()).filter((row) => planned.graphOf[row] === number);
    spans[title.replace(/^(\S+) \S*T(\d\d:\d\d).*$/, '$1 $2')] = spanOf(planned, rows) / Number(MINUTE);
  });
  return spans;
}

test('a window covers all of its time between the first and the last event of its host', async () => {
  expect(await plan({ a: [10, 12, 40, 41, 130, 140], b: [20, 70] }, 'window')).toEqual({
    'a 00:00': 20, // from its first event
    'a 00:30': 30, // including quiet time
    'a 02:00': 20, // to its last
    'b 00:00': 10,
    'b 01:00': 10,
  });
});

test('a file covers the time from its first to its last event', async () => {
  expect(await plan({ a: [10, 12, 140], b: [20, 70] }, 'file')).toEqual({ 'a.json': 130, 'b.json': 50 });
});
