import type { FoldedEpisode } from '../reference/find-episodes.js';
import { type AttackNodes, attackRow, type Members } from './attack-metrics.js';

/** One episode scores the sum of this many of its highest processes (method §10). */
const PROCESSES_COUNTED = 3;

/** The rank of each attack's first episode, from 1; null if no episode with a score has a process of the attack. */
export interface FirstEpisodes {
  readonly all: (number | null)[];
  /** Without counting the episodes that have ignored processes and no labelled one. */
  readonly withoutIgnored: (number | null)[];
  /** The processes of that episode. */
  readonly members: (Members | null)[];
  /** The episodes that score above 0, as `withoutIgnored` counts them, and their processes. */
  readonly searched: { readonly incidents: number; readonly nodes: number };
}

interface NodeLabels {
  readonly positives: Uint8Array;
  readonly ignored: Uint8Array;
}

/** False for an episode with ignored processes and no labelled one. */
export function isCounted(processes: readonly number[], { positives, ignored }: NodeLabels): boolean {
  return processes.some((node) => positives[node] !== 0) || processes.every((node) => ignored[node] === 0);
}

/** Scores folded episodes by the scores of their nodes: a fold scores as its highest episode. */
export function scoreEpisodes(folded: readonly FoldedEpisode[], scores: ArrayLike<number>): Float64Array {
  return Float64Array.from(folded, ({ episodes }) =>
    episodes.reduce((most, { processes }) => {
      const highest = Array.from(processes, (node) => scores[node]).sort((a, b) => b - a);
      return Math.max(
        most,
        highest.slice(0, PROCESSES_COUNTED).reduce((sum, score) => sum + score, 0),
      );
    }, 0),
  );
}

/** Ranks folded episodes by score, and finds the first with a process of each attack. Ties keep their order. */
export function firstEpisodes(
  folded: readonly FoldedEpisode[],
  scores: Float64Array,
  attacks: AttackNodes,
  labels: NodeLabels,
): FirstEpisodes {
  const order = folded.map((_, i) => i).sort((a, b) => scores[b] - scores[a] || a - b);
  const attacksOf = new Map<number, number[]>();
  attacks.names.forEach((_, attack) => {
    for (const node of attackRow(attacks, attack)) {
      attacksOf.set(node, [...(attacksOf.get(node) ?? []), attack]);
    }
  });
  const all: (number | null)[] = attacks.names.map(() => null);
  const withoutIgnored = [...all];
  const members: (Members | null)[] = attacks.names.map(() => null);
  let [rank, counted, processes] = [0, 0, 0];
  for (const i of order) {
    if (!(scores[i] > 0)) break;
    const nodes = folded[i].episodes.flatMap(({ processes }) => Array.from(processes));
    rank++;
    if (isCounted(nodes, labels)) {
      counted++;
      processes += nodes.length;
    }
    for (const attack of new Set(nodes.flatMap((node) => attacksOf.get(node) ?? []))) {
      all[attack] ??= rank;
      withoutIgnored[attack] ??= counted;
      members[attack] ??= {
        nodes: nodes.length,
        labelled: nodes.filter((node) => labels.positives[node] !== 0).length,
      };
    }
  }
  return { all, withoutIgnored, members, searched: { incidents: counted, nodes: processes } };
}
