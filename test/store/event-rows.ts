import fc from 'fast-check';
import { ACTIONS, actionOfRelation } from '../../src/ingest/actions.js';
import type { EventTable } from '../../src/store/event-table.js';

/** An event as tests write it; absent entities are left out. */
export interface EventRow {
  ts?: number;
  seq?: number;
  subj?: number;
  obj?: number;
  obj2?: number;
  rel?: number;
  flow?: number;
}

/** Builds an event table. Rows must be in order; the default time is 0. */
export function tableOf(
  rows: readonly EventRow[],
  relations: readonly string[],
  nodeCount: number,
): EventTable {
  return {
    length: rows.length,
    ts: BigInt64Array.from(rows, (row) => BigInt(row.ts ?? 0)),
    seq: BigInt64Array.from(rows, (row) => BigInt(row.seq ?? 0)),
    subject: Int32Array.from(rows, (row) => row.subj ?? -1),
    object: Int32Array.from(rows, (row) => row.obj ?? -1),
    object2: Int32Array.from(rows, (row) => row.obj2 ?? -1),
    relation: Uint16Array.from(rows, (row) => row.rel ?? 0),
    flow: Uint8Array.from(rows, (row) => row.flow ?? 0),
    action: Uint8Array.from(rows, (row) => ACTIONS.indexOf(actionOfRelation(relations[row.rel ?? 0] ?? ''))),
    stated: new Uint8Array(rows.length),
    relations,
    nodeCount,
  };
}

export const RELATIONS = ['EVENT_WRITE', 'EVENT_READ', 'EVENT_RENAME'] as const;

/**
 * Ordered events on few nodes, drawn from a few kinds of events, so that edges often merge. Ties of time and sequence,
 * self-loops, second objects and missing entities are frequent too.
 */
export function arbitraryRows(nodeCount: number, maxLength: number): fc.Arbitrary<EventRow[]> {
  const node = fc.nat(nodeCount - 1);
  const often = fc.oneof({ weight: 9, arbitrary: node }, { weight: 1, arbitrary: fc.constant(-1) });
  const seldom = fc.oneof({ weight: 1, arbitrary: node }, { weight: 4, arbitrary: fc.constant(-1) });
  const kind = fc.record({
    subj: often,
    obj: often,
    obj2: seldom,
    rel: fc.nat(RELATIONS.length - 1),
    flow: fc.constantFrom(0, 0, 0, 1, 2),
  });
  const kinds = fc.array(kind, { minLength: 1, maxLength: 6 });
  const draw = fc.record({ kind: fc.nat(5), ts: fc.nat(4), seq: fc.nat(1) });
  return fc.tuple(kinds, fc.array(draw, { maxLength, size: 'max' })).map(([pool, draws]) => {
    const order = draws.map(({ ts, seq }) => ({ ts, seq })).sort((a, b) => a.ts - b.ts || a.seq - b.seq);
    return draws.map((d, i) => ({ ...pool[d.kind % pool.length], ...order[i] }));
  });
}
