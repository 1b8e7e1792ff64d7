import { groupIndices } from '../../../base/group-indices.js';
import { NOVELTY_KINDS } from '../novelty/catalogue.js';
import type { Novelty } from '../novelty/novelty.js';
import { type NoveltyView, type ScoreContext, type ScoredEpisode, scoreEpisodes } from '../score-episodes.js';
import { placeOf } from '../trees/activity.js';
import { isTemporaryPlace } from './package-managers.js';
import { findSoftwareChanges, type SoftwareChanges } from './software-changes.js';
import { isShell, isTellingForPackages } from './telling-for-packages.js';

const KINDS = NOVELTY_KINDS.length;
const NONE: ReadonlySet<number> = new Set();
/** Relations that use a file without changing it. */
const USES = /read|open|exec|mmap|load|close|stat|check|access|query|lseek|fcntl/i;

/** What software changes explain in an activity. */
export class ExplainedChanges {
  readonly changes: SoftwareChanges;
  readonly view: NoveltyView;
  readonly #novelty: Novelty;
  /** The run that explains something of a process. */
  readonly #runOfProcess = new Map<number, number>();
  /** The directories of the files that runs wrote. */
  #written: ReadonlySet<string> | undefined;

  constructor(novelty: Novelty) {
    this.#novelty = novelty;
    this.changes = findSoftwareChanges(novelty, isTellingIn(novelty));
    this.view = this.#explain();
  }

  /** The share of trees with a package manager: how likely a change is. */
  share(trees: Iterable<readonly number[]>): number {
    const { runOf } = this.changes;
    let [all, changed] = [0, 0];
    for (const processes of trees) {
      all++;
      if (processes.some((process) => runOf.has(process))) changed++;
    }
    return (changed + 0.5) / (all + 1);
  }

  /**
   * Replaces the surprise of what a change explains by the surprise that a change happens, where that is less. What
   * software never does while it is installed keeps its full weight.
   */
  discount(
    episodes: readonly ScoredEpisode[],
    context: Omit<ScoreContext, 'novelty'>,
    share: number,
  ): ScoredEpisode[] {
    if (this.changes.runs.length === 0) return [...episodes];
    const surprise = -Math.log(share);
    return episodes.map((episode) => {
      const run = this.#runOfEpisode(episode);
      if (run === undefined || episode.novelty === 0) return episode;
      const trees = new Map([[episode.root, episode.processes]]);
      const [{ novelty: remaining }] = scoreEpisodes(trees, { ...context, novelty: this.view });
      if (remaining >= episode.novelty) return episode;
      const change = { run, remaining };
      return { ...episode, novelty: Math.min(episode.novelty, surprise + remaining), change };
    });
  }

