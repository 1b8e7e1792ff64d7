import { append } from '../../base/append.js';
import type { FoldedEpisodes } from './fold-episodes.js';
import { NOVELTY_KINDS } from './novelty/catalogue.js';
import type { Novelty } from './novelty/novelty.js';
import { Scans } from './scans.js';
import type { ScoredEpisode } from './score-episodes.js';
import { addressKey } from './trees/activity.js';

/** An address with more connections than this does not join episodes. */
const MOST_CONNECTIONS = 60;

/** The kinds of behaviour that say which files are used. */
const OF_FILES = new Set((['dir', 'ext', 'name'] as const).map((kind) => NOVELTY_KINDS.indexOf(kind)));

const NAME = NOVELTY_KINDS.indexOf('name');

type Fold<Episode> = FoldedEpisodes<Episode>;

/** Folds with one cause. The first scores highest. */
export interface JoinedEpisodes<Episode> {
  readonly episodes: readonly Episode[];
  readonly folds: readonly Fold<Episode>[];
}

/**
 * Joins folded episodes that have one cause: a service that starts a program for the first time, a new program that one
 * wrote and the other ran, a software change, a file or a remote address that no one used before. From the highest
 * score down.
 */
export function joinEpisodes<Episode extends ScoredEpisode & { readonly score: number }>(
  folds: readonly Fold<Episode>[],
  novelty: Novelty,
): JoinedEpisodes<Episode>[] {
  const groups = new Groups(folds.length);
  const foldOf = new Map<number, number>();
  folds.forEach(({ episodes }, fold) => {
    for (const { processes } of episodes) for (const process of processes) foldOf.set(process, fold);
  });
  const isNovel = (fold: number) => folds[fold].newest.novelty > 0;
  joinStarts(folds, novelty, groups);
  joinWriters(folds, novelty, groups, foldOf);
  joinChanges(folds, groups);
  joinFiles(folds, novelty, groups);
  joinAddresses(novelty, groups, (process) => {
    const fold = foldOf.get(process);
    return fold !== undefined && isNovel(fold) ? fold : undefined;
  });
  const joined = new Map<number, { episodes: Episode[]; folds: Fold<Episode>[] }>();
  folds.forEach((each, fold) => {
    const first = groups.find(fold);
    const known = joined.get(first);
    if (known === undefined) joined.set(first, { episodes: [...each.episodes], folds: [each] });
    else {
      append(known.episodes, each.episodes);
      known.folds.push(each);
    }
  });
  return [...joined.values()];
}

/** Joins the trees in which one service starts the same program for the first time, directly or by a fork of its own. */
function joinStarts<Episode extends ScoredEpisode>(
  folds: readonly Fold<Episode>[],
  novelty: Novelty,
  groups: Groups,
): void {
  const { parents, lastPrograms } = novelty.activity;
  const known = new Map<string, number>();
  folds.forEach(({ episodes }, fold) => {
    for (const { root, processes } of episodes) {
      const service = parents.get(root);
      const starter = service === undefined ? undefined : lastPrograms.get(service);
      if (starter === undefined) continue;
      for (const program of startedPrograms(processes, starter, novelty)) {
        if (novelty.knowsStart(starter, program)) continue;
        const entry = `${service} ${program}`;
        const other = known.get(entry);
        if (other === undefined) known.set(entry, fold);
        else groups.join(fold, other);
      }
    }
  });
}

/** The programs of a tree whose parent runs the program of the service above the tree. */
function startedPrograms(
  processes: readonly number[],
  starter: number,
  { activity }: Novelty,
): ReadonlySet<number> {
  const { parents, lastPrograms } = activity;
  const found = new Set<number>();
  for (const process of processes) {
    const parent = parents.get(process);
    const program = lastPrograms.get(process);
    if (parent === undefined || program === undefined || program === starter) continue;
    if (lastPrograms.get(parent) === starter) found.add(program);
  }
  return found;
}

