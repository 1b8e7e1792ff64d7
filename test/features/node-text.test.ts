import { join } from 'node:path';
import { expect, test } from 'vitest';
import { learnNodeText, type NodeText, readNodeText } from '../../src/features/node-text.js';
import { UNKNOWN, Vocabulary } from '../../src/features/vocabulary.js';
import { ENTITY_TYPES } from '../../src/ingest/event.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { newFolder } from '../folders.js';
import { entityLine, eventLine, file, MIDNIGHT, process, uuid, writeLog } from '../store/small-logs.js';

test('types and names come from the merged entities, for the nodes of the events only', async () => {
  const folder = newFolder();
  const store = join(folder, 'store');
  const [byUuid, byText] = [uuid(7), 'plain id'];
  const log = writeLog(folder, 'log.json', [
    entityLine(process(byUuid, { name: 'old' })),
    eventLine({ subj: process(byUuid), obj: file(byText, { name: '/etc/passwd' }) }),
    eventLine({
      ts: MIDNIGHT + 1n,
      subj: process(byUuid, { name: 'sh', cmd: 'sh -c id' }),
      obj: { id: 'bare' },
    }),
    // An entity of another host with the same identifier, and an entity without events.
    eventLine({ ts: MIDNIGHT + 2n, host: 'i', subj: process(byUuid, { name: 'other' }) }),
    entityLine(file('untouched', { name: '/never' })),
  ]);
  await ingestFiles([log], { store, threads: 0 });
  const opened = await Store.open(store);
  const events = await loadEvents(opened, { host: 'h' });
  const { text, vocabulary } = await learnNodeText(opened, events);
  const words = (from: NodeText, node: number) =>
    Array.from(from.tokensOf(node), (number) => vocabulary.tokens[number]);
  const types = Array.from({ length: 3 }, (_, node) => ENTITY_TYPES[text.typeOf(node)]);
  expect(types).toEqual(['process', 'file', 'other']);
  // Each token is in one entity only.
  expect(vocabulary.tokens).toEqual([UNKNOWN]);
  expect(words(text, 0)).toHaveLength(4);
  expect(words(text, 2)).toEqual([]);
  const known = new Vocabulary([UNKNOWN, 'etc', 'sh'], new Uint32Array(3));
  const read = await readNodeText(opened, events, known);
  expect(Array.from(read.tokensOf(0))).toEqual([2, 2, 0, 0]);
  expect(Array.from(read.tokensOf(1))).toEqual([1, 0]);
});
