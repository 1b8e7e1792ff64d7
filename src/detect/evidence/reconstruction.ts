import type { RelationErrors } from '../../model/model.js';
import type { EvidenceRows } from './evidence.js';

/** e_v^r as evidence: one row per (node, relation). */
export function reconstructionRows({ offsets, nodes, errors }: RelationErrors): EvidenceRows {
  const slots = new Uint16Array(nodes.length);
  for (let r = 0; r + 1 < offsets.length; r++) slots.fill(r, offsets[r], offsets[r + 1]);
  return {
    nodes,
    slots,
    values: Float64Array.from(errors),
    draws: new Uint32Array(nodes.length).fill(1),
    sources: new Int32Array(nodes.length).fill(-1),
  };
}

/** The kNN distance as evidence: one row per node, in one slot. */
export function distanceRows(distances: Float64Array): EvidenceRows {
  const { length } = distances;
  return {
    nodes: Int32Array.from({ length }, (_, node) => node),
    slots: new Uint16Array(length),
    values: distances,
    draws: new Uint32Array(length).fill(1),
    sources: new Int32Array(length).fill(-1),
  };
}
