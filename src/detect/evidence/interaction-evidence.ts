import type { GraphView } from '../graph-view.js';
import type { EvidenceKind, EvidenceRows, EvidenceSamples } from './evidence.js';
import { PairTable } from './pair-table.js';

/** The two ends of an interaction. Slots of evidence about interactions are role · (|R| + 1) + relation. */
export const ROLES = ['subject', 'object'] as const;

/** The role of each slot, for |R| + 1 relations. */
export function rolesOfSlots(relationCount: number): Uint8Array {
  return Uint8Array.from({ length: ROLES.length * relationCount }, (_, slot) =>
    Math.trunc(slot / relationCount),
  );
}

/** One row per interaction and end: subjects first. */
export function sampleInteractions(
  { interactions }: GraphView,
  values: Float64Array,
  relationCount: number,
): EvidenceSamples {
  const { length, subject, object, relation } = interactions;
  const nodes = new Int32Array(2 * length);
  const slots = new Uint16Array(2 * length);
  const both = new Float64Array(2 * length);
  nodes.set(subject);
  nodes.set(object, length);
  both.set(values);
  both.set(values, length);
  for (let i = 0; i < length; i++) {
    slots[i] = relation[i];
    slots[length + i] = relationCount + relation[i];
  }
  return { nodes, slots, values: both };
}

/** Per (node, role, relation) the largest value, which of its interactions that is, and how many there are (§11). */
export function largestOfInteractions(
  view: GraphView,
  values: Float64Array,
  relationCount: number,
): EvidenceRows {
  const { length } = view.interactions;
  const { nodes, slots } = sampleInteractions(view, values, relationCount);
  const table = new PairTable();
  const draws = new Uint32Array(nodes.length);
  const sources = new Int32Array(nodes.length);
  for (let row = 0; row < nodes.length; row++) {
    const i = row % length;
    const at = table.intern(nodes[row], slots[row]);
    if (draws[at]++ === 0 || values[i] > values[sources[at]]) sources[at] = i;
  }
  const kept = sources.slice(0, table.size);
  return {
    nodes: table.firsts.slice(),
    slots: Uint16Array.from(table.seconds),
    values: Float64Array.from(kept, (i) => values[i]),
    draws: draws.slice(0, table.size),
    sources: kept,
  };
}

/**
 * The table that a slot's values are kept in. −ln P(r, o | s) means the same under every relation, so that all of a
 * role share one: with a table a relation, whatever is new would end at the floor of that table, which tells its size
 * and not how strange it is. Errors, and what is surprising about a relation itself, need tables of their own.
 */
export function tableSlot(kind: EvidenceKind, slot: number, relationCount: number): number {
  return kind === 'name' ? Math.trunc(slot / relationCount) : slot;
}

/** Tables of a kind that has so many slots. */
export function tableCount(kind: EvidenceKind, slotCount: number): number {
  return kind === 'name' ? ROLES.length : slotCount;
}
