import { expect, test } from 'vitest';
import { ProcessTree } from '../../../src/detect/alerts/process-tree.js';
import { collectInteractions } from '../../../src/graph/interactions.js';
import { type EventRow, tableOf } from '../../store/event-rows.js';

const [PROCESS, FILE] = [0, 1];
const RELATIONS = ['EVENT_READ', 'EVENT_FORK', 'EVENT_EXECUTE', 'EVENT_CLONE'];

function treeOf(types: number[], parents: number[], rows: EventRow[]): ProcessTree {
  const tree = new ProcessTree({ types: Uint8Array.from(types), parent: Int32Array.from(parents) });
  const table = tableOf(rows, RELATIONS, types.length);
  // Local numbers run backwards, so that they differ from node numbers.
  const nodes = Int32Array.from(types, (_, i) => types.length - 1 - i);
  const found = collectInteractions(table);
  const local = (node: number) => types.length - 1 - node;
  tree.add(nodes, { ...found, subject: found.subject.map(local), object: found.object.map(local) }, table);
  return tree;
}

test('stated parents take precedence over shown ones, and the first shown parent over later ones', () => {
  const rows = [
    { subj: 0, obj: 1, rel: 1 },
    { subj: 2, obj: 1, rel: 3 },
    { subj: 0, obj: 2, rel: 1 },
  ];
  expect([...treeOf([PROCESS, PROCESS, PROCESS], [-1, -1, 1], rows).parent]).toEqual([-1, 0, 1]);
});

test('files have no parent', () => {
  const rows = [
    { subj: 0, obj: 1, rel: 2 },
    { subj: 0, obj: 2, rel: 0 },
  ];
  expect([...treeOf([PROCESS, FILE, PROCESS], [-1, -1, -1], rows).parent]).toEqual([-1, -1, -1]);
});

test('ancestors come nearest first, and cycles end', () => {
  const tree = treeOf([PROCESS, PROCESS, PROCESS], [-1, 0, 1], []);
  expect([...tree.ancestors(2)]).toEqual([1, 0]);
  expect([...tree.ancestors(0)]).toEqual([]);
  expect([...treeOf([PROCESS, PROCESS], [1, 0], []).ancestors(0)]).toEqual([1]);
  // A cycle that does not contain the first node.
  expect([...treeOf([PROCESS, PROCESS, PROCESS], [1, 2, 1], []).ancestors(0)].length).toBeLessThanOrEqual(64);
  // Each starts the other.
  const both = [
    { subj: 0, obj: 1, rel: 1 },
    { subj: 1, obj: 0, rel: 1 },
  ];
  expect([...treeOf([PROCESS, PROCESS], [-1, -1], both).parent]).toEqual([-1, 0]);
});
