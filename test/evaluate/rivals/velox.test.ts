import { expect, test } from 'vitest';
import type { RelationNetwork } from '../../../src/evaluate/rivals/relation-network.js';
import { Velox } from '../../../src/evaluate/rivals/velox.js';
import { namesOf, viewOf } from '../../detect/evidence/named-views.js';

const nodes = Array.from({ length: 4 }, () => ({ type: 'file' }) as const);
const view = viewOf(namesOf(nodes), [
  [0, 0, 1],
  [0, 1, 2],
  [2, 0, 3],
]);
const network = { losses: () => Float64Array.of(0.5, 2, 1) } as unknown as RelationNetwork;

test('a node is as strange as the strangest of its edges, in either role', () => {
  expect([...new Velox(network, 0).scores(view)]).toEqual([2, 0.5, 2, 1]);
});

test('the threshold is the largest benign loss', () => {
  expect(Velox.calibrate(network, [view, view]).threshold).toBe(2);
  expect(Velox.calibrate(network, []).threshold).toBe(0);
});
