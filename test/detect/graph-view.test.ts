import { expect, test } from 'vitest';
import { type GraphView, viewGraph } from '../../src/detect/graph-view.js';
import { tableOf } from '../store/event-rows.js';

test('nodes of a relation that training never saw are marked, even for events without an object', () => {
  const rows = [
    { subj: 2, rel: 0, obj: 5 },
    { subj: 2, rel: 1, obj: 7 },
    { subj: 9, rel: 1 },
    { subj: 4, rel: 0, obj: 5 },
  ];
  const table = tableOf(rows, ['KNOWN', 'NEW'], 10);
  const planned = {
    nodes: Int32Array.of(2, 4, 5, 7, 9),
    rows: Int32Array.of(0, 1, 2, 3),
    graph: { relationCount: 1 },
  } as unknown as GraphView['planned'];
  const view = viewGraph(planned, table, {} as GraphView['names'], Uint16Array.of(0, 1));
  expect([...view.newRelation]).toEqual([1, 0, 0, 1, 1]);
});
