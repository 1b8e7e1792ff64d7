import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type NodeAttributes, readNodeAttributes } from '../../src/graph/node-attributes.js';
import { NodeHistory } from '../../src/graph/node-history.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { loadEvents } from '../../src/store/load.js';
import { type Selection, Store } from '../../src/store/store.js';
import { newFolder } from '../folders.js';
import { entityLine, eventLine, MIDNIGHT, process, uuid, writeLog } from '../store/small-logs.js';

const P = uuid(1);
const at = (second: number) => MIDNIGHT + BigInt(second) * 1_000_000_000n;
const stating = (second: number, more: { name?: string; cmd?: string }) =>
  eventLine({ ts: at(second), subj: process(P, more) });

/** A store of these logs, each with a split of its own: 0, 1, … */
async function storeOf(...logs: string[][]): Promise<Store> {
  const folder = newFolder();
  const store = join(folder, 'store');
  for (const [split, lines] of logs.entries()) {
    const log = writeLog(folder, `${split}.json`, lines);
    await ingestFiles([log], { store, split: String(split), append: true, threads: 0 });
  }
  return Store.open(store);
}

/** What the process is known as at the end of a selection. */
async function known(store: Store, selection: Selection): Promise<NodeAttributes | undefined> {
  const found: NodeAttributes[] = [];
  for await (const each of readNodeAttributes(store, await loadEvents(store, selection))) found.push(...each);
  return found.find(({ type }) => type === 'process');
}

test('a selection by time does not know the names that the same log states later', async () => {
  const store = await storeOf([
    stating(0, { name: 'sh' }),
    stating(10, {}),
    stating(60, { name: 'implant' }),
  ]);
  expect((await known(store, { to: at(30) }))?.name).toBe('sh');
  expect((await known(store, {}))?.name).toBe('implant');
});

test('a statement that is repeated later is no newer than one that came after its beginning', async () => {
  const store = await storeOf(
    ['a', 'b', 'b', 'a'].map((cmd, i) => stating(10 * i, { name: 'sh', cmd: `sh -c ${cmd}` })),
  );
  expect((await known(store, { to: at(15) }))?.cmd).toBe('sh -c b');
});

test('records before the first event of a later log are not known in an earlier part', async () => {
  // More than one block of records, as at the beginning of real CDM logs: they have no time of their own.
  const records = Array.from({ length: 5000 }, (_, i) =>
    entityLine(process(`other ${i}`, { cmd: 'x'.repeat(1000) })),
  );
  const store = await storeOf(
    [stating(0, {}), stating(10, {})],
    [entityLine(process(P, { name: 'implant' })), ...records, stating(60, {})],
  );
  expect((await known(store, { split: '0' }))?.name).toBeUndefined();
  expect((await known(store, { split: '1' }))?.name).toBe('implant');
  const history = await NodeHistory.read(store, await loadEvents(store, { split: '0' }));
  expect(history.texts).toEqual([]);
});
