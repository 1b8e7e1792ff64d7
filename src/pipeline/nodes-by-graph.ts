/** The nodes of each graph. A node counts again when it returns to a graph after another one. */
export function nodesByGraph(
  graphOf: Int32Array,
  nodeCount: number,
  roles: readonly Int32Array[],
): Uint32Array {
  const counts = new Uint32Array(graphOf.reduce((most, graph) => Math.max(most, graph), -1) + 1);
  const latest = new Int32Array(nodeCount).fill(-1);
  graphOf.forEach((graph, row) => {
    if (graph < 0) return;
    for (const role of roles) {
      const node = role[row];
      if (node < 0 || latest[node] === graph) continue;
      latest[node] = graph;
      counts[graph]++;
    }
  });
  return counts;
}
