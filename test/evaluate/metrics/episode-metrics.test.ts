import { describe, expect, test } from 'vitest';
import { firstEpisodes, scoreEpisodes } from '../../../src/evaluate/metrics/episode-metrics.js';
import type { FoldedEpisode } from '../../../src/evaluate/reference/find-episodes.js';

/** A fold of episodes with these processes. */
const fold = (...episodes: number[][]): FoldedEpisode => ({
  score: 0,
  episodes: episodes.map((processes) => ({
    root: processes[0],
    processes: Int32Array.from(processes),
    score: 0,
  })),
});

describe('scoreEpisodes', () => {
  test('sums the three highest processes, and takes the highest episode of a fold', () => {
    const scores = [5, 1, 4, 3, 2, 9];
    expect([...scoreEpisodes([fold([0, 1, 2, 3]), fold([1], [4], [5]), fold([1, 4])], scores)]).toEqual([
      12, 9, 3,
    ]);
  });
});

describe('firstEpisodes', () => {
  const attacks = {
    names: ['A', 'B', 'C'],
    offsets: Uint32Array.of(0, 1, 2, 3),
    nodes: Int32Array.of(3, 4, 5),
  };
  const labels = {
    positives: Uint8Array.of(0, 0, 0, 1, 1, 1),
    ignored: Uint8Array.of(1, 0, 0, 0, 0, 0),
  };

  test('ranks by score, keeps the order of ties, and skips ignored episodes in the second rank', () => {
    const folded = [fold([4]), fold([1]), fold([0]), fold([3]), fold([5])];
    const found = firstEpisodes(folded, Float64Array.of(1, 1, 3, 2, 0), attacks, labels);
    expect(found.all).toEqual([2, 3, null]);
    expect(found.withoutIgnored).toEqual([1, 2, null]);
    expect(found.searched).toEqual({ incidents: 3, nodes: 3 });
  });

  test('an episode with a labelled process counts, even if others in it are ignored', () => {
    const found = firstEpisodes([fold([0, 3]), fold([4])], Float64Array.of(2, 1), attacks, labels);
    expect(found.withoutIgnored.slice(0, 2)).toEqual([1, 2]);
    expect(found.members).toEqual([{ nodes: 2, labelled: 1 }, { nodes: 1, labelled: 1 }, null]);
  });
});
