import { joinKeys } from '../novelty/behaviour-key.js';
import { NOVELTY_KINDS } from '../novelty/catalogue.js';
import type { KnownBehaviours } from '../novelty/known-behaviours.js';
import type { Novelty } from '../novelty/novelty.js';
import { NoveltyRates } from '../novelty/novelty-rates.js';
import type { ScoredEpisode } from '../score-episodes.js';
import { backOffWeight } from './back-off.js';
import { hostKey, type KnownHosts } from './known-hosts.js';

const KINDS = NOVELTY_KINDS.length;

/** How often benign processes do something that is new on their host. */
export interface HostRates {
  readonly rates: NoveltyRates;
  /** The share of processes whose program never ran on their host. */
  readonly share: number;
}

/**
 * What is new on its host but known on others of the fleet. It counts less than what is new everywhere, the less the more
 * hosts know it. Hosts without history are compared with the fleet only.
 */
export class FleetNovelty {
  readonly #novelty: Novelty;
  /** By actor and kind: the weights of what only other hosts know, the highest first. */
  readonly #weights = new Map<number, number[]>();
  /** By process: the weight of a program that only ran on other hosts. */
  readonly #programs = new Map<number, number>();
  readonly #fresh: Uint32Array;

  constructor(novelty: Novelty, known: KnownBehaviours) {
    this.#novelty = novelty;
    this.#fresh = novelty.fresh.slice();
    const { hosts } = known;
    if (hosts !== undefined) this.#collect(known, hosts);
  }

  measure(isCounted: (process: number) => boolean): HostRates {
    const { activity, all, knows, newPlaces } = this.#novelty;
    const view = { activity, all, fresh: this.#fresh, knows, newPlaces };
    const processes = [...new Set(activity.actors.firsts)].filter(isCounted);
    const some = processes.filter((process) => this.#programs.has(process)).length;
    return {
      rates: NoveltyRates.measure(view, isCounted),
      share: Math.fround((some + 0.5) / (processes.length + 1)),
    };
  }

  /** Adds to episodes what is new on their host only. */
  add(episodes: readonly ScoredEpisode[], ratesOf: (root: number) => HostRates): ScoredEpisode[] {
    if (this.#weights.size === 0 && this.#programs.size === 0) return [...episodes];
    const { actorsOf } = this.#novelty.activity;
    return episodes.map((episode) => {
      const { rates, share } = ratesOf(episode.root);
      const more = new Float64Array(KINDS);
      let program = 0;
      for (const process of episode.processes) {
        program = Math.max(program, this.#programs.get(process) ?? 0);
        for (const actor of actorsOf(process)) this.#raise(actor, rates, more);
      }
      const first = episode.newPrograms.length > 0 ? 0 : program * -Math.log(share);
      const added = more.reduce(
        (sum, each, kind) => sum + Math.max(0, each - episode.surprises[kind]),
        first,
      );
      return added === 0 ? episode : { ...episode, novelty: episode.novelty + added };
    });
  }

  /** The most surprising selection by weight: all that weighs at least w, times w. */
  #raise(actor: number, rates: NoveltyRates, most: Float64Array): void {
    const { activity, all, fresh } = this.#novelty;
    const key = activity.catalogue.programKey(activity.actors.secondAt(actor));
    for (let kind = 0; kind < KINDS; kind++) {
      const at = actor * KINDS + kind;
      this.#weights.get(at)?.forEach((weight, i) => {
        const surprise = weight * rates.surprise(key, kind, all[at], fresh[at] + i + 1);
        if (surprise > most[kind]) most[kind] = surprise;
      });
    }
  }

  #collect(known: KnownBehaviours, hosts: KnownHosts): void {
    const { activity, isFresh } = this.#novelty;
    const { actors, done, catalogue } = activity;
    const numbers = catalogue.hosts.map((host) => hosts.find(hostKey(host)));
    if (numbers.every((number) => number < 0)) return;
    const [processes, programs, behaviours] = [actors.firsts, actors.seconds, done.seconds];
    const hostOf = Int32Array.from(processes, (process) => numbers[catalogue.hostOf(process)]);
    const programRows = Int32Array.from(programs, (program) => known.find(catalogue.programKey(program)));
    for (let actor = 0; actor < actors.size; actor++) {
      const [host, row, process] = [hostOf[actor], programRows[actor], processes[actor]];
      if (host < 0 || row < 0 || !activity.started.has(process)) continue;
      const weight = this.#weightOf(hosts, row, -1, host);
      if (weight > 0) this.#programs.set(process, Math.max(weight, this.#programs.get(process) ?? 0));
    }
    done.firsts.forEach((actor, i) => {
      const [host, programRow] = [hostOf[actor], programRows[actor]];
      // A program that no host knows is compared with what any program did.
      if (host < 0 || programRow < 0 || isFresh[i] === 1) return;
      const program = catalogue.programKey(programs[actor]);
      const row = known.find(joinKeys(program, catalogue.behaviourKey(behaviours[i])));
      const weight = row < 0 ? 0 : this.#weightOf(hosts, row, programRow, host);
      if (weight === 0) return;
      const at = actor * KINDS + catalogue.kindOf(behaviours[i]);
      this.#fresh[at]++;
      const others = this.#weights.get(at);
      if (others === undefined) this.#weights.set(at, [weight]);
      else others.push(weight);
    });
    for (const weights of this.#weights.values()) weights.sort((a, b) => b - a);
  }

  /** 0 for what the host knows itself, or what was accepted for all hosts. */
  #weightOf(hosts: KnownHosts, row: number, among: number, host: number): number {
    if (hosts.isSeen(row, host)) return 0;
    const knowing = hosts.countOthers(row, host);
    return knowing.fleet === 0 ? 0 : backOffWeight(knowing, hosts.countOthers(among, host));
  }
}
