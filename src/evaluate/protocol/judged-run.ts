import type { EpisodeIncident, EpisodeJudge } from '../../detect/episodes/episode-detector.js';
import { withoutFloods } from '../../detect/episodes/fold-floods.js';
import type { BenignIncidents } from '../../detect/episodes/raise-incidents.js';
import type { LoadedEvents } from '../../store/load.js';
import type { FoldedEpisode } from '../reference/find-episodes.js';

/** The incidents of `recal detect`, by rank, and the benign ones that thresholds come from. */
export interface JudgedRun {
  /** Episodes as nodes of the test events. */
  readonly incidents: readonly FoldedEpisode[];
  /** Those of them that are floods. */
  readonly loud: ReadonlySet<FoldedEpisode>;
  readonly benign: BenignIncidents;
}

/** Judges the episodes of the test as `recal detect` does. `scores` are the highest of each node over graphs. */
export function judgeRun(
  judge: EpisodeJudge,
  scores: Float64Array,
  { benign, events }: { readonly benign: BenignIncidents; readonly events: LoadedEvents },
): JudgedRun {
  const judged = judge.judge(scores);
  const { nodes } = judged.novelty.activity;
  const nodesOf = (processes: readonly number[]) => processes.flatMap((process) => nodes.get(process) ?? []);
  const inNodes = ({ score, episodes }: EpisodeIncident): FoldedEpisode => ({
    score,
    episodes: episodes.map((episode) => {
      const processes = Int32Array.from(nodesOf(episode.processes));
      return { root: nodes.get(episode.root) ?? processes[0], processes, score: episode.score };
    }),
  });
  const { ranked, loud } = withoutFloods(judged, events);
  const incidents = ranked.map(inNodes);
  return { benign, incidents, loud: new Set(incidents.filter((_, i) => loud.has(ranked[i]))) };
}
