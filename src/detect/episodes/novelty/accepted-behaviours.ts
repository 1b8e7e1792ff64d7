import type { ScoredEpisode } from '../score-episodes.js';
import { type BehaviourKey, formatBehaviour, parseBehaviour } from './behaviour-key.js';
import { KnownBehaviours } from './known-behaviours.js';

/** Trees below one program that a person accepted. Programs are keys as text. */
export interface AcceptedTrees {
  /** The program that the roots ran last. */
  readonly root: string;
  /** Every program that ran in the trees. */
  readonly programs: readonly string[];
  /** The highest learned score of a tree. */
  readonly learned: number;
}

/** What one decision of a person makes known. */
export interface Acceptance {
  /** Keys as text: of programs, and of pairs of a program and what it did. */
  readonly keys: readonly string[];
  readonly trees: readonly AcceptedTrees[];
}

/** What people accepted as harmless, beside what the model learned. */
export class AcceptedBehaviours {
  readonly known = new KnownBehaviours();
  /** The number of acceptances. */
  readonly count: number;
  readonly #trees = new Map<string, { programs: ReadonlySet<string>; learned: number }[]>();

  constructor(acceptances: readonly Acceptance[]) {
    this.count = acceptances.length;
    for (const { keys, trees } of acceptances) {
      for (const key of keys) this.known.add(parseBehaviour(key));
      for (const { root, programs, learned } of trees) {
        const others = this.#trees.get(root) ?? [];
        this.#trees.set(root, [...others, { programs: new Set(programs), learned }]);
      }
    }
  }

  /**
   * The learned score that is left of an episode. An episode repeats accepted ones if it has the same root program and
   * runs no other programs. The share of its novelty that was accepted then explains its learned score, as far as that was
   * accepted.
   */
  remainingLearned(
    { novelty, learned }: Pick<ScoredEpisode, 'novelty' | 'learned'>,
    noveltyAlone: number,
    programs: { readonly root: BehaviourKey; all(): readonly BehaviourKey[] },
  ): number {
    const candidates = this.#trees.get(formatBehaviour(programs.root));
    if (candidates === undefined || learned <= 0) return learned;
    const own = programs.all().map(formatBehaviour);
    const levels = candidates.filter((each) => own.every((program) => each.programs.has(program)));
    const level = levels.reduce((most, each) => Math.max(most, each.learned), 0);
    const share = noveltyAlone > 0 ? Math.min(1, Math.max(0, 1 - novelty / noveltyAlone)) : 1;
    return learned - share * Math.min(learned, level);
  }
}
