import { describe, expect, test } from 'vitest';
import { hashBehaviours } from '../../../src/evaluate/metrics/behaviour-hash.js';
import { NodeText } from '../../../src/features/node-text.js';
import { SentenceTable } from '../../../src/features/sentences.js';
import type { LoadedEvents } from '../../../src/store/load.js';

interface Row {
  readonly at?: number;
  readonly subject: number;
  readonly object: number;
  readonly relation?: number;
}

const NODES = 6;

function hashesOf(rows: readonly Row[], tokens: readonly number[][] = [], types: readonly number[] = []) {
  const column = (value: (row: Row) => number) => Int32Array.from(rows, value);
  const table = {
    length: rows.length,
    nodeCount: NODES,
    relations: ['open', 'read', 'write'],
    ts: BigInt64Array.from(rows, ({ at = 0 }, i) => BigInt(Math.round(at * 1e9)) + BigInt(i)),
    seq: new BigInt64Array(rows.length),
    subject: column(({ subject }) => subject),
    object: column(({ object }) => object),
    object2: new Int32Array(rows.length).fill(-1),
    relation: Uint16Array.from(rows, ({ relation = 0 }) => relation),
    flow: new Uint8Array(rows.length),
  };
  const sentences = new SentenceTable(NODES, Number);
  tokens.forEach((sentence, node) => {
    sentences.set(node, sentence.map(String));
  });
  const nodeTypes = Uint8Array.from({ length: NODES }, (_, node) => types[node] ?? 0);
  const text = new NodeText(nodeTypes, sentences.finish());
  const words = hashBehaviours({ table } as unknown as LoadedEvents, text, {
    history: 20,
    decay: Math.LN2 / 900,
  });
  return Array.from({ length: NODES }, (_, node) => `${words[2 * node]} ${words[2 * node + 1]}`);
}

describe('hashBehaviours', () => {
  test('nodes with the same events share a behaviour', () => {
    const hashes = hashesOf([
      { subject: 0, object: 2 },
      { subject: 1, object: 3 },
      { subject: 0, object: 4, relation: 1 },
      { subject: 1, object: 5, relation: 1 },
    ]);
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[2]).toBe(hashes[3]);
    expect(hashes[4]).toBe(hashes[5]);
    expect(new Set(hashes).size).toBe(3); // roles and relations differ
  });

  test('type and tokens change the behaviour; the order of tokens does not', () => {
    const rows = [0, 1].map((subject) => ({ subject, object: 2 }));
    const differ = (tokens: number[][], types: number[] = []) => {
      const hashes = hashesOf(rows, tokens, types);
      return hashes[0] !== hashes[1];
    };
    expect(
      differ([
        [1, 2],
        [2, 1],
      ]),
    ).toBe(false);
    expect(
      differ([
        [1, 2],
        [1, 3],
      ]),
    ).toBe(true);
    expect(differ([[1, 1], [1]])).toBe(true);
    expect(differ([], [1, 2])).toBe(true);
  });

  test('the order of relations changes the behaviour; small differences in time do not', () => {
    const twice = (gap: number) => (subject: number) => [
      { subject, object: 4, at: 0 },
      { subject, object: 4, relation: 1, at: gap },
    ];
    const near = hashesOf([...twice(0.001)(0), ...twice(0.002)(1)].sort((a, b) => a.at - b.at));
    expect(near[0]).toBe(near[1]);
    const far = hashesOf([...twice(0.001)(0), ...twice(3600)(1)].sort((a, b) => a.at - b.at));
    expect(far[0]).toBe(far[1]); // a single transition has weight 1, whatever its age
    const turned = hashesOf([
      { subject: 0, object: 4 },
      { subject: 1, object: 5, relation: 1 },
      { subject: 0, object: 4, relation: 1 },
      { subject: 1, object: 5 },
    ]);
    expect(turned[0]).not.toBe(turned[1]);
  });
});
