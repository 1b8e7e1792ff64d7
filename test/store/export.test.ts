import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { exportEvents } from '../../src/store/export.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { Store } from '../../src/store/store.js';
import { newFolder, sharedFolder } from '../folders.js';
import { entitiesOf, eventLine, eventsOf, file, MIDNIGHT, process, writeLog } from './small-logs.js';

const folder = sharedFolder();
const at = (second: number) => MIDNIGHT + BigInt(second) * 1_000_000_000n;
const known = (name: string | undefined) => (name === undefined ? {} : { name });
const line = (second: number, name?: string, path?: string) =>
  eventLine({ ts: at(second), subj: process('p', known(name)), obj: file('f', known(path)) });

beforeAll(async () => {
  const parts = {
    train: [line(0), line(1, 'sh'), line(2), line(3, 'vi'), line(4)],
    test: [line(10), line(11, 'implant', '/tmp/x'), line(12)],
  };
  for (const [split, lines] of Object.entries(parts)) {
    const log = writeLog(folder, `${split}.ndjson`, lines);
    await ingestFiles([log], { store: join(folder, 'store'), split, append: true, threads: 0 });
  }
});

async function exported(selection: { split?: string } = {}): Promise<string[]> {
  const lines: string[] = [];
  for await (const each of exportEvents(await Store.open(join(folder, 'store')), selection)) lines.push(each);
  return lines;
}

async function names(selection: { split?: string } = {}) {
  const events = (await exported(selection)).map((each) => JSON.parse(each));
  return events.map(({ subj, obj }) => [subj.name, obj.name]);
}

test('each event has the names that were known at it, and none that came later', async () => {
  expect(await names({ split: 'train' })).toEqual([
    [undefined, undefined],
    ['sh', undefined],
    ['sh', undefined],
    ['vi', undefined],
    ['vi', undefined],
  ]);
});

test('a later part knows what an earlier one stated', async () => {
  const test = [
    ['vi', undefined],
    ['implant', '/tmp/x'],
    ['implant', '/tmp/x'],
  ];
  expect(await names({ split: 'test' })).toEqual(test);
  expect((await names()).slice(5)).toEqual(test);
});

test('the lines can be ingested again, to the same events and entities', async () => {
  const other = newFolder();
  const log = writeLog(
    other,
    'all.ndjson',
    (await exported()).map((each) => each.trimEnd()),
  );
  const store = join(other, 'store');
  await ingestFiles([log], { store, threads: 0 });
  expect(await eventsOf(store)).toEqual(await eventsOf(join(folder, 'store')));
  expect(await entitiesOf(store)).toEqual(await entitiesOf(join(folder, 'store')));
});
