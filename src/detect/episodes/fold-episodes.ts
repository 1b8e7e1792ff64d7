import type { ScoredEpisode } from './score-episodes.js';

/** Episodes are alike if this share of what is new in either is new in both. */
const ALIKE = 0.5;
/** An episode is compared with at most this many others of its root program. */
const MOST_COMPARED = 256;

/** Episodes that repeat: their roots run one program, and they are new in the same way. The first scores highest. */
export interface FoldedEpisodes<Episode> {
  readonly score: number;
  readonly episodes: readonly Episode[];
}

/** Folds episodes that repeat, from the highest score down. */
export function foldEpisodes<Episode extends ScoredEpisode & { readonly score: number }>(
  episodes: readonly Episode[],
): FoldedEpisodes<Episode>[] {
  const folds: { score: number; episodes: Episode[] }[] = [];
  const byProgram = new Map<number, { score: number; episodes: Episode[] }[]>();
  for (const episode of [...episodes].sort((a, b) => b.score - a.score || a.root - b.root)) {
    const others = byProgram.get(episode.program) ?? [];
    byProgram.set(episode.program, others);
    const like = others.find((fold) => areAlike(fold.episodes[0], episode));
    if (like !== undefined) {
      like.episodes.push(episode);
      continue;
    }
    const fold = { score: episode.score, episodes: [episode] };
    folds.push(fold);
    if (others.length < MOST_COMPARED) others.push(fold);
  }
  return folds;
}

function areAlike(one: ScoredEpisode, other: ScoredEpisode): boolean {
  if (one.newPrograms.length > 0 !== other.newPrograms.length > 0) return false;
  const [small, large] = one.sign.size < other.sign.size ? [one.sign, other.sign] : [other.sign, one.sign];
  if (small.size === 0) return large.size === 0;
  let both = 0;
  for (const each of small) if (large.has(each)) both++;
  return both >= ALIKE * (small.size + large.size - both);
}
