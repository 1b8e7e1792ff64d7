import { groupIndices } from '../../../base/group-indices.js';
import { PairTable } from '../../evidence/pair-table.js';
import { hostKey, roleKey } from '../fleet/known-hosts.js';
import { type Activity, addressKey, placeKey, placeOf, START_RELATION } from '../trees/activity.js';
import { type BehaviourKey, joinKeys } from './behaviour-key.js';
import { NOVELTY_KINDS } from './catalogue.js';
import type { KnownBehaviours } from './known-behaviours.js';

const KINDS = NOVELTY_KINDS.length;
const PROCESS = NOVELTY_KINDS.indexOf('process');

/** Adds everything that an activity shows to what is known; of processes, only those that are learned from. */
export function learnActivity(
  activity: Activity,
  known: KnownBehaviours,
  isLearned: (process: number) => boolean = () => true,
): void {
  const { actors, done, catalogue, ran, addresses } = activity;
  const processes = actors.firsts;
  const programs = actors.seconds;
  const hostOf = learnHosts(activity, known);
  const placed = new PairTable();
  const learnPlace = (path: string, host: number) => {
    const place = placeOf(path);
    if (place !== undefined) known.add(placeKey(place), host);
  };
  programs.forEach((program, actor) => {
    if (!isLearned(processes[actor])) return;
    const [before, host] = [placed.size, hostOf(processes[actor])];
    if (placed.intern(program, host) < before) return;
    known.add(catalogue.programKey(program), host);
    learnPlace(catalogue.programName(program), host);
  });
  const behaviours = done.seconds;
  done.firsts.forEach((actor, i) => {
    if (!isLearned(processes[actor])) return;
    const behaviour = catalogue.behaviourKey(behaviours[i]);
    const host = hostOf(processes[actor]);
    known.add(behaviour, host);
    known.add(joinKeys(catalogue.programKey(programs[actor]), behaviour), host);
  });
  const files = new PairTable();
  for (const { process, file } of ran) {
    if (!isLearned(process)) continue;
    const before = files.size;
    if (files.intern(file, hostOf(process)) === before) learnPlace(catalogue.nameAt(file), hostOf(process));
  }
  for (const [address, users] of addresses) {
    for (const process of users.keys())
      if (isLearned(process)) known.add(addressKey(address), hostOf(process));
  }
}

/** Returns the number of the host of a process; -1 where hosts are not told apart, because there is one. */
function learnHosts({ catalogue }: Activity, known: KnownBehaviours): (process: number) => number {
  const names = catalogue.hosts;
  if (names.length < 2 && known.hosts === undefined) return () => -1;
  const hosts = known.recordHosts();
  const numbers = names.map((host) => hosts.intern(hostKey(host), roleKey(catalogue.roleOf(host))));
  return (process) => numbers[catalogue.hostOf(process)];
}

/** What is new in an activity, compared with what is known. */
export class Novelty {
  readonly activity: Activity;
  /** By actor and kind: the number of distinct behaviours, and of the new ones. */
  readonly all: Uint32Array;
  readonly fresh: Uint32Array;
  /** Whether the behaviour in a row of `activity.done` is new. */
  readonly isFresh: Uint8Array;
  /** The new behaviours of an actor, as rows of `activity.done`. */
  readonly news: (actor: number) => Int32Array;
  readonly #known: KnownBehaviours;
  readonly #trained: KnownBehaviours;
  readonly #knownPrograms = new Map<number, boolean>();
  readonly #secondary = new Map<number, boolean>();
  readonly #places: ReadonlyMap<number, readonly string[]>;

  /** `trained` is the part of what is known that comes from events, and not from a person. */
  constructor(activity: Activity, known: KnownBehaviours, trained: KnownBehaviours = known) {
    this.activity = activity;
    this.#known = known;
    this.#trained = trained;
    const { actors, done, catalogue } = activity;
    this.all = new Uint32Array(actors.size * KINDS);
    this.fresh = new Uint32Array(actors.size * KINDS);
    this.isFresh = new Uint8Array(done.size);
    const programs = actors.seconds;
    const behaviours = done.seconds;
    done.firsts.forEach((actor, i) => {
      const kind = catalogue.kindOf(behaviours[i]);
      this.all[actor * KINDS + kind]++;
      if (!this.#isNew(programs[actor], behaviours[i])) return;
      this.fresh[actor * KINDS + kind]++;
      this.isFresh[i] = 1;
    });
    this.news = groupIndices(done.firsts, this.isFresh);
    this.#places = newPlaces(activity, known);
  }

  /** Whether a program ran before. */
  readonly knows = (program: number): boolean => {
    const known = this.#knownPrograms.get(program);
    if (known !== undefined) return known;
    const found = this.#known.has(this.activity.catalogue.programKey(program));
    this.#knownPrograms.set(program, found);
    return found;
  };

  /** Whether a program was ever started by another one. */
  knowsStart(parent: number, program: number): boolean {
    const { catalogue } = this.activity;
    const start = catalogue.behaviourKey(catalogue.startedBy(parent));
    return this.#known.has(joinKeys(catalogue.programKey(program), start));
  }

  readonly hasKey = (key: BehaviourKey): boolean => this.#known.has(key);

  /** The places that a process ran something from, and from which nothing ran before. */
  readonly newPlaces = (process: number): readonly string[] => this.#places.get(process) ?? [];

  /**
   * A known program never behaved so, or for a new program: none ever did. Acting on a process of a new program counts as
   * little as the process itself: every service that looks at all processes meets it.
   */
  #isNew(program: number, behaviour: number): boolean {
    const { catalogue } = this.activity;
    if (catalogue.kindOf(behaviour) === PROCESS && this.#isSecondary(behaviour)) return false;
    const key = catalogue.behaviourKey(behaviour);
    return !this.#known.has(this.knows(program) ? joinKeys(catalogue.programKey(program), key) : key);
  }

  /** Whether a behaviour acts on a process of a new program without starting it. */
  #isSecondary(behaviour: number): boolean {
    const known = this.#secondary.get(behaviour);
    if (known !== undefined) return known;
    const { catalogue } = this.activity;
    const [, relation, object] = catalogue.describe(behaviour);
    // Nobody accepts every service that meets an accepted program, so that only events end this.
    const found =
      !START_RELATION.test(String(relation)) &&
      !this.#trained.has(catalogue.programKey(catalogue.program(String(object))));
    this.#secondary.set(behaviour, found);
    return found;
  }
}

function newPlaces(
  { actors, ran, started, catalogue }: Activity,
  known: KnownBehaviours,
): Map<number, string[]> {
  const found = new Map<number, Set<string>>();
  const isNew = new Map<string, boolean>();
  const see = (process: number, path: string) => {
    const place = placeOf(path);
    if (place === undefined || !started.has(process)) return;
    const fresh = isNew.get(place) ?? !known.has(placeKey(place));
    isNew.set(place, fresh);
    if (!fresh) return;
    // A person accepts a place for one program only.
    if (known.has(joinKeys(catalogue.programKey(catalogue.program(path)), placeKey(place)))) return;
    found.set(process, (found.get(process) ?? new Set()).add(place));
  };
  const programs = actors.seconds;
  actors.firsts.forEach((process, i) => {
    see(process, catalogue.programName(programs[i]));
  });
  for (const { process, file } of ran) see(process, catalogue.nameAt(file));
  return new Map([...found].map(([process, places]) => [process, [...places]]));
}
