import type { ScoredEpisode } from './score-episodes.js';

/** Episodes are alike if this share of what is new in either is new in both. */
const ALIKE = 0.5;
/** An episode is compared with at most this many others of its root program. */
const MOST_COMPARED = 256;

/** Episodes that repeat: their roots run one program, and they are new in the same way. */
export interface FoldedEpisodes<Episode> {
  /** The highest score first. */
  readonly episodes: readonly Episode[];
  /** The one with the highest novelty, which the others are like. */
  readonly newest: Episode;
}

/**
 * Folds episodes that repeat, from the highest novelty down: what belongs together must not depend on learned weights.
 * Returns the fold with the highest score first.
 */
export function foldEpisodes<Episode extends ScoredEpisode & { readonly score: number }>(
  episodes: readonly Episode[],
): FoldedEpisodes<Episode>[] {
  const folds: { newest: Episode; episodes: Episode[] }[] = [];
  const byProgram = new Map<number, { newest: Episode; episodes: Episode[] }[]>();
  for (const episode of [...episodes].sort((a, b) => b.novelty - a.novelty || a.root - b.root)) {
    const others = byProgram.get(episode.program) ?? [];
    byProgram.set(episode.program, others);
    const like = others.find((fold) => areAlike(fold.newest, episode));
    if (like !== undefined) {
      like.episodes.push(episode);
      continue;
    }
    const fold = { newest: episode, episodes: [episode] };
    folds.push(fold);
    if (others.length < MOST_COMPARED) others.push(fold);
  }
  const byScore = (a: Episode, b: Episode) => b.score - a.score || a.root - b.root;
  for (const fold of folds) fold.episodes.sort(byScore);
  return folds.sort((a, b) => byScore(a.episodes[0], b.episodes[0]));
}

function areAlike(one: ScoredEpisode, other: ScoredEpisode): boolean {
  if (one.newPrograms.length > 0 !== other.newPrograms.length > 0) return false;
  const [small, large] =
    one.sign.length < other.sign.length ? [one.sign, other.sign] : [other.sign, one.sign];
  if (small.length === 0) return large.length === 0;
  if (small.length < ALIKE * large.length) return false;
  const both = countCommon(small, large);
  return both >= ALIKE * (small.length + large.length - both);
}

/** How many numbers two ascending arrays have in common. */
function countCommon(one: Int32Array, other: Int32Array): number {
  let [i, j, both] = [0, 0, 0];
  while (i < one.length && j < other.length) {
    const a = one[i];
    const b = other[j];
    if (a === b) both++;
    if (a <= b) i++;
    if (b <= a) j++;
  }
  return both;
}
