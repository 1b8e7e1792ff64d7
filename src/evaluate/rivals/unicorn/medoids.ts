import type { Random } from '../../../base/random.js';

/** Points by cluster, and the point in the middle of each. */
export interface Clusters {
  readonly medoids: readonly number[];
  readonly clusterOf: Int32Array;
}

/** Clusters of points around medoids, with the number of clusters (2 to `most`) that has the best silhouette. */
export function clusterPoints(
  distance: readonly Float64Array[],
  most: number,
  trials: number,
  random: Random,
): Clusters {
  const count = distance.length;
  let best: { clusters: Clusters; silhouette: number } | undefined;
  for (let k = 2; k <= Math.min(most, count - 1); k++) {
    for (let trial = 0; trial < trials; trial++) {
      const start = random.shuffled(Array.from({ length: count }, (_, i) => i)).slice(0, k);
      const clusters = settle(distance, start);
      const silhouette = silhouetteOf(distance, clusters);
      if (best === undefined || silhouette > best.silhouette) best = { clusters, silhouette };
    }
  }
  return best?.clusters ?? settle(distance, [0]);
}

/** Moves medoids to the middle of their points until nothing changes. */
function settle(distance: readonly Float64Array[], start: readonly number[]): Clusters {
  let medoids = [...start];
  for (;;) {
    const clusterOf = Int32Array.from(distance, (row) => {
      let nearest = 0;
      for (let c = 1; c < medoids.length; c++) if (row[medoids[c]] < row[medoids[nearest]]) nearest = c;
      return nearest;
    });
    const next = medoids.map((medoid, c) => {
      const members = [...clusterOf.keys()].filter((point) => clusterOf[point] === c);
      const cost = (point: number) => members.reduce((sum, other) => sum + distance[point][other], 0);
      let best = members.includes(medoid) || members.length === 0 ? medoid : members[0];
      for (const point of members) if (cost(point) < cost(best)) best = point;
      return best;
    });
    if (next.every((medoid, c) => medoid === medoids[c])) return { medoids, clusterOf };
    medoids = next;
  }
}

/** The mean over points of (b − a) / max(a, b): a to its own cluster, b to the nearest other. 0 for a cluster of one. */
function silhouetteOf(distance: readonly Float64Array[], { medoids, clusterOf }: Clusters): number {
  let total = 0;
  distance.forEach((row, point) => {
    const sums = new Float64Array(medoids.length);
    const counts = new Uint32Array(medoids.length);
    row.forEach((each, other) => {
      if (other === point) return;
      sums[clusterOf[other]] += each;
      counts[clusterOf[other]]++;
    });
    const own = clusterOf[point];
    if (counts[own] === 0) return;
    const a = sums[own] / counts[own];
    let b = Number.POSITIVE_INFINITY;
    for (let c = 0; c < medoids.length; c++)
      if (c !== own && counts[c] > 0) b = Math.min(b, sums[c] / counts[c]);
    if (b < Number.POSITIVE_INFINITY && Math.max(a, b) > 0) total += (b - a) / Math.max(a, b);
  });
  return total / distance.length;
}
