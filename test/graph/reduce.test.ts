import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIRECTIONS } from '../../src/graph/direction.js';
import { deriveEdges, type RawEdges } from '../../src/graph/edges.js';
import { keepAllEdges, type ReducedEdges, reduceEdges } from '../../src/graph/reduce.js';
import { arbitraryRows, type EventRow, RELATIONS, tableOf } from '../store/event-rows.js';

function reduceRows(rows: readonly EventRow[], nodeCount: number): { raw: RawEdges; reduced: ReducedEdges } {
  const table = tableOf(rows, RELATIONS, nodeCount);
  const raw = deriveEdges(table, DIRECTIONS.flow);
  return { raw, reduced: reduceEdges(raw, table, nodeCount) };
}

/** The nodes that are reachable from `start` after edge `after`: o increases strictly along a path. */
function reachForward(raw: RawEdges, start: number, after: number): number[] {
  const reached = new Set([start]);
  for (let o = after + 1; o < raw.length; o++) if (reached.has(raw.src[o])) reached.add(raw.dst[o]);
  return [...reached].sort();
}

/** The nodes from which `end` is reachable before edge `before`. */
function reachBackward(raw: RawEdges, end: number, before: number): number[] {
  const reached = new Set([end]);
  for (let o = before - 1; o >= 0; o--) if (reached.has(raw.dst[o])) reached.add(raw.src[o]);
  return [...reached].sort();
}

