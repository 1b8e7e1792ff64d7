import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chiSquareLogSurvival } from '../../../src/detect/calibration/log-survival.js';
import { joinLineage, traceLineage } from '../../../src/detect/fusion/lineage.js';
import type { GraphView } from '../../../src/detect/graph-view.js';

const PRICE = 1.5;

type Act = readonly [actor: number, object: number];

function viewOf(acts: readonly Act[], nodeCount: number): GraphView {
  const { length } = acts;
  return {
    planned: { nodes: new Int32Array(nodeCount) },
    interactions: {
      length,
      subject: Int32Array.from(acts, ([actor]) => actor),
      object: Int32Array.from(acts, ([, object]) => object),
      relation: new Uint16Array(length),
    },
  } as unknown as GraphView;
}

/** The best over all paths of up to eight acts, by recursion. */
function bestInherited(acts: readonly Act[], own: readonly number[], node: number, steps = 8): number {
  const distinct = [...new Map(acts.filter(([u, v]) => u !== v).map((act) => [act.join(), act])).values()];
  const objectsOf = (u: number) => distinct.filter(([actor]) => actor === u).length;
  const actorsOn = (v: number) => distinct.filter(([, object]) => object === v).length;
  if (steps === 0) return 0;
  return distinct
    .filter(([, object]) => object === node)
    .reduce((best, [actor]) => {
      const p = Math.exp(-Math.max(own[actor], bestInherited(acts, own, actor, steps - 1)));
      const choices = (objectsOf(actor) * actorsOn(node)) ** PRICE;
      return Math.max(best, -Math.log(-Math.expm1(choices * Math.log1p(-p))));
    }, 0);
}

describe('lineage', () => {
  const nodes = 5;
  const acts = fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: 8 });
  const scores = fc.array(fc.double({ min: 0.01, max: 30, noNaN: true }), {
    minLength: nodes,
    maxLength: nodes,
  });

  test('is the best over all chains of acts, corrected for the number of choices', () => {
    fc.assert(
      fc.property(acts, scores, (list, own) => {
        const { inherited } = traceLineage(viewOf(list, nodes), Float64Array.from(own), PRICE);
        for (let v = 0; v < nodes; v++) expect(inherited[v]).toBeCloseTo(bestInherited(list, own, v), 9);
      }),
      { numRuns: 60 },
    );
  });

  test('does not depend on the order of acts', () => {
    fc.assert(
      fc.property(acts, scores, (list, own) => {
        const one = traceLineage(viewOf(list, nodes), Float64Array.from(own), PRICE);
        const two = traceLineage(viewOf([...list].reverse(), nodes), Float64Array.from(own), PRICE);
        expect(two).toEqual(one);
      }),
    );
  });

  test('names the actor; a node that acts on none passes nothing on', () => {
    const { inherited, from } = traceLineage(viewOf([[0, 1]], 3), Float64Array.of(20, 1, 30), PRICE);
    expect([...from]).toEqual([-1, 0, -1]);
    expect(inherited[1]).toBeCloseTo(20, 12); // one object and one actor: no correction
  });

  test('a hub passes on less to each object', () => {
    const few = traceLineage(viewOf([[0, 1]], 12), new Float64Array(12).fill(10), 1).inherited[1];
    const many: Act[] = Array.from({ length: 10 }, (_, i) => [0, i + 1]);
    expect(traceLineage(viewOf(many, 12), new Float64Array(12).fill(10), 1).inherited[1]).toBeCloseTo(
      few - Math.log(10),
      3, // 1 − (1 − p)^n is a little less than n·p
    );
  });
});

test('own and inherited evidence are fused as two, and never score below the own evidence', () => {
  expect(joinLineage(5, 0)).toBe(5);
  expect(joinLineage(5, 7)).toBeCloseTo(-chiSquareLogSurvival(24, 2), 12);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 500 }), fc.double({ min: 0, max: 500 }), (own, inherited) => {
      fc.pre(!Number.isNaN(own) && !Number.isNaN(inherited));
      expect(joinLineage(own, inherited)).toBeGreaterThanOrEqual(own);
    }),
  );
});
