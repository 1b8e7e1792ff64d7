import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NodeScoreCollector } from '../../../src/evaluate/metrics/node-scores.js';

const NODES = 6;

/** Random graphs over the same few nodes, with scores and distances. */
const graphs = fc.array(
  fc.uniqueArray(fc.integer({ min: 0, max: NODES - 1 }), { minLength: 1 }).chain((nodes) =>
    fc.record({
      nodes: fc.constant(Int32Array.from(nodes.sort((a, b) => a - b))),
      scores: fc.array(fc.constantFrom(0, 0, 0.5, 1, 2, 7.25), {
        minLength: nodes.length,
        maxLength: nodes.length,
      }),
      distances: fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), {
        minLength: nodes.length,
        maxLength: nodes.length,
      }),
    }),
  ),
  { maxLength: 6 },
);

describe('NodeScoreCollector', () => {
  test.each(['highest', 'corrected'] as const)('%s agrees with the definition', (over) => {
    fc.assert(
      fc.property(graphs, (given) => {
        const collector = new NodeScoreCollector(NODES, over);
        for (const { nodes, scores, distances } of given) {
          collector.add(nodes, {
            scores: Float64Array.from(scores),
            distances: Float64Array.from(distances),
          });
        }
        const { scores, ranking, candidates } = collector.finish();
        expect(candidates).toBeUndefined();
        const corrected = new Float64Array(NODES);
        const far = new Float64Array(NODES).fill(-1);
        for (let node = 0; node < NODES; node++) {
          const own = given.flatMap((graph) => {
            const at = graph.nodes.indexOf(node);
            return at < 0 ? [] : [{ score: graph.scores[at], distance: graph.distances[at] }];
          });
          const fix = over === 'highest' ? 0 : Math.log(Math.max(1, own.length));
          expect(scores[node]).toBe(Math.max(0, ...own.map(({ score }) => score)));
          corrected[node] = Math.max(0, scores[node] - fix);
          far[node] = Math.max(-1, ...own.map(({ distance }) => distance));
        }
        for (let a = 0; a < NODES; a++) {
          if (corrected[a] > 0) expect(ranking[a]).toBe(corrected[a]);
          else expect(ranking[a]).toBeLessThan(0);
          for (let b = 0; b < NODES; b++) {
            if (corrected[a] === 0 && corrected[b] === 0 && far[a] >= far[b]) {
              expect(ranking[a]).toBeGreaterThanOrEqual(ranking[b]);
            }
          }
        }
      }),
    );
  });

  test('distances rank the nodes that score 0', () => {
    const collector = new NodeScoreCollector(3, 'highest');
    collector.add(Int32Array.of(0, 1, 2), {
      scores: Float64Array.of(0, 0, 0),
      distances: Float64Array.of(3, 8, Number.NaN),
    });
    const { ranking } = collector.finish();
    expect(ranking[1]).toBeGreaterThan(ranking[0]);
    expect(ranking[0]).toBeGreaterThan(ranking[2]);
  });

  test('a candidate in one graph is a candidate', () => {
    const collector = new NodeScoreCollector(2, 'highest');
    const none = new Float64Array(2);
    collector.add(Int32Array.of(0, 1), { scores: none, candidates: Uint8Array.of(1, 0) });
    collector.add(Int32Array.of(0, 1), { scores: none, candidates: Uint8Array.of(0, 0) });
    expect(collector.finish().candidates).toEqual(Uint8Array.of(1, 0));
  });

  test('a node that inherits a score past the gate is a candidate', () => {
    const collector = new NodeScoreCollector(2, 'highest');
    collector.add(Int32Array.of(0, 1), { scores: Float64Array.of(0, 2), candidates: Uint8Array.of(0, 0) });
    expect(collector.finish().candidates).toEqual(Uint8Array.of(0, 1));
  });

  test('refuses a score that is NaN', () => {
    const collector = new NodeScoreCollector(1, 'highest');
    expect(() => collector.add(Int32Array.of(0), { scores: Float64Array.of(Number.NaN) })).toThrow('node 0');
  });
});
