import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SentenceTable } from '../../src/features/sentences.js';
import { UNKNOWN, Vocabulary, VocabularyBuilder } from '../../src/features/vocabulary.js';

/** Learns a vocabulary and returns the sentences as text. */
function learn(entities: readonly (readonly string[])[], order = entities.map((_, row) => row)) {
  const builder = new VocabularyBuilder(entities.length);
  for (const row of order) builder.add(row, entities[row]);
  const { vocabulary, sentences } = builder.finish();
  const words = entities.map((_, row) =>
    Array.from(
      sentences.tokens.subarray(sentences.offsets[row], sentences.offsets[row + 1]),
      (number) => vocabulary.tokens[number],
    ),
  );
  return { vocabulary, words };
}

test('a token in fewer than two entities is <unk>, however often one entity repeats it', () => {
  const { vocabulary, words } = learn([['usr', 'bin', 'sh'], ['usr', 'once', 'once'], [], ['bin', 'usr']]);
  expect(vocabulary.tokens).toEqual([UNKNOWN, 'usr', 'bin']);
  expect([...vocabulary.counts]).toEqual([2, 3, 2]);
  expect(words).toEqual([['usr', 'bin', UNKNOWN], ['usr', UNKNOWN, UNKNOWN], [], ['bin', 'usr']]);
  expect(vocabulary.numberOf('later')).toBe(0);
});

test('a file named <unk> and names of built-in object properties are ordinary names', () => {
  const entity = [UNKNOWN, 'constructor', '__proto__'];
  const { vocabulary, words } = learn([entity, entity]);
  expect(vocabulary.tokens).toEqual([UNKNOWN, '__proto__', 'constructor']);
  expect(words[0]).toEqual(entity);
  expect(vocabulary.numberOf('toString')).toBe(0);
});

test('the order of entities does not matter', () => {
  const entities = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 5 }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(entities, fc.infiniteStream(fc.nat()), (list, draws) => {
      const order = list
        .map((_, row) => ({ row, key: draws.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ row }) => row);
      expect(learn(list, order)).toEqual(learn(list));
    }),
  );
});

test('the tables grow for many tokens and entities', () => {
  const entities = Array.from({ length: 3000 }, (_, i) => [`a${i}`, `a${(i + 1) % 3000}`, 'all']);
  const { vocabulary, words } = learn(entities);
  expect(vocabulary.size).toBe(3002);
  expect(words).toEqual(entities);
});

test('an invalid vocabulary is refused', () => {
  expect(() => new Vocabulary(['a'], Uint32Array.of(1))).toThrow(RangeError);
  expect(() => new Vocabulary([UNKNOWN, 'a', 'a'], new Uint32Array(3))).toThrow(RangeError);
  expect(() => new Vocabulary([UNKNOWN], new Uint32Array(3))).toThrow(RangeError);
});

test('a row that is never set is empty', () => {
  const table = new SentenceTable(3, (token) => token.length);
  table.set(1, ['a', 'bb']);
  expect(table.finish()).toEqual({ offsets: Uint32Array.of(0, 0, 2, 2), tokens: Uint32Array.of(1, 2) });
});
