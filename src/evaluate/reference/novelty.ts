import { BEHAVIOUR_KINDS } from '../../detect/episodes/novelty/behaviours.js';
import { PairTable } from '../../detect/evidence/pair-table.js';
import { binomialSurprise } from './binomial-surprise.js';
import type { Catalogue } from './catalogue.js';
import type { PartActivity } from './part-activity.js';

/** The most that one kind of behaviour adds to a score, in nats. */
const MOST_PER_KIND = 10;
/** A program's own rate weighs as much as its kind's after this many behaviours. */
const PRIOR = 10;
const HIGHEST_RATE = 0.99;
const KINDS = BEHAVIOUR_KINDS.length;

/** The programs and behaviours that were seen so far. */
export class Experience {
  readonly #programs = new Set<number>();
  readonly #own = new PairTable();
  readonly #anyone = new Set<number>();

  learn({ actors, done }: PartActivity): void {
    for (const program of actors.seconds) this.#programs.add(program);
    const programOf = actors.seconds;
    const behaviours = done.seconds;
    done.firsts.forEach((actor, i) => {
      this.#own.intern(programOf[actor], behaviours[i]);
      this.#anyone.add(behaviours[i]);
    });
  }

  knows(program: number): boolean {
    return this.#programs.has(program);
  }

  /** For a known program: whether it never behaved so. For a new program: whether no program ever did. */
  isNew(program: number, behaviour: number): boolean {
    if (this.#programs.has(program)) return this.#own.find(program, behaviour) < 0;
    return !this.#anyone.has(behaviour);
  }
}

/** How often benign processes do something new, by program and kind of behaviour. */
export class NoveltyRates {
  /** The share of processes that run a new program. */
  readonly newProgram: number;
  readonly #kindRates: Float64Array;
  readonly #counts: ReadonlyMap<number, { readonly all: number; readonly fresh: number }>;

  /** `seen` must not have learned `benign`. */
  constructor(benign: PartActivity, seen: Experience, catalogue: Catalogue) {
    const counts = new Map<number, { all: number; fresh: number }>();
    const all = new Float64Array(KINDS);
    const fresh = new Float64Array(KINDS);
    countNovelty(benign, seen, catalogue, (actor, kind, total, news) => {
      const key = benign.actors.seconds[actor] * KINDS + kind;
      const known = counts.get(key) ?? { all: 0, fresh: 0 };
      counts.set(key, { all: known.all + total, fresh: known.fresh + news });
      all[kind] += total;
      fresh[kind] += news;
    });
    this.#counts = counts;
    this.#kindRates = all.map((total, kind) => (total === 0 ? 0.5 : (fresh[kind] + 0.5) / (total + 1)));
    const processes = new Set(benign.actors.firsts);
    const novel = new Set(benign.actors.firsts.filter((_, i) => !seen.knows(benign.actors.seconds[i])));
    this.newProgram = (novel.size + 0.5) / (processes.size + 1);
  }

  /** The expected share of new behaviours, shrunk towards the share of the kind. */
  rate(program: number, kind: number): number {
    const { all, fresh } = this.#counts.get(program * KINDS + kind) ?? { all: 0, fresh: 0 };
    return Math.min(HIGHEST_RATE, (fresh + PRIOR * this.#kindRates[kind]) / (all + PRIOR));
  }

  /** The surprise of `fresh` new behaviours among `all`. */
  surprise(program: number, kind: number, all: number, fresh: number): number {
    return Math.min(MOST_PER_KIND, binomialSurprise(fresh, all, this.rate(program, kind)));
  }

  /** The surprise of running this many programs that were never run before. */
  programSurprise(programs: number): number {
    return programs === 0 ? 0 : -Math.log(this.newProgram) * (1 + Math.log2(programs));
  }
}

/** Calls `visit` for each actor and kind that it has, with the number of its behaviours and of the new ones. */
export function countNovelty(
  { actors, done }: PartActivity,
  seen: Experience,
  catalogue: Catalogue,
  visit: (actor: number, kind: number, all: number, fresh: number) => void,
): void {
  const all = new Uint32Array(actors.size * KINDS);
  const fresh = new Uint32Array(actors.size * KINDS);
  const programs = actors.seconds;
  const behaviours = done.seconds;
  done.firsts.forEach((actor, i) => {
    const at = actor * KINDS + catalogue.kindOf(behaviours[i]);
    all[at]++;
    if (seen.isNew(programs[actor], behaviours[i])) fresh[at]++;
  });
  all.forEach((total, at) => {
    if (total > 0) visit(Math.floor(at / KINDS), at % KINDS, total, fresh[at]);
  });
}