  #runOfEpisode({ processes }: ScoredEpisode): number | undefined {
    for (const process of processes) {
      const run = this.changes.runOf.get(process) ?? this.#runOfProcess.get(process);
      if (run !== undefined) return run;
    }
    return undefined;
  }

  #explain(): NoveltyView {
    const { changes } = this;
    const novelty = this.#novelty;
    const { activity, all } = novelty;
    if (changes.runs.length === 0) return novelty;
    const { actors, catalogue, done } = activity;
    const fresh = novelty.fresh.slice();
    const isFresh = novelty.isFresh.slice();
    for (let actor = 0; actor < actors.size; actor++) {
      for (const row of this.#explainedRows(actor, novelty.news(actor))) {
        fresh[actor * KINDS + catalogue.kindOf(done.secondAt(row))]--;
        isFresh[row] = 0;
      }
    }
    const outside = new Set<number>();
    actors.firsts.forEach((process, actor) => {
      if (!changes.runOf.has(process)) outside.add(actors.secondAt(actor));
    });
    const isExplained = (program: number) => {
      const place = placeOf(catalogue.programName(program));
      if (place !== undefined && isTemporaryPlace(place)) return false;
      // A new program that also ran outside must have come with the change.
      return changes.installed.has(program) || (!outside.has(program) && changes.runs.length > 0);
    };
    return {
      activity,
      all,
      fresh,
      news: groupIndices(done.firsts, isFresh),
      knows: (program) => novelty.knows(program) || isExplained(program),
      newPlaces: (process) => this.#remainingPlaces(process),
    };
  }

  /** The places that a change does not explain: temporary ones, and those of other programs. */
  #remainingPlaces(process: number): readonly string[] {
    const { runOf, files } = this.changes;
    const places = this.#novelty.newPlaces(process);
    if (places.length === 0) return places;
    this.#written ??= new Set([...files.keys()].map((file) => file.slice(0, file.lastIndexOf('/'))));
    const written = this.#written;
    return places.filter((place) => isTemporaryPlace(place) || !(runOf.has(process) || written.has(place)));
  }

  /** The new behaviours of an actor that a change explains, as rows of `activity.done`. */
  #explainedRows(actor: number, rows: Int32Array): ReadonlySet<number> {
    if (rows.length === 0) return NONE;
    const { runOf, installed, scripts } = this.changes;
    const { actors, catalogue, done, doneAt } = this.#novelty.activity;
    const [process, program] = [actors.firstAt(actor), actors.secondAt(actor)];
    const own = runOf.get(process) ?? installed.get(program) ?? scripts.get(process);
    const described = Array.from(rows, (row) => ({ row, what: catalogue.describe(done.secondAt(row)) }));
    const telling = new Set<number>();
    for (const { row, what } of described) if (isTellingForPackages(what)) telling.add(doneAt[row]);
    const used = this.#usedFiles(described);
    const explained = new Set<number>();
    for (const { row, what } of described) {
      const [kind, first, second] = what;
      let by = own;
      if (kind === 'parent' || kind === 'process') {
        const other = String(kind === 'parent' ? first : second);
        const child = kind === 'parent' ? catalogue.programName(program) : other;
        // A service that starts a shell is telling, however new it is.
        if (isShell(child) && !runOf.has(process)) continue;
        by ??= installed.get(catalogue.program(other));
      } else by ??= used.get(doneAt[row]);
      if (by === undefined || isTellingForPackages(what)) continue;
      // The directory and the extension of a telling name belong to the same event.
      if ((kind === 'dir' || kind === 'ext') && telling.has(doneAt[row])) continue;
      explained.add(row);
      this.#runOfProcess.set(process, by);
    }
    return explained;
  }

  /** The events in which a program uses a file that a change brought, with the run. */
  #usedFiles(
    described: readonly { readonly row: number; readonly what: readonly (string | number)[] }[],
  ): ReadonlyMap<number, number> {
    const { doneAt } = this.#novelty.activity;
    const used = new Map<number, number>();
    for (const { row, what } of described) {
      const [kind, relation, , name] = what;
      const run =
        kind === 'name' && USES.test(String(relation)) ? this.changes.files.get(String(name)) : undefined;
      if (run !== undefined) used.set(doneAt[row], run);
    }
    return used;
  }
}

/** Whether a process connects to a new network, reads secrets or reaches into another process. */
function isTellingIn({ activity, news }: Novelty): (process: number) => boolean {
  const { actorsOf, catalogue, done } = activity;
  const known = new Map<number, boolean>();
  const isTelling = (behaviour: number): boolean => {
    const what = catalogue.describe(behaviour);
    // A new port of a known network is kept, but is no reason to doubt the process.
    return what[0] !== 'port' && isTellingForPackages(what);
  };
  const remember = (behaviour: number): boolean => {
    const found = known.get(behaviour) ?? isTelling(behaviour);
    known.set(behaviour, found);
    return found;
  };
  return (process) =>
    actorsOf(process).some((actor) => news(actor).some((row) => remember(done.secondAt(row))));
}
