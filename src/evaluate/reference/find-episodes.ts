import type { NamedEvents } from '../../detect/episodes/named-events.js';
import { BEHAVIOUR_KINDS } from '../../detect/episodes/novelty/behaviours.js';
import { Catalogue } from './catalogue.js';
import { countNovelty, Experience, NoveltyRates } from './novelty.js';
import { collectActivity, type PartActivity, walkActs } from './part-activity.js';
import { rootOf } from './process-trees.js';

const KINDS = BEHAVIOUR_KINDS.length;
const NAME = BEHAVIOUR_KINDS.indexOf('name');
const EXTENSION = BEHAVIOUR_KINDS.indexOf('ext');

/** A process tree below a session or a service. */
export interface Episode {
  /** Nodes of the test events, like `processes`. */
  readonly root: number;
  /** In order of appearance. */
  readonly processes: Int32Array;
  readonly score: number;
}

/** Episodes with the same root program and the same novelty. The first episode has the highest score. */
export interface FoldedEpisode {
  readonly score: number;
  readonly episodes: readonly Episode[];
}

export interface EpisodeFindings {
  /** In order of appearance. */
  readonly folded: readonly FoldedEpisode[];
  /** Number of episodes before folding. */
  readonly count: number;
  /** By node of the test events. */
  readonly nodeScores: Float64Array;
}

/**
 * Finds the process trees of a test, and scores each by the novelty of its behaviour. It only counts. Call `fit`, then
 * `calibrate`, then `find`.
 */
export class EpisodeFinder {
  readonly #catalogue = new Catalogue();
  readonly #seen = new Experience();
  readonly #parents = new Map<number, number>();
  readonly #lastPrograms = new Map<number, number>();
  #rates: NoveltyRates | undefined;

  /** Learns what benign processes do. */
  fit(train: NamedEvents): void {
    this.#learn(collectActivity(train, this.#catalogue));
  }

