import type { ReferencePoints } from '../../../src/detect/knn/neighbour-reference.js';
import { GRID, type SnappedPoints } from '../../../src/detect/knn/snapped-points.js';

/** Scores by the definition (method §7): every pair, in float64. */
export function bruteForceScores(reference: ReferencePoints, points: SnappedPoints, k: number): Float64Array {
  return Float64Array.from({ length: points.count }, (_, q) => bruteForceScore(reference, points, q, k));
}

function bruteForceScore(reference: ReferencePoints, points: SnappedPoints, q: number, k: number): number {
  const nearest = bruteForceNearest(reference, points, q, k);
  const distances = nearest.flatMap(({ distance, point }) =>
    new Array<number>(Math.min(k, reference.multiplicity[point])).fill(distance),
  );
  return meanOfFirst(distances, k);
}

/** The `count` nearest points, nearest first; ties by index. */
export function bruteForceNearest(
  reference: ReferencePoints,
  points: SnappedPoints,
  q: number,
  count: number,
): { point: number; distance: number }[] {
  const found: { point: number; distance: number }[] = [];
  for (let point = 0; point < reference.count; point++) {
    const distance = distanceOf(reference, point, points, q);
    if (found.length === count && distance >= found[count - 1].distance) continue;
    let at = found.length;
    while (at > 0 && found[at - 1].distance > distance) at--;
    found.splice(at, 0, { point, distance });
    if (found.length > count) found.pop();
  }
  return found;
}

/** The mean of the first k, or of all if there are fewer, summed in ascending order. */
function meanOfFirst(ascending: readonly number[], k: number): number {
  const count = Math.min(k, ascending.length);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += ascending[i];
  return sum / count;
}

function distanceOf(a: SnappedPoints, i: number, b: SnappedPoints, j: number): number {
  const [grid, width, left, right] = [GRID, a.width, a.steps, b.steps];
  let sum = 0;
  for (let d = 0; d < width; d++) {
    const difference = left[i * width + d] / grid - right[j * width + d] / grid;
    sum += difference * difference;
  }
  return Math.sqrt(sum);
}
