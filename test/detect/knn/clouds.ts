import type { Random } from '../../../src/base/random.js';
import type { NeighbourReference } from '../../../src/detect/knn/neighbour-reference.js';
import { ReferenceBuilder } from '../../../src/detect/knn/reference-builder.js';

/** Rows of floats around some centres, or uniform in a box without any. */
export function cloud(
  random: Random,
  {
    rows,
    width,
    middles = 0,
    spread = 0.1,
  }: { rows: number; width: number; middles?: number; spread?: number },
): Float32Array {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
  const places = Float32Array.from({ length: middles * width }, () => 4 * random.float() - 2);
  const cloud = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    const middle = middles === 0 ? 0 : random.below(middles) * width;
    for (let d = 0; d < width; d++) {
      cloud[row * width + d] =
        middles === 0 ? 2 * random.float() - 1 : places[middle + d] + spread * normal();
    }
  }
  return cloud;
}

/** A reference of all rows, or of at most 200,000 of them. */
export function buildReference(rows: Float32Array, width: number, seed = 0): NeighbourReference {
  const builder = new ReferenceBuilder(width, { seed, most: 200_000 });
  builder.add(rows);
  return builder.finish();
}
