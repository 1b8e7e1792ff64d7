import { expect, test } from 'vitest';
import { describeParts } from '../../../src/cli/terminal/training-progress.js';
import { randomGraph } from '../../model/random-graph.js';

test('says which graphs are taken in parts, and nothing that a terminal obeys', () => {
  const graphs = ['whole', 'host\u001b[2J'].map((title) => ({
    title,
    graph: randomGraph({ nodes: 1200, edges: 20, relations: 2, features: 2 }),
  }));
  const order = new Uint32Array(1200);
  const blocks = new Map([[graphs[1].graph, { order, bounds: [0, 500, 900, 1200], hops: 3 }]]);
  const lines = [...describeParts({ graphs, blocks })];
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^host\\e\[2J \(1,200 nodes\) .* 3 parts/);
  expect([...describeParts({ graphs, blocks: new Map() })]).toEqual([]);
});
