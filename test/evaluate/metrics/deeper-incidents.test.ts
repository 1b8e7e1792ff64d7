import { describe, expect, test } from 'vitest';
import { incidentsUntilAllAttacks } from '../../../src/evaluate/metrics/attack-metrics.js';
import { searchDeeper } from '../../../src/evaluate/metrics/deeper-incidents.js';
import { TOP_NODES, TopIncidents } from '../../../src/evaluate/metrics/top-incidents.js';
import { attacksOf } from '../samples.js';
import { runOf } from '../scored-samples.js';

const COUNT = 10 * TOP_NODES;
const nodes = Int32Array.from({ length: COUNT }, (_, node) => node);
/** Node v scores 1000 − v, so that it is at place v + 1. */
const scores = Float64Array.from(nodes, (node) => COUNT - node);

function search(
  attacked: Record<string, readonly number[]>,
  given: { scores?: Float64Array; parent?: Int32Array; ignored?: Uint8Array } = {},
) {
  const { ignored, parent, ...more } = given;
  const top = new TopIncidents(runOf(COUNT, [{ nodes, scores, ...more }], parent && { parent }).scored);
  const attacks = attacksOf(attacked);
  const found = incidentsUntilAllAttacks(top.form(), attacks, ignored)?.firstRank ?? [];
  return { found, deeper: searchDeeper(top, attacks, found, ignored) };
}

describe('searchDeeper', () => {
  test('finds attacks beyond the highest nodes, at the first depth that can find them', () => {
    const { found, deeper } = search({ high: [4], next: [120, 900], far: [611] });
    expect(found).toEqual([5, null, null]);
    expect(deeper).toEqual([
      null, // found already
      { incident: 121, incidents: 200, nodes: 200 },
      { incident: 612, incidents: 612, nodes: 612 },
    ]);
  });

  test('tells an attack that no incident finds from one that scores 0', () => {
    // Node 999 is the last child of a family of four; node 998 scores 0.
    const parent = new Int32Array(COUNT).fill(-1);
    for (const child of [996, 997, 999]) parent[child] = 995;
    const zero = scores.slice();
    zero[998] = 0;
    const { found, deeper } = search({ last: [999], zero: [998] }, { scores: zero, parent });
    expect(found).toEqual([null, null]);
    expect(deeper).toEqual([{ incident: null, incidents: 996, nodes: 999 }, null]);
  });

  test('counts no ignored nodes', () => {
    const ignored = new Uint8Array(COUNT).fill(1, 0, 50);
    const { deeper } = search({ next: [120] }, { ignored });
    expect(deeper).toEqual([{ incident: 71, incidents: 150, nodes: 200 }]);
  });

  test('searches all nodes if few score above 0', () => {
    const few = scores.map((score, node) => (node < 5 ? score : 0));
    const parent = new Int32Array(COUNT).fill(-1);
    for (const child of [1, 2, 3]) parent[child] = 0;
    const { found, deeper } = search({ fourth: [3], fifth: [4] }, { scores: few, parent });
    expect(found).toEqual([null, 2]);
    expect(deeper).toEqual([{ incident: null, incidents: 2, nodes: 5 }, null]);
  });
});
