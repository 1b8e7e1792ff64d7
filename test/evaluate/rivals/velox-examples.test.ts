import { describe, expect, test } from 'vitest';
import type { GraphView } from '../../../src/detect/graph-view.js';
import { VeloxExamples } from '../../../src/evaluate/rivals/velox-examples.js';

/** A graph whose nodes have one feature and one column of the profile. */
function viewOf(
  features: readonly number[],
  acts: readonly (readonly [subject: number, relation: number, object: number])[],
): GraphView {
  return {
    planned: {
      graph: {
        features: {
          rows: features.length,
          cols: 9,
          offsets: Uint32Array.from({ length: features.length + 1 }, (_, i) => 2 * i),
          indices: Uint32Array.from(features.flatMap(() => [0, 5])),
          values: Float32Array.from(features.flatMap((value, i) => [value, i])),
        },
      },
    },
    interactions: {
      length: acts.length,
      subject: acts.map(([s]) => s),
      relation: acts.map(([, r]) => r),
      object: acts.map(([, , o]) => o),
    },
  } as unknown as GraphView;
}

describe('VeloxExamples', () => {
  const first = viewOf(
    [1, 2, 1],
    [
      [0, 0, 1],
      [2, 1, 1],
      [0, 0, 1],
      [1, 0, 0],
      [1, 2, 0],
    ],
  );
  const second = viewOf([2, 3], [[0, 1, 1]]);

  test('merges nodes that differ in their profile only, and counts relations of pairs', () => {
    const examples = new VeloxExamples(2, 1).add([first]);
    expect(examples.total).toBe(4); // relation 2 is unknown
    expect([...examples.rows.values]).toEqual([1, 2]);
    const { length, subject, object, offsets, relation, share } = examples.pairs;
    expect(length).toBe(2);
    expect([...Array.from(subject), ...Array.from(object)]).toEqual([0, 1, 1, 0]);
    expect([...offsets]).toEqual([0, 2, 3]);
    expect([...relation]).toEqual([0, 1, 0]);
    expect([...share]).toEqual([0.5, 0.25, 0.25]);
  });

  test('gives the same result if graphs are added later', () => {
    const [once, later] = [new VeloxExamples(2, 1), new VeloxExamples(2, 1)];
    once.add([first, second]);
    later.add([first]);
    expect(later.pairs.length).toBe(2);
    later.add([second]);
    expect(later.pairs).toEqual(once.pairs);
    expect(later.rows).toEqual(once.rows);
    expect(later.pairs.length).toBe(3);
  });
});