/** The same on reduced edges: an edge is usable after arrival a iff a < last, and arrives at max(a, first). */
function reachForwardMerged(edges: ReducedEdges, start: number, after: number): number[] {
  const arrival = new Map([[start, after]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (let k = 0; k < edges.length; k++) {
      const a = arrival.get(edges.src[k]);
      if (a === undefined || a >= edges.lastRank[k]) continue;
      const b = Math.max(a, edges.firstRank[k]);
      if (b >= (arrival.get(edges.dst[k]) ?? Infinity)) continue;
      arrival.set(edges.dst[k], b);
      changed = true;
    }
  }
  return [...arrival.keys()].sort();
}

/** Backwards on reduced edges: an edge is usable before deadline d iff first < d, and leaves at min(d, last). */
function reachBackwardMerged(edges: ReducedEdges, end: number, before: number): number[] {
  const departure = new Map([[end, before]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (let k = 0; k < edges.length; k++) {
      const d = departure.get(edges.dst[k]);
      if (d === undefined || edges.firstRank[k] >= d) continue;
      const b = Math.min(d, edges.lastRank[k]);
      if (b <= (departure.get(edges.src[k]) ?? -Infinity)) continue;
      departure.set(edges.src[k], b);
      changed = true;
    }
  }
  return [...departure.keys()].sort();
}

/** The rule of method §1, with string keys. */
function reduceNaively(raw: RawEdges): string[] {
  const open = new Map<string, { key: string; count: number; first: number; last: number }>();
  const lastIn = new Map<number, number>();
  const lastOut = new Map<number, number>();
  const merged: { key: string; count: number; first: number; last: number }[] = [];
  for (let o = 0; o < raw.length; o++) {
    const [u, v] = [raw.src[o], raw.dst[o]];
    const key = `${u}>${v} r${raw.relation[o]}`;
    const edge = open.get(key);
    if (edge && (lastIn.get(u) ?? -1) <= edge.last && (lastOut.get(v) ?? -1) <= edge.last) {
      edge.count++;
      edge.last = o;
    } else {
      const fresh = { key, count: 1, first: o, last: o };
      open.set(key, fresh);
      merged.push(fresh);
    }
    lastIn.set(v, o);
    lastOut.set(u, o);
  }
  return merged.map((e) => `${e.key} x${e.count} ${e.first}..${e.last}`);
}

function describeEdges(e: ReducedEdges): string[] {
  return Array.from(
    e.src,
    (u, k) => `${u}>${e.dst[k]} r${e.relation[k]} x${e.count[k]} ${e.firstRank[k]}..${e.lastRank[k]}`,
  );
}

describe('reduceEdges', () => {
  it('changes no reachability, forward or backward, from any node at any time', () => {
    let merged = 0;
    const property = fc.property(arbitraryRows(4, 16), (rows) => {
      const { raw, reduced } = reduceRows(rows, 4);
      merged += raw.length - reduced.length;
      for (let node = 0; node < 4; node++) {
        for (let o = -1; o <= raw.length; o++) {
          expect(reachForwardMerged(reduced, node, o)).toEqual(reachForward(raw, node, o));
          expect(reachBackwardMerged(reduced, node, o)).toEqual(reachBackward(raw, node, o));
        }
      }
    });
    fc.assert(property, { numRuns: 1_500 });

    expect(merged).toBeGreaterThan(2_000); // the property is trivial if no edges merge
  });

  it('merges exactly the edges of method §1', () => {
    fc.assert(
      fc.property(arbitraryRows(5, 60), (rows) => {
        const { raw, reduced } = reduceRows(rows, 5);
        expect(describeEdges(reduced)).toEqual(reduceNaively(raw));
      }),
    );
  });

  it('merges correctly after its table grows', () => {
    let state = 1;
    const draw = (n: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    // All edges run from sources to sinks, so every repeat merges and a lost key changes the result.
    const rows = Array.from({ length: 30_000 }, () => ({ subj: draw(4), obj: 4 + draw(4), rel: draw(500) }));
    const names = Array.from({ length: 500 }, (_, r) => `relation ${r}`);
    const table = tableOf(rows, names, 8);
    const raw = deriveEdges(table, DIRECTIONS.flow);
    const reduced = reduceEdges(raw, table, 8);
    expect(describeEdges(reduced)).toEqual(reduceNaively(raw));
    expect(reduced.length).toBe(new Set(rows.map((row) => Object.values(row).join())).size);
  });

  it('keeps the sum of counts and the first and last times', () => {
    fc.assert(
      fc.property(arbitraryRows(3, 40), (rows) => {
        const { raw, reduced } = reduceRows(rows, 3);
        expect(reduced.count.reduce((sum, c) => sum + c, 0)).toBe(raw.length);
        expect(reduced.rawLength).toBe(raw.length);
        for (let k = 0; k < reduced.length; k++) {
          const first = rows[raw.event[reduced.firstRank[k]]];
          const last = rows[raw.event[reduced.lastRank[k]]];
          expect([reduced.firstTs[k], reduced.firstSeq[k]]).toEqual([BigInt(first.ts!), BigInt(first.seq!)]);
          expect([reduced.lastTs[k], reduced.lastSeq[k]]).toEqual([BigInt(last.ts!), BigInt(last.seq!)]);
        }
      }),
    );
  });

  it('merges a thousand consecutive writes to one edge', () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ subj: 0, obj: 1, ts: 5 * i, seq: i }));
    const { reduced } = reduceRows(rows, 2);
    expect(describeEdges(reduced)).toEqual(['0>1 r0 x1000 0..999']);
    expect([reduced.firstTs[0], reduced.lastTs[0], reduced.lastSeq[0]]).toEqual([0n, 4995n, 999n]);
    expect(reduced.ratio).toBe(1_000);
  });

  it('does not merge if an edge entered the source or left the destination', () => {
    const write = { subj: 0, obj: 1, rel: 0 };
    const split = ['0>1 r0 x1 0..0', '0>1 r0 x1 2..2'];
    const between = (row: EventRow) =>
      describeEdges(reduceRows([write, row, write], 4).reduced).filter((e) => e.startsWith('0>1 r0'));
    expect(between({ subj: 2, obj: 0, rel: 0 })).toEqual(split);
    expect(between({ subj: 1, obj: 2, rel: 0 })).toEqual(split);
    expect(between({ subj: 0, obj: 1, rel: 1 })).toEqual(split); // a read back: 1 → 0
    expect(between({ subj: 0, obj: 2, rel: 0 })).toEqual(['0>1 r0 x2 0..2']);
    expect(between({ subj: 2, obj: 1, rel: 0 })).toEqual(['0>1 r0 x2 0..2']);
    expect(between({ subj: 0, obj: 1, rel: 2 })).toEqual(['0>1 r0 x2 0..2']);
  });

  it('uses positions if time and sequence tie', () => {
    // 2 → 0 and 1 → 3 have the same time as the first 0 → 1. Merging would create the false path 2, 0, 1, 3.
    const rows = [
      { subj: 0, obj: 1, ts: 1 },
      { subj: 2, obj: 0, ts: 1 },
      { subj: 1, obj: 3, ts: 1 },
      { subj: 0, obj: 1, ts: 2 },
    ];
    const { raw, reduced } = reduceRows(rows, 4);
    expect(reduced.length).toBe(4);
    expect(reachForward(raw, 2, -1)).toEqual([0, 1, 2]);
    expect(reachForwardMerged(reduced, 2, -1)).toEqual([0, 1, 2]);
  });

  it('merges runs of self-loops', () => {
    const loop = { subj: 0, obj: 0 };
    expect(describeEdges(reduceRows([loop, loop, loop], 1).reduced)).toEqual(['0>0 r0 x3 0..2']);
  });

  it('has a ratio of 1 without edges', () => {
    expect(reduceRows([], 0).reduced).toMatchObject({ length: 0, rawLength: 0, ratio: 1 });
  });
});

describe('keepAllEdges', () => {
  it('keeps every raw edge', () => {
    const table = tableOf([{ subj: 0, obj: 1, obj2: 1, ts: 7, seq: 3 }], RELATIONS, 2);
    const kept = keepAllEdges(deriveEdges(table, DIRECTIONS.flow), table);
    expect(describeEdges(kept)).toEqual(['0>1 r0 x1 0..0', '0>1 r0 x1 1..1']);
    expect([kept.ratio, kept.lastTs[1], kept.lastSeq[1]]).toEqual([1, 7n, 3n]);
  });
});
