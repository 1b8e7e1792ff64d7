import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NodeHistory } from '../../src/graph/node-history.js';
import { readNodeNames } from '../../src/graph/node-names.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { newFolder } from '../folders.js';
import { eventLine, file, MIDNIGHT, process, uuid, writeLog } from '../store/small-logs.js';

const P = uuid(1);
const at = (second: number) => MIDNIGHT + BigInt(second) * 1_000_000_000n;
const named = (name: string, second: number) =>
  eventLine({ ts: at(second), subj: process(P, { name }), obj: file(uuid(second + 10)) });

async function storeOf(parts: Record<string, string[]>): Promise<Store> {
  const folder = newFolder();
  const store = join(folder, 'store');
  for (const [split, lines] of Object.entries(parts)) {
    await ingestFiles([writeLog(folder, `${split}.json`, lines)], { store, split, append: true, threads: 0 });
  }
  return Store.open(store);
}

async function namesByEvent(store: Store, split: string): Promise<(string | undefined)[]> {
  const events = await loadEvents(store, { split });
  const history = await NodeHistory.read(store, events);
  const found: (string | undefined)[] = [];
  history.walk(events.table.length, (row, { names, texts }) => {
    found.push(texts[names[events.table.subject[row]]]);
  });
  return found;
}

test('a process has the name of the program that it runs at each event, also when a name comes back', async () => {
  const names = ['sh', 'sh', 'vi', 'vi', 'sh', 'ls', 'sh'];
  const store = await storeOf({ train: names.map((name, i) => named(name, i)) });
  expect(await namesByEvent(store, 'train')).toEqual(names);
});

test('a part does not know the names that a later part states', async () => {
  const store = await storeOf({ train: [named('sh', 0)], test: [named('implant', 60)] });
  const nameIn = async (split: string) => {
    const names = await readNodeNames(store, await loadEvents(store, { split }));
    return names.texts[names.name[0]];
  };
  expect(await nameIn('train')).toBe('sh');
  expect(await nameIn('test')).toBe('implant');
});

test('a later part knows the names of an earlier one', async () => {
  const nameless = eventLine({ ts: at(60), subj: process(P), obj: file(uuid(9)) });
  const store = await storeOf({ train: [named('sh', 0)], test: [nameless] });
  expect(await namesByEvent(store, 'test')).toEqual(['sh']);
});
