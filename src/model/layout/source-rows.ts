import { planWork, type WorkList } from '../../compute/work-list.js';
import type { EntryLayout } from './entry-layout.js';

/**
 * For the encoder `rgat`: one row for each distinct (u, ρ) that has an entry u → v under ρ, because these entries share
 * the key of u (method §4). The same row is for the entries v → u under the reverse of ρ, which share the query of u. Rows
 * are grouped by ρ, so that each group is one product.
 */
export interface SourceRows {
  readonly count: number;
  /** The rows of ρ are groups[ρ] to groups[ρ + 1]. */
  readonly groups: Uint32Array;
  /** u of each row. */
  readonly nodes: Uint32Array;
  /** For each entry by destination, the row of its source and the row of its destination. */
  readonly ofEntry: Uint32Array;
  readonly targetOfEntry: Uint32Array;
  /** The same entries, listed by the row of their source. */
  readonly bySource: {
    readonly work: WorkList;
    /** The destination of each entry, and its row. */
    readonly targets: Uint32Array;
    readonly targetRows: Uint32Array;
    /** The position of the reverse of each entry in this list. */
    readonly reverses: Uint32Array;
    /** For each entry by destination, its position in this list. */
    readonly places: Uint32Array;
  };
  /** The rows of each connected node. */
  readonly ofNode: { readonly work: WorkList; readonly rows: Uint32Array };
}

const known = new WeakMap<EntryLayout, SourceRows>();

/** The result is cached as long as the layout exists. */
export function findSourceRows(entries: EntryLayout): SourceRows {
  const rows = known.get(entries) ?? makeSourceRows(entries);
  known.set(entries, rows);
  return rows;
}

function makeSourceRows(entries: EntryLayout): SourceRows {
  const { offsets, neighbours, relations, half } = entries;
  const nodeCount = offsets.length - 1;
  // An entry into u under ρ is also an entry out of u under the reverse of ρ.
  const reverse = (rho: number) => (rho < half ? rho + half : rho - half);
  const seenBy = new Int32Array(2 * half).fill(-1);
  const eachPair = (visit: (u: number, rho: number) => void) => {
    seenBy.fill(-1);
    for (let u = 0; u < nodeCount; u++) {
      for (let e = offsets[u]; e < offsets[u + 1]; e++) {
        const rho = reverse(relations[e]);
        if (seenBy[rho] === u) continue;
        seenBy[rho] = u;
        visit(u, rho);
      }
    }
  };
  const groups = new Uint32Array(2 * half + 1);
  const nodeOffsets = new Uint32Array(nodeCount + 1);
  eachPair((u, rho) => {
    groups[rho + 1]++;
    nodeOffsets[u + 1]++;
  });
  accumulate(groups);
  accumulate(nodeOffsets);
  const count = groups[2 * half];
  const nodes = new Uint32Array(count);
  const rowsOfNode = new Uint32Array(count);
  const nextRow = groups.slice();
  const nextPlace = nodeOffsets.slice();
  eachPair((u, rho) => {
    const row = nextRow[rho]++;
    nodes[row] = u;
    rowsOfNode[nextPlace[u]++] = row;
  });
  const ofEntry = new Uint32Array(neighbours.length);
  const rowOffsets = new Uint32Array(count + 1);
  for (let e = 0; e < neighbours.length; e++) {
    const rho = relations[e];
    const u = neighbours[e];
    let place = nodeOffsets[u];
    while (rowsOfNode[place] < groups[rho] || rowsOfNode[place] >= groups[rho + 1]) place++;
    ofEntry[e] = rowsOfNode[place];
    rowOffsets[ofEntry[e] + 1]++;
  }
  // The reverse of u → v under ρ is an entry out of v, whose row is that of (v, reverse of ρ).
  const targetOfEntry = entries.places.map((reversed) => ofEntry[reversed]);
  accumulate(rowOffsets);
  const next = rowOffsets.slice();
  const [targets, targetRows, places] = [0, 0, 0].map(() => new Uint32Array(neighbours.length));
  for (let v = 0; v < nodeCount; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const at = next[ofEntry[e]]++;
      targets[at] = v;
      targetRows[at] = targetOfEntry[e];
      places[e] = at;
    }
  }
  const reverses = new Uint32Array(neighbours.length);
  places.forEach((at, e) => {
    reverses[at] = places[entries.places[e]];
  });
  const plan = (bounds: Uint32Array, length: number) =>
    planWork(length, bounds.subarray(0, length), bounds.subarray(1));
  return {
    count,
    groups,
    nodes,
    ofEntry,
    targetOfEntry,
    bySource: { work: plan(rowOffsets, count), targets, targetRows, reverses, places },
    ofNode: { work: plan(nodeOffsets, entries.work.rows), rows: rowsOfNode },
  };
}

/** Turns counts, each stored one place to the right, into offsets. */
function accumulate(counts: Uint32Array): void {
  for (let i = 1; i < counts.length; i++) counts[i] += counts[i - 1];
}
