import type { EpisodeJudge } from '../../detect/episodes/episode-detector.js';
import type { BenignIncidents } from '../../detect/episodes/raise-incidents.js';
import type { FoldedEpisode } from '../reference/find-episodes.js';

/** The incidents of `recal detect`, by rank, and the benign ones that thresholds come from. */
export interface JudgedRun {
  /** Episodes as nodes of the test events. */
  readonly incidents: readonly FoldedEpisode[];
  readonly benign: BenignIncidents;
}

/** Judges the episodes of the test as `recal detect` does. `scores` are the highest of each node over graphs. */
export function judgeRun(judge: EpisodeJudge, scores: Float64Array, benign: BenignIncidents): JudgedRun {
  const { incidents, novelty } = judge.judge(scores);
  const { nodes } = novelty.activity;
  const nodesOf = (processes: readonly number[]) => processes.flatMap((process) => nodes.get(process) ?? []);
  return {
    benign,
    incidents: incidents.map(({ score, episodes }) => ({
      score,
      episodes: episodes.map((episode) => {
        const processes = Int32Array.from(nodesOf(episode.processes));
        return { root: nodes.get(episode.root) ?? processes[0], processes, score: episode.score };
      }),
    })),
  };
}