function joinWriters<Episode extends ScoredEpisode>(
  folds: readonly Fold<Episode>[],
  { activity }: Novelty,
  groups: Groups,
  foldOf: ReadonlyMap<number, number>,
): void {
  const isNew = folds.map(({ episodes }) => episodes.some(({ newPrograms }) => newPrograms.length > 0));
  for (const { process, file, object, row } of activity.ran) {
    const fold = foldOf.get(process);
    if (fold === undefined || !isNew[fold]) continue;
    const join = (writer: number, wrote: number) => {
      const other = foldOf.get(writer);
      if (wrote <= row && other !== undefined) groups.join(fold, other);
    };
    activity.wrote.eachOf(file, join);
    activity.wroteFile.eachOf(object, join);
  }
}

/** Joins what one software change brought. */
function joinChanges<Episode extends ScoredEpisode>(folds: readonly Fold<Episode>[], groups: Groups): void {
  const firsts = new Map<number, number>();
  folds.forEach(({ episodes }, fold) => {
    for (const { change, novelty } of episodes) {
      // What a change explains least of is not its work.
      if (change === undefined || change.remaining > novelty / 2) continue;
      const first = firsts.get(change.run);
      if (first === undefined) firsts.set(change.run, fold);
      else groups.join(first, fold);
    }
  });
}

/**
 * Joins programs that use the same file, which no one used before: one change brought it to all of them. Only folds in
 * which nothing but files is new: what also connects elsewhere or starts other programs has a cause of its own.
 */
function joinFiles<Episode extends ScoredEpisode>(
  folds: readonly Fold<Episode>[],
  novelty: Novelty,
  groups: Groups,
): void {
  const { actorsOf } = novelty.activity;
  const firsts = new Map<string, number>();
  folds.forEach(({ newest }, fold) => {
    const { processes, newPrograms, newPlaces, surprises } = newest;
    if (newPrograms.length > 0 || newPlaces.length > 0) return;
    if (surprises.some((surprise, kind) => surprise > 0 && !OF_FILES.has(kind))) return;
    const { files, others } = newFiles(
      processes.flatMap((process) => [...actorsOf(process)]),
      novelty,
    );
    if (files.size < others) return;
    for (const file of files) {
      const first = firsts.get(file);
      if (first === undefined) firsts.set(file, fold);
      else groups.join(first, fold);
    }
  });
}

/** The files that no one used before these actors, and the number of other events in which something is new. */
function newFiles(
  actors: readonly number[],
  { activity, news, hasKey }: Novelty,
): { files: Set<string>; others: number } {
  const { done, doneAt, catalogue } = activity;
  const files = new Set<string>();
  const uses = new Set<number>();
  const all = new Set<number>();
  for (const actor of actors) {
    for (const row of news(actor)) {
      all.add(doneAt[row]);
      const behaviour = done.secondAt(row);
      if (catalogue.kindOf(behaviour) !== NAME || hasKey(catalogue.behaviourKey(behaviour))) continue;
      files.add(String(catalogue.describe(behaviour)[3]));
      uses.add(doneAt[row]);
    }
  }
  return { files, others: all.size - uses.size };
}

function joinAddresses(
  novelty: Novelty,
  groups: Groups,
  novelFoldOf: (process: number) => number | undefined,
): void {
  const fresh = [...novelty.activity.addresses].filter(([address]) => !novelty.hasKey(addressKey(address)));
  const scans = new Scans(fresh.map(([, users]) => users));
  for (const [, users] of fresh) {
    const connections = [...users.values()].reduce((sum, use) => sum + use.connections, 0);
    if (connections > MOST_CONNECTIONS) continue;
    let first: number | undefined;
    for (const [process, use] of users) {
      const fold = novelFoldOf(process);
      if (fold === undefined || scans.has(process, use)) continue;
      if (first === undefined) first = fold;
      else groups.join(first, fold);
    }
  }
}

/** Groups of numbers. The lowest number stands for its group. */
class Groups {
  readonly #up: Int32Array;

  constructor(count: number) {
    this.#up = Int32Array.from({ length: count }, (_, i) => i);
  }

  find(number: number): number {
    let first = number;
    while (this.#up[first] !== first) first = this.#up[first];
    for (let each = number; each !== first; ) {
      const next = this.#up[each];
      this.#up[each] = first;
      each = next;
    }
    return first;
  }

  join(a: number, b: number): void {
    const [one, other] = [this.find(a), this.find(b)];
    this.#up[Math.max(one, other)] = Math.min(one, other);
  }
}
