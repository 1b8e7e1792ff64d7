import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../src/graph/direction.js';
import { buildGraph } from '../../src/graph/provenance-graph.js';

import { arbitraryRows, RELATIONS, tableOf } from '../store/event-rows.js';

const ROWS = [
  { subj: 70, obj: 5, rel: 1, ts: 1 },
  { subj: 70, obj: 5, rel: 1, ts: 2 },
  { subj: 70, obj: 33, obj2: 34, rel: 2, ts: 3 },
  { subj: 71, rel: 0, ts: 4 }, // no object: a node but no edge
  { obj: 80, rel: 0, ts: 5 }, // no subject: skipped
  { subj: 70, obj: 70, rel: 0, ts: 6 },
];

describe('buildGraph', () => {
  const table = tableOf(ROWS, RELATIONS, 1_000);

  it('numbers only the entities in its events', () => {
    const graph = buildGraph(table);
    expect([...graph.nodes]).toEqual([5, 33, 34, 70, 71]);
    expect(graph.nodeCount).toBe(5);
    expect([5, 33, 34, 70, 71, 80, 999, -1].map((v) => graph.localOf(v))).toEqual([
      0, 1, 2, 3, 4, -1, -1, -1,
    ]);
  });

  it('counts frequencies from raw events', () => {
    const graph = buildGraph(table);
    expect([...graph.frequencies]).toEqual([1, 2, 1]);
    expect(graph.counts).toEqual({ events: 6, edges: 5, noObject: 1, secondObject: 1, noSubject: 1 });
  });

  it('reduces edges by default', () => {
    const { edges } = buildGraph(table);
    expect([...edges.src]).toEqual([0, 3, 3, 3]);
    expect([...edges.dst]).toEqual([3, 1, 2, 3]);
    expect([...edges.count]).toEqual([2, 1, 1, 1]);
    expect(edges.ratio).toBe(1.25);
    expect(buildGraph(table, { reduce: false }).edges.length).toBe(5);
  });

  it('directs edges by the given table', () => {
    const graph = buildGraph(table, { direction: DIRECTIONS.none });
    expect([graph.edges.src[0], graph.edges.dst[0]]).toEqual([3, 0]);
    expect(graph.direction.name).toBe('none');
  });

  it('computes adjacency once', () => {
    const graph = buildGraph(table);
    expect(graph.adjacency).toBe(graph.adjacency);
    expect(graph.relationNeighbours).toBe(graph.relationNeighbours);
    expect(graph.adjacency.length).toBe(3);
    const { nodes, nodeOffsets } = graph.relationNeighbours;
    expect([...nodes.subarray(nodeOffsets[2], nodeOffsets[3])]).toEqual([1, 2, 3]);
    expect(nodeOffsets[1]).toBe(0);
  });

  it('has the same adjacency, nodes and frequencies with and without reduction', () => {
    fc.assert(
      fc.property(arbitraryRows(5, 40), (rows) => {
        const reduced = buildGraph(tableOf(rows, RELATIONS, 5));
        const whole = buildGraph(tableOf(rows, RELATIONS, 5), { reduce: false });
        expect(reduced.adjacency).toEqual(whole.adjacency);
        expect(reduced.relationNeighbours).toEqual(whole.relationNeighbours);
        expect(reduced.nodes).toEqual(whole.nodes);
        expect(reduced.frequencies).toEqual(whole.frequencies);
      }),
    );
  });

  it('does not change the event table', () => {
    const before = structuredClone(table);
    buildGraph(table);
    expect(table).toEqual(before);
  });

  it('is empty without events', () => {
    const graph = buildGraph(tableOf([], RELATIONS, 0));
    expect([graph.nodeCount, graph.edges.length, graph.adjacency.length]).toEqual([0, 0, 0]);
  });
});
