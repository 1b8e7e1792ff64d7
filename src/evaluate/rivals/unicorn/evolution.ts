import type { Random } from '../../../base/random.js';
import { sketchDistance } from './histo-sketch.js';
import { clusterPoints } from './medoids.js';
import type { UnicornOptions } from './unicorn-options.js';

interface State {
  readonly medoid: Uint32Array;
  /** Distances up to here are normal. */
  readonly limit: number;
  /** States that follow in training, and the state itself. */
  readonly next: ReadonlySet<number>;
}

/** How the sketches of one benign stream move from cluster to cluster. */
export class Evolution {
  readonly #states: readonly State[];
  readonly #first: number;

  constructor(sketches: readonly Uint32Array[], options: UnicornOptions, random: Random) {
    const distance = sketches.map((a) => Float64Array.from(sketches, (b) => sketchDistance(a, b)));
    const { medoids, clusterOf } = clusterPoints(distance, options.clusters, options.trials, random);
    this.#first = clusterOf[0];
    this.#states = medoids.map((medoid, c) => {
      const own = [...clusterOf.keys()].filter((point) => clusterOf[point] === c);
      const found = own.map((point) => distance[medoid][point]);
      const mean = found.reduce((sum, each) => sum + each, 0) / Math.max(1, found.length);
      const square = found.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, found.length);
      const after = own.map((point) => clusterOf[point + 1]).filter((next) => next !== undefined);
      return {
        medoid: sketches[medoid],
        // A cluster of one sketch has no spread. One different number must not be an alarm.
        limit: Math.max(mean + options.deviations * Math.sqrt(square), 1 / sketches[0].length),
        next: new Set([c, ...after]),
      };
    });
  }

  /** For each sketch of a stream, its distance from the nearest allowed state, in units of that state's limit. */
  follow(sketches: readonly Uint32Array[]): Float64Array {
    let at = this.#first;
    return Float64Array.from(sketches, (sketch) => {
      let best = { state: at, score: Number.POSITIVE_INFINITY };
      for (const state of this.#states[at].next) {
        const { medoid, limit } = this.#states[state];
        const score = sketchDistance(sketch, medoid) / limit;
        if (score < best.score) best = { state, score };
      }
      if (best.score <= 1) at = best.state;
      return best.score;
    });
  }
}
