import { expect, it } from 'vitest';
import { layOutEntries } from '../../../src/model/layout/entry-layout.js';
import { findSourceRows } from '../../../src/model/layout/source-rows.js';
import { randomGraph } from '../random-graph.js';
import { orderAsGiven } from './order-as-given.js';

const graph = randomGraph({ nodes: 60, edges: 400, relations: 4, features: 4, hub: 0.2 });
const entries = layOutEntries(graph, orderAsGiven(graph.nodeCount));

/** (row, neighbour, ρ) of each entry. */
const listed = Array.from(entries.neighbours, (neighbour, e) => {
  const row = entries.offsets.findLastIndex((start) => start <= e);
  return { row, neighbour, rho: entries.relations[e] };
});

it('finds the place of each entry in the list by source: that of its reverse', () => {
  expect(listed.length).toBeGreaterThan(500);
  listed.forEach(({ row, neighbour, rho }, e) => {
    const reverse = (rho + entries.half) % (2 * entries.half);
    expect(listed[entries.places[e]]).toEqual({ row: neighbour, neighbour: row, rho: reverse });
    expect(entries.places[entries.places[e]]).toBe(e);
  });
});

it('finds the row of source and destination of each entry, its place and its reverse', () => {
  const { bySource, ofEntry, targetOfEntry, nodes, groups } = findSourceRows(entries);
  const rows = new Uint32Array(bySource.targets.length);
  for (let i = 0; i < bySource.work.segmentCount; i++) {
    const [row, start, end] = bySource.work.segments.subarray(4 * i);
    rows.fill(row, start, end);
  }
  const describeRow = (row: number) => [nodes[row], groups.findLastIndex((start) => start <= row)];
  expect(new Set(bySource.places).size).toBe(listed.length);
  listed.forEach(({ row: v, neighbour: u, rho }, e) => {
    const at = bySource.places[e];
    const reverse = (rho + entries.half) % (2 * entries.half);
    expect(describeRow(ofEntry[e])).toEqual([u, rho]);
    expect(describeRow(targetOfEntry[e])).toEqual([v, reverse]);
    expect([bySource.targets[at], bySource.targetRows[at], rows[at]]).toEqual([
      v,
      targetOfEntry[e],
      ofEntry[e],
    ]);
    expect(bySource.reverses[at]).toBe(bySource.places[entries.places[e]]);
    expect(rows[bySource.reverses[at]]).toBe(targetOfEntry[e]);
  });
});
