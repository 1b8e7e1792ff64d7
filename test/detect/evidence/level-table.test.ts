import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  LevelCache,
  LevelTable,
  type LevelTableArrays,
  NodeLevels,
} from '../../../src/detect/evidence/level-table.js';
import { namesOf } from './named-views.js';

/** Any code unit, including lone surrogates. */
const CODE_UNIT = fc.nat(0xffff).map((code) => String.fromCharCode(code));

const NODES = [
  { type: 'file', name: '/etc/passwd' },
  { type: 'file', name: '/etc/group' },
  { type: 'process', name: 'sh' },
  { type: 'pipe' },
  { type: 'file', name: '/etc/passwd' },
] as const;

function learn(table: LevelTable): NodeLevels {
  const levels = new NodeLevels(namesOf(NODES), (parent, text) => table.intern(parent, text));
  for (let node = 0; node < NODES.length; node++) levels.entryOf(node);
  return levels;
}

test('names share common levels, and nodes of one name share all levels', () => {
  const table = new LevelTable();
  const levels = learn(table);
  const { texts, labels } = table.toArrays();
  const chain = (node: number) => {
    const entry = levels.entryOf(node);
    return Array.from({ length: levels.knownOf(entry) }, (_, i) => texts[labels[levels.levelAt(entry, i)]]);
  };
  expect(chain(0)).toEqual(['file', '/etc', '/etc/*', '/etc/passwd']);
  expect(chain(2)).toEqual(['process', 'sh']);
  expect(chain(3)).toEqual(['pipe']);
  expect(levels.entryOf(4)).toBe(levels.entryOf(0));
  expect(levels.levelAt(levels.entryOf(1), 2)).toBe(levels.levelAt(levels.entryOf(0), 2));
  expect(table.size).toBe(5 + 2 + 1);
  expect(Array.from(table.parents)).toEqual([-1, 0, 1, 2, 2, -1, 5, -1]);
});

test('a new name is known down to its last known level', () => {
  const table = new LevelTable();
  learn(table);
  const unseen = namesOf([
    { type: 'file', name: '/etc/shadow' },
    { type: 'flow', name: '10.0.0.1:1' },
    NODES[0],
  ]);
  const cache = new LevelCache(table);
  const levels = cache.of(unseen);
  expect(cache.of(unseen)).toBe(levels);
  const known = (node: number) => [
    levels.knownOf(levels.entryOf(node)),
    levels.depthOf(levels.entryOf(node)),
  ];
  expect([known(0), known(1), known(2)]).toEqual([
    [3, 4],
    [0, 5],
    [4, 4],
  ]);
  expect(levels.finest(levels.entryOf(0))).toBe(-1);
  const { texts, labels } = table.toArrays();
  expect(texts[labels[levels.finest(levels.entryOf(2))]]).toBe('/etc/passwd');
  expect(table.size).toBe(8);
  table.intern(-1, 'flow');
  expect(cache.of(unseen)).not.toBe(levels); // the cache is outdated
});

test('a full table treats new names as unseen', () => {
  const table = new LevelTable(3);
  const levels = learn(table);
  expect(levels.knownOf(levels.entryOf(0))).toBe(3);
  expect(levels.finest(levels.entryOf(0))).toBe(-1);
});

test('a table is read back from its arrays; damaged arrays are refused', () => {
  const table = new LevelTable();
  learn(table);
  const sound = table.toArrays();
  expect(LevelTable.fromArrays(sound).toArrays()).toEqual(sound);
  const refuse = (change: Partial<LevelTableArrays>) =>
    expect(() => LevelTable.fromArrays({ ...sound, ...change })).toThrow(
      expect.objectContaining({ code: 'model-damaged' }),
    );
  refuse({ texts: [...sound.texts, 'sh'] });
  refuse({ texts: sound.texts.slice(1) });
  refuse({ labels: sound.labels.slice(1) });
  refuse({ parents: sound.parents.map((parent, level) => (level === 3 ? 3 : parent)) });
  refuse({ parents: sound.parents.map((parent, level) => (level === 3 ? -2 : parent)) });
  refuse({ labels: sound.labels.map((label, level) => (level === 4 ? sound.labels[3] : label)) });
  const chain = Int32Array.from({ length: 6 }, (_, i) => i - 1);
  refuse({ parents: chain, labels: chain.map(() => 0) });
  fc.assert(
    fc.property(fc.array(fc.string({ unit: CODE_UNIT }), { maxLength: 5 }), (texts) => {
      const own = new LevelTable();
      let parent = -1;
      for (const text of texts) parent = own.intern(parent, text);
      const again = LevelTable.fromArrays(own.toArrays());
      texts.reduce((at, text) => {
        expect(again.find(at, text)).toBe(own.find(at, text));
        return own.find(at, text);
      }, -1);
    }),
  );
});
