import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { splitByTime } from '../../../src/evaluate/e3/time-splits.js';
import { nameOf, readNodeNames } from '../../../src/graph/node-names.js';
import { ingestFiles } from '../../../src/store/ingest.js';
import { loadEvents } from '../../../src/store/load.js';
import { Store } from '../../../src/store/store.js';
import { sharedFolder } from '../../folders.js';
import { eventLine, file, MIDNIGHT, process, uuid } from '../../store/small-logs.js';

const HOUR = 3_600_000_000_000n;

const folder = sharedFolder();
const store = join(folder, 'store');
const times: bigint[] = [];
beforeAll(async () => {
  // Ten days with an event every 67 minutes. Only the first file names the programs.
  for (let at = 0n; at < 240n * HOUR; at += 4_020_000_000_000n) times.push(MIDNIGHT + at);
  const lines = times.map((ts, i) =>
    eventLine({
      ts,
      rel: 'EVENT_READ',
      subj: process(uuid(i % 5), i < 5 ? { name: `program-${i}` } : {}),
      obj: file(uuid(100 + (i % 7)), {}),
    }),
  );
  await writeFile(join(folder, 'one.ndjson'), `${lines.slice(0, 90).join('\n')}\n`);
  await writeFile(join(folder, 'two.ndjson'), `${lines.slice(90).join('\n')}\n`);
  await ingestFiles([join(folder, 'one.ndjson'), join(folder, 'two.ndjson')], { store, threads: 0 });
});

describe('splitByTime', () => {
  const day = (number: number) => MIDNIGHT + BigInt(number * 24 + 4) * HOUR;
  const splits = [
    {
      name: 'train',
      ranges: [
        { from: day(0), to: day(2) },
        { from: day(3), to: day(5) },
      ],
    },
    { name: 'calibrate', ranges: [{ from: day(2), to: day(3) }] },
    { name: 'test', ranges: [{ from: day(6), to: day(9) }] },
  ];
  const inside = (name: string) =>
    times.filter((ts) =>
      splits.some(
        (split) => split.name === name && split.ranges.some(({ from, to }) => ts >= from && ts < to),
      ),
    );

  test('puts each event into the split of its time, and into one only', async () => {
    const { outside, done } = await splitByTime(store, splits);
    expect(done).toBe('split');
    const all = splits.flatMap(({ name }) => inside(name));
    expect(outside).toBe(times.length - all.length);
    const opened = await Store.open(store);
    expect(opened.splits).toEqual(['calibrate', 'test', 'train']);
    for (const { name } of splits) {
      const events = await loadEvents(opened, { split: name });
      expect([...events.table.ts]).toEqual(inside(name));
      expect(new Set(events.files).size).toBe(name === 'train' ? 2 : 1);
    }
  });

  test('keeps names that only another split defines', async () => {
    const opened = await Store.open(store);
    const events = await loadEvents(opened, { split: 'test' });
    const names = await readNodeNames(opened, events);
    const known = Array.from(names.types, (_, v) => nameOf(names, v));
    expect(known.filter((name) => name?.startsWith('program-')).sort()).toHaveLength(5);
  });

  test('changes nothing when repeated; a split without events is an error and changes nothing', async () => {
    const before = (await Store.open(store)).manifest;
    expect(await splitByTime(store, splits)).toMatchObject({
      done: 'unchanged',
      outside: expect.any(Number),
    });
    expect((await Store.open(store)).manifest).toEqual(before);
    const later = [{ name: 'later', ranges: [{ from: day(50), to: day(51) }] }];
    await expect(splitByTime(store, later)).rejects.toMatchObject({ code: 'nothing-selected' });
    expect((await Store.open(store)).manifest).toEqual(before);
  });

  test('splits events that are ingested later, once', async () => {
    const later: bigint[] = [];
    for (const number of [1, 2, 7, 20]) later.push(day(number) + HOUR / 2n);
    const lines = later.map((ts) =>
      eventLine({ ts, rel: 'EVENT_WRITE', subj: process(uuid(1)), obj: file(uuid(100)) }),
    );
    await writeFile(join(folder, 'three.ndjson'), `${lines.join('\n')}\n`);
    const before = await splitByTime(store, splits);
    await ingestFiles([join(folder, 'three.ndjson')], { store, threads: 0, append: true, split: 'other' });
    expect(await splitByTime(store, splits)).toEqual({ done: 'split', outside: before.outside + 1 });
    times.push(...later);
    times.sort((a, b) => Number(a - b));
    const opened = await Store.open(store);
    for (const { name } of splits) {
      expect([...(await loadEvents(opened, { split: name })).table.ts]).toEqual(inside(name));
    }
    expect(await splitByTime(store, splits)).toEqual({ done: 'unchanged', outside: before.outside + 1 });
  });
});