  /** Measures how often benign processes do something new, then learns from them. Returns the scores of the nodes. */
  calibrate(benign: NamedEvents): Float64Array {
    const part = collectActivity(benign, this.#catalogue);
    this.#rates = new NoveltyRates(part, this.#seen, this.#catalogue);
    const scores = new ScoredPart(part, this.#seen, this.#rates, this.#catalogue).nodeScores(benign);
    this.#learn(part);
    return scores;
  }

  find(test: NamedEvents): EpisodeFindings {
    if (this.#rates === undefined) throw new TypeError('call calibrate before find');
    const part = new ScoredPart(
      collectActivity(test, this.#catalogue),
      this.#seen,
      this.#rates,
      this.#catalogue,
    );
    const trees = this.#plantTrees(part);
    const folded = new Map<string, Episode[]>();
    for (const [root, processes] of trees) {
      const program = part.activity.lastPrograms.get(root) ?? this.#lastPrograms.get(root);
      const actors = processes.flatMap((process) => part.actorsOf(process));
      const episode = {
        root: part.nodeOf(root) ?? (part.nodeOf(processes[0]) as number),
        processes: Int32Array.from(processes, (process) => part.nodeOf(process) as number),
        score: part.score(actors),
      };
      const sign = JSON.stringify([program, part.sign(actors)]);
      const known = folded.get(sign);
      if (known === undefined) folded.set(sign, [episode]);
      else if (episode.score > known[0].score) known.unshift(episode);
      else known.push(episode);
    }
    return {
      folded: [...folded.values()].map((episodes) => ({ score: episodes[0].score, episodes })),
      count: trees.size,
      nodeScores: part.nodeScores(test),
    };
  }

  #learn(part: PartActivity): void {
    this.#seen.learn(part);
    for (const [process, parent] of part.parents) this.#parents.set(process, parent);
    for (const [process, program] of part.lastPrograms) this.#lastPrograms.set(process, program);
  }

  /** The processes of each tree, by its root, in order of appearance. */
  #plantTrees(part: ScoredPart): Map<number, number[]> {
    const parents = new Map([...this.#parents, ...part.activity.parents]);
    const context = {
      parents,
      catalogue: this.#catalogue,
      runsNewProgram: (process: number) => part.newPrograms(part.actorsOf(process)).length > 0,
    };
    const trees = new Map<number, number[]>();
    for (const process of part.processes) {
      const root = rootOf(process, context);
      const members = trees.get(root);
      if (members === undefined) trees.set(root, [process]);
      else members.push(process);
    }
    return trees;
  }
}

/** The novelty of what the processes of a test did. An actor is a process while it runs one program. */
class ScoredPart {
  readonly activity: PartActivity;
  readonly #seen: Experience;
  readonly #rates: NoveltyRates;
  readonly #catalogue: Catalogue;
  readonly #actors = new Map<number, number[]>();
  /** By actor and kind. */
  readonly #surprises: Float64Array;
  /** New behaviours by actor. */
  readonly #news: number[][];

  constructor(activity: PartActivity, seen: Experience, rates: NoveltyRates, catalogue: Catalogue) {
    this.activity = activity;
    this.#seen = seen;
    this.#rates = rates;
    this.#catalogue = catalogue;
    const { actors, done } = activity;
    const programs = actors.seconds;
    actors.firsts.forEach((process, actor) => {
      const known = this.#actors.get(process);
      if (known === undefined) this.#actors.set(process, [actor]);
      else known.push(actor);
    });
    this.#surprises = new Float64Array(actors.size * KINDS);
    countNovelty(activity, seen, catalogue, (actor, kind, all, fresh) => {
      this.#surprises[actor * KINDS + kind] = rates.surprise(programs[actor], kind, all, fresh);
    });
    this.#news = Array.from(programs, () => []);
    const behaviours = done.seconds;
    done.firsts.forEach((actor, i) => {
      if (seen.isNew(programs[actor], behaviours[i])) this.#news[actor].push(behaviours[i]);
    });
  }

  /** In order of appearance. */
  get processes(): Iterable<number> {
    return this.#actors.keys();
  }

  actorsOf(process: number): readonly number[] {
    return this.#actors.get(process) ?? [];
  }

  nodeOf(process: number): number | undefined {
    return this.activity.nodes.get(process);
  }

  /** The programs of actors that were never run before, in ascending order. */
  newPrograms(actors: readonly number[]): number[] {
    const programs = actors.map((actor) => this.activity.actors.seconds[actor]);
    return [...new Set(programs.filter((program) => !this.#seen.knows(program)))].sort((a, b) => a - b);
  }

  /** The sum over kinds of the highest surprise of an actor, and the surprise of new programs. */
  score(actors: readonly number[]): number {
    let sum = 0;
    for (let kind = 0; kind < KINDS; kind++) {
      sum += actors.reduce((most, actor) => Math.max(most, this.#surprises[actor * KINDS + kind]), 0);
    }
    return sum + this.#rates.programSurprise(this.newPrograms(actors).length);
  }

  /** What makes episodes alike: their new programs, or without any their new behaviours. */
  sign(actors: readonly number[]): readonly unknown[] {
    const fresh = this.newPrograms(actors);
    if (fresh.length > 0) return ['programs', fresh];
    const odd = actors.flatMap((actor) =>
      this.#news[actor].map((behaviour) => {
        const program = this.activity.actors.seconds[actor];
        const kind = this.#catalogue.kindOf(behaviour);
        // Names and extensions differ from run to run.
        return kind === NAME || kind === EXTENSION ? `${program} any ${kind}` : `${program} ${behaviour}`;
      }),
    );
    return ['behaviours', [...new Set(odd)].sort()];
  }

  /** By node: a process scores as an episode of its own, an object the highest surprise of something new done to it. */
  nodeScores(test: NamedEvents): Float64Array {
    const scores = new Float64Array(test.events.keys.size);
    const { actors, nodes } = this.activity;
    const isNew = this.#news.map((behaviours) => new Set(behaviours));
    walkActs(test, this.#catalogue, ({ subject, program, act }, object) => {
      const actor = actors.find(subject, program);
      for (const behaviour of this.#catalogue.behavioursOf(act)) {
        if (!isNew[actor].has(behaviour)) continue;
        const surprise = this.#surprises[actor * KINDS + this.#catalogue.kindOf(behaviour)];
        if (surprise > scores[object]) scores[object] = surprise;
      }
    });
    for (const process of this.processes) {
      const node = nodes.get(process) as number;
      scores[node] = this.score(this.actorsOf(process));
    }
    return scores;
  }
}
