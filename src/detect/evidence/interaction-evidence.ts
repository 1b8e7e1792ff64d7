import type { GraphView } from '../graph-view.js';
import type { EvidenceKind, EvidenceRows, EvidenceSamples } from './evidence.js';
import { PairTable } from './pair-table.js';

/** The roles of nodes in an interaction. Slots of evidence about interactions are role · (|R| + 1) + relation. */
export const ROLES = ['subject', 'object'] as const;

/** The role of each slot; `relationCount` is |R| + 1. */
export function rolesOfSlots(relationCount: number): Uint8Array {
  return Uint8Array.from({ length: ROLES.length * relationCount }, (_, slot) =>
    Math.trunc(slot / relationCount),
  );
}

/** One row per interaction and role: first all subjects, then all objects. */
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

/** One row per (node, role, relation): the largest value, its interaction, and the number of interactions (§11). */
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
 * The table of a slot. −ln P(r, o | s) is comparable across relations, so that all relations of a role share one table:
 * in a small table per relation, every new value would reach the floor. Other kinds have a table per slot.
 */
export function tableSlot(kind: EvidenceKind, slot: number, relationCount: number): number {
  return kind === 'name' ? Math.trunc(slot / relationCount) : slot;
}

/** The number of tables of a kind with so many slots. */
export function tableCount(kind: EvidenceKind, slotCount: number): number {
  return kind === 'name' ? ROLES.length : slotCount;
}
