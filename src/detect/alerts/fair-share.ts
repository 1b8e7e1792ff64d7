/** What makes rows look alike: rows of one group compete for its share, and within it the kinds do. */
export interface RowKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * Chooses at most `most` of rows that are sorted best first. The best of every group come first, then the second ones,
 * and so on; within a group, so do the kinds. A flood of one kind then displaces only itself. The choice from all rows is
 * the same as from rows of which earlier choices left some out.
 */
export function shareFairly<Row>(
  rows: readonly Row[],
  most: number,
  kindOf: (row: Row) => RowKind,
): readonly Row[] {
  if (rows.length <= most) return rows;
  const kinds = rows.map(kindOf);
  const byKind = numberWithin(
    rows.map((_, i) => i),
    (i) => JSON.stringify([kinds[i].group, kinds[i].kind]),
  );
  const inKinds = rows.map((_, i) => i).sort((a, b) => byKind[a] - byKind[b] || a - b);
  const byGroup = numberWithin(inKinds, (i) => kinds[i].group);
  const compareGroups = (a: number, b: number) =>
    kinds[a].group < kinds[b].group ? -1 : kinds[a].group > kinds[b].group ? 1 : 0;
  // Only the first of a group can be compared by rank: later ones change their places when rows are added.
  const order = inKinds.sort(
    (a, b) => byGroup[a] - byGroup[b] || (byGroup[a] === 0 ? a - b : compareGroups(a, b)),
  );
  return order
    .slice(0, most)
    .sort((a, b) => a - b)
    .map((i) => rows[i]);
}

/** The number of each row among those of its key, counted in the given order. */
function numberWithin(order: readonly number[], keyOf: (row: number) => string): Uint32Array {
  const counts = new Map<string, number>();
  const numbers = new Uint32Array(order.length);
  for (const row of order) {
    const key = keyOf(row);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    numbers[row] = count;
  }
  return numbers;
}
