import { HistoSketch } from './histo-sketch.js';
import { StreamingLabels } from './streaming-labels.js';
import type { UnicornOptions } from './unicorn-options.js';

/** Edges in the order of the log. */
export interface EdgeStream {
  readonly length: number;
  readonly source: ArrayLike<number>;
  readonly target: ArrayLike<number>;
  readonly relation: ArrayLike<number>;
}

/** A sketch of the graph so far after every `batch` edges, and one at the end. Weights fall with every `fading` labels. */
export function sketchStream(
  { length, source, target, relation }: EdgeStream,
  kinds: ArrayLike<number>,
  { hops, size, decay, fading, batch }: UnicornOptions,
  seed: number,
): Uint32Array[] {
  const labels = new StreamingLabels(kinds, hops);
  const sketch = new HistoSketch(size, decay, seed);
  const sketches: Uint32Array[] = [];
  let added = 0;
  for (let i = 0; i < length; i++) {
    for (const label of labels.add(source[i], target[i], relation[i])) {
      if (++added % fading === 0) sketch.tick();
      sketch.add(label);
    }
    if ((i + 1) % batch === 0 || i + 1 === length) sketches.push(sketch.snapshot());
  }
  return sketches;
}
