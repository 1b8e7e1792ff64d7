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

it('finds it for source rows too', () => {
  const { bySource, ofEntry } = findSourceRows(entries);
  const rows = new Uint32Array(bySource.targets.length);
  for (let i = 0; i < bySource.work.segmentCount; i++) {
    const [row, start, end] = bySource.work.segments.subarray(4 * i);
    rows.fill(row, start, end);
  }
  expect(new Set(bySource.places).size).toBe(listed.length);
  listed.forEach(({ row, rho }, e) => {
    const at = bySource.places[e];
    expect([bySource.targets[at], bySource.relations[at], rows[at]]).toEqual([row, rho, ofEntry[e]]);
  });
});
