import { describe, expect, test } from 'vitest';
import { FeatureSpace, type FeatureSpaceParts } from '../../src/features/feature-space.js';
import { NodeText } from '../../src/features/node-text.js';
import type { SparseMatrix } from '../../src/features/sparse.js';
import { UNKNOWN, Vocabulary } from '../../src/features/vocabulary.js';
import { ENTITY_TYPES } from '../../src/ingest/event.js';

const T = ENTITY_TYPES.length;
const D2 = 2;
const vocabulary = new Vocabulary([UNKNOWN, 'usr', 'bin'], Uint32Array.of(1, 2, 2));

function spaceWith(over: Partial<FeatureSpaceParts> = {}): FeatureSpace {
  return new FeatureSpace({
    relations: ['READ', 'WRITE'],
    vocabulary,
    dimension: D2,
    history: 20,
    decay: 0,
    vectors: Float32Array.of(1, 1, 3, 0, 0, 4),
    input: 'raw',
    target: 'raw',
    ...over,
  });
}

/** Node 0 is a file with two tokens, 1 a process without tokens, 2 is unknown, 3 a flow with an unknown token. */
const text = new NodeText(
  Uint8Array.from(['file', 'process', 'other', 'flow'], (type) => ENTITY_TYPES.indexOf(type as never)),
  { offsets: Uint32Array.of(0, 2, 2, 2, 3), tokens: Uint32Array.of(1, 2, 0) },
);

/** READ WRITE WRITE and a relation that is not in training. */
function profileOf(space: FeatureSpace) {
  const profile = space.newProfile();
  const numbers = space.relationNumbers(['EXECUTE', 'READ', 'WRITE']);
  expect([...numbers]).toEqual([2, 0, 1]);
  for (const [time, relation] of [1, 2, 2, 0].entries()) profile.push(numbers[relation], time, 1, 0, -1);
  return profile;
}

function dense({ rows, cols, offsets, indices, values }: SparseMatrix): number[][] {
  return Array.from({ length: rows }, (_, row) => {
    const line = new Array(cols).fill(0);
    for (let i = offsets[row]; i < offsets[row + 1]; i++) line[indices[i]] = values[i];
    return line;
  });
}

/** Builds a row from its blocks. */
const row = (type: string, s: number[], p: Record<number, number>) => [
  ...ENTITY_TYPES.map((each) => (each === type ? 1 : 0)),
  ...s,
  ...Array.from({ length: 9 }, (_, i) => p[i] ?? 0),
];

const transitions = { [0 * 3 + 1]: 1, [1 * 3 + 1]: 1, [1 * 3 + 2]: 1 };

describe('x_v = t_v ⊕ s_v ⊕ p_v', () => {
  test('raw: the blocks are not scaled', () => {
    const space = spaceWith();
    expect(space.width).toBe(T + D2 + 9);
    const { input, target } = space.assemble(Int32Array.of(3, 0, 1, 2), text, profileOf(space));
    expect(target).toBe(input);
    expect(dense(input)).toEqual([
      row('flow', [1, 1], {}),
      row('file', [1.5, 2], transitions),
      row('process', [0, 0], transitions),
      row('other', [0, 0], {}),
    ]);
  });

  test('unit: each block has length one, and input and target may differ', () => {
    const space = spaceWith({ target: 'unit' });
    const { input, target } = space.assemble(Int32Array.of(0, 2), text, profileOf(space));
    expect(dense(input)[0]).toEqual(row('file', [1.5, 2], transitions));
    const part = Math.fround(1 / Math.sqrt(3));
    const scaled = Object.fromEntries(Object.keys(transitions).map((key) => [key, part]));
    expect(dense(target)).toEqual([
      row('file', [Math.fround(0.6), Math.fround(0.8)], scaled),
      row('other', [0, 0], {}),
    ]);
    expect(target.indices).toEqual(input.indices);
  });

  test('a node without tokens has a zero vector, a node with an unknown token does not', () => {
    const space = spaceWith();
    const { input } = space.assemble(Int32Array.of(1, 3), text, space.newProfile());
    expect(input.offsets).toEqual(Uint32Array.of(0, 1, 1 + 1 + D2));
  });

  test('columns are ascending within a row', () => {
    const space = spaceWith();
    const { input } = space.assemble(Int32Array.of(0, 1, 2, 3), text, profileOf(space));
    for (let v = 0; v < input.rows; v++) {
      const columns = input.indices.subarray(input.offsets[v], input.offsets[v + 1]);
      expect([...columns]).toEqual([...columns].sort((a, b) => a - b));
    }
  });

  test('the arrays grow for rows with many transitions', () => {
    const space = spaceWith({ relations: Array.from({ length: 30 }, (_, i) => `R${i}`), history: 40 });
    const profile = space.newProfile();
    for (let i = 0; i < 4000; i++) profile.push((i * 7 + (i % 11)) % 31, i, i % 100, -1, -1);
    const types = new Uint8Array(100);
    const sentences = { offsets: new Uint32Array(101), tokens: new Uint32Array(0) };
    const nodes = Int32Array.from({ length: 100 }, (_, i) => i);
    const { input } = space.assemble(nodes, new NodeText(types, sentences), profile);
    expect(input.offsets[100]).toBe(input.indices.length);
    expect(input.values.length).toBe(input.indices.length);
    expect(input.values.every((value) => value > 0)).toBe(true);
  });
});

test('vectors that do not match the vocabulary are refused', () => {
  expect(() => spaceWith({ vectors: new Float32Array(5) })).toThrow(RangeError);
});
