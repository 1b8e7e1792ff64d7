import { groupIndices } from '../../base/group-indices.js';
import { isoTime } from '../../base/time-text.js';
import { type Incident, MOST_DAYS, MOST_KEYS, MOST_PROGRAMS, MOST_TREES } from '../alerts/alert.js';
import type { EpisodeIncident, JudgedEpisode, JudgedEpisodes } from './episode-detector.js';
import { type BehaviourKey, formatBehaviour, joinKeys } from './novelty/behaviour-key.js';
import { NOVELTY_KINDS } from './novelty/catalogue.js';
import { CoarseKeys } from './novelty/coarse-keys.js';
import { addressKey, placeKey, placeOf } from './trees/activity.js';

const STARTS = NOVELTY_KINDS.indexOf('process');

/** What an incident would make known if a person accepted it. */
type IncidentBehaviours = NonNullable<Incident['episode']>['behaviours'];

/**
 * Finds what is new in incidents. Everything is tied to the program that did it: that one program may do something says
 * nothing about another. A new program is accepted with all that it did.
 */
export class IncidentBehaviourFinder {
  readonly #judged: JudgedEpisodes;
  /** All that an actor did, as rows of `activity.done`. */
  readonly #doneBy: (actor: number) => Int32Array;
  readonly #ranBy = new Map<number, number[]>();
  readonly #addressesOf = new Map<number, string[]>();

  constructor(judged: JudgedEpisodes) {
    this.#judged = judged;
    const { novelty } = judged;
    const { done, ran, addresses } = novelty.activity;
    this.#doneBy = groupIndices(done.firsts);
    for (const { process, file } of ran) push(this.#ranBy, process, file);
    for (const [address, users] of addresses) {
      if (novelty.hasKey(addressKey(address))) continue;
      for (const process of users.keys()) push(this.#addressesOf, process, address);
    }
  }

  of({ episodes }: EpisodeIncident): IncidentBehaviours {
    const { catalogue } = this.#judged.novelty.activity;
    const keys = new CoarseKeys();
    const add = (key: BehaviourKey, level: number) => keys.add(key, level);
    let newAddress = false;
    for (const episode of episodes) {
      for (const process of episode.processes) {
        this.#addProcess(process, add);
        for (const address of this.#addressesOf.get(process) ?? []) {
          newAddress = true;
          add(addressKey(address), 0);
        }
      }
      this.#addStart(episode, add);
    }
    const days = new Set(episodes.map(({ root }) => isoTime(catalogue.begun(root)).slice(0, 10)));
    return {
      keys: keys.first(MOST_KEYS),
      keyCount: keys.size,
      trees: this.#treesOf(episodes),
      newAddress,
      days: [...days].sort().slice(0, MOST_DAYS),
    };
  }

  #addProcess(process: number, add: (key: BehaviourKey, level: number) => void): void {
    const { novelty } = this.#judged;
    const { actors, actorsOf, done, catalogue } = novelty.activity;
    const isNewPlace = new Set(novelty.newPlaces(process));
    const addPlace = (path: string) => {
      const place = placeOf(path);
      if (place === undefined || !isNewPlace.has(place)) return;
      add(joinKeys(catalogue.programKey(catalogue.program(path)), placeKey(place)), 0);
    };
    for (const actor of actorsOf(process)) {
      const program = actors.secondAt(actor);
      const key = catalogue.programKey(program);
      if (!novelty.knows(program)) add(key, 0);
      addPlace(catalogue.programName(program));
      for (const row of novelty.knows(program) ? novelty.news(actor) : this.#doneBy(actor)) {
        const behaviour = done.secondAt(row);
        add(joinKeys(key, catalogue.behaviourKey(behaviour)), 1 + catalogue.kindOf(behaviour));
      }
    }
    for (const file of this.#ranBy.get(process) ?? []) addPlace(catalogue.nameAt(file));
  }

  /** A service outside the tree that starts it does something new too. */
  #addStart({ root }: JudgedEpisode, add: (key: BehaviourKey, level: number) => void): void {
    const { novelty } = this.#judged;
    const { parents, actors, actorsOf, done, catalogue } = novelty.activity;
    const parent = parents.get(root);
    if (parent === undefined) return;
    const started = new Set(
      Array.from(actorsOf(root), (actor) => catalogue.programName(actors.secondAt(actor))),
    );
    for (const actor of actorsOf(parent)) {
      for (const row of novelty.news(actor)) {
        const behaviour = done.secondAt(row);
        if (catalogue.kindOf(behaviour) !== STARTS) continue;
        if (!started.has(String(catalogue.describe(behaviour)[2]))) continue;
        add(joinKeys(catalogue.programKey(actors.secondAt(actor)), catalogue.behaviourKey(behaviour)), 1);
      }
    }
  }

  /** One entry for each root program. */
  #treesOf(episodes: readonly JudgedEpisode[]): IncidentBehaviours['trees'] {
    const { actors, actorsOf, catalogue } = this.#judged.novelty.activity;
    const found = new Map<string, { programs: Set<string>; learned: number }>();
    for (const { program, processes, learned, acceptedLearned = 0 } of episodes) {
      const root = formatBehaviour(catalogue.programKey(program));
      const entry = found.get(root) ?? { programs: new Set<string>(), learned: 0 };
      found.set(root, entry);
      entry.learned = Math.max(entry.learned, learned + acceptedLearned);
      for (const process of processes)
        for (const actor of actorsOf(process))
          entry.programs.add(formatBehaviour(catalogue.programKey(actors.secondAt(actor))));
    }
    return [...found].slice(0, MOST_TREES).map(([root, { programs, learned }]) => ({
      root,
      programs: [...programs].sort().slice(0, MOST_PROGRAMS),
      learned,
    }));
  }
}

function push<V>(table: Map<number, V[]>, key: number, value: V): void {
  const known = table.get(key);
  if (known === undefined) table.set(key, [value]);
  else known.push(value);
}
