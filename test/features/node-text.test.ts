import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveText, learnNodeText, readNodeText, type StoredText } from '../../src/features/node-text.js';
import { SentenceTable } from '../../src/features/sentences.js';
import { type Attributes, tokenise } from '../../src/features/tokens.js';
import { UNKNOWN, Vocabulary } from '../../src/features/vocabulary.js';
import { ENTITY_TYPES } from '../../src/ingest/event.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { loadEvents } from '../../src/store/load.js';
import { Store } from '../../src/store/store.js';
import { newFolder } from '../folders.js';
import { entityLine, eventLine, file, MIDNIGHT, process, uuid, writeLog } from '../store/small-logs.js';

test('types and names come from the store, merged, for the nodes of the events alone', async () => {
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
    // Another host's entity of the same name, and one that no event touches.
    eventLine({ ts: MIDNIGHT + 2n, host: 'i', subj: process(byUuid, { name: 'other' }) }),
    entityLine(file('untouched', { name: '/never' })),
  ]);
  await ingestFiles([log], { store, threads: 0 });
  const opened = await Store.open(store);
  const events = await loadEvents(opened, { host: 'h' });
  const { text, vocabulary } = await learnNodeText(opened, events);
  const words = (from: StoredText, node: number) =>
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

test('live: whatever was said before and in whatever order, the last word counts', () => {
  const vocabulary = new Vocabulary([UNKNOWN, 'a', 'b', 'c'], new Uint32Array(4));
  const attributes: fc.Arbitrary<Attributes> = fc.record({
    type: fc.constantFrom(...ENTITY_TYPES),
    name: fc.option(fc.stringMatching(/^[abcd/]{0,8}$/), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3000), attributes), { maxLength: 60 }), (said) => {
      const live = new LiveText(vocabulary);
      for (const [node, each] of said) live.set(node, each);
      for (const [node, last] of new Map(said)) {
        expect(live.typeOf(node)).toBe(ENTITY_TYPES.indexOf(last.type));
        const numbers = tokenise(last).map((token) => vocabulary.numberOf(token));
        expect(Array.from(live.tokensOf(node))).toEqual(numbers);
      }
      expect(live.typeOf(100_000)).toBe(ENTITY_TYPES.indexOf('other'));
      expect(live.tokensOf(100_000)).toHaveLength(0);
    }),
  );
});

test('replaced sentences do not pile up', () => {
  const table = new SentenceTable(2, (token) => token.length);
  for (let i = 0; i < 30_000; i++) table.set(0, ['a', 'bb', 'ccc', 'dddd', 'e', 'ff', 'ggg', 'hhhh']);
  table.set(5, ['zz']);
  expect(table.finish()).toEqual({
    offsets: Uint32Array.of(0, 8, 8, 8, 8, 8, 9),
    tokens: Uint32Array.of(1, 2, 3, 4, 1, 2, 3, 4, 2),
  });
});
