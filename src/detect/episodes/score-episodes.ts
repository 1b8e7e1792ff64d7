import { PairTable } from '../evidence/pair-table.js';
import { NOVELTY_KINDS } from './novelty/catalogue.js';
import type { Novelty } from './novelty/novelty.js';
import type { NoveltyRates } from './novelty/novelty-rates.js';
import type { ProcessTrees } from './trees/process-trees.js';

const KINDS = NOVELTY_KINDS.length;
/** Names and extensions differ from run to run, so they do not tell episodes apart. */
const VARIABLE = new Set(['name', 'ext'].map((kind) => NOVELTY_KINDS.indexOf(kind as 'name')));
/** An episode's learned score is the sum of this many of its highest processes. */
const PROCESSES_COUNTED = 3;

/** A process tree below a session, a service or a job. Processes have the catalogue's numbers. */
export interface ScoredEpisode {
  readonly root: number;
  /** In order of appearance. */
  readonly processes: readonly number[];
  /** The program that the root ran last. */
  readonly program: number;
  /** The sum of the surprises of what is new, in nats. */
  readonly novelty: number;
  /** The highest learned scores of its processes, and their sum. */
  readonly highest: readonly number[];
  readonly learned: number;
  /** The surprise of its new programs and places. */
  readonly firsts: number;
  /** The part of the learned score that was left out, because a person accepted it. */
  readonly acceptedLearned?: number;
  /** The highest surprise of a process by kind, and that process's actor; -1 without any. */
  readonly surprises: Float64Array;
  readonly actors: Int32Array;
  readonly newPrograms: readonly number[];
  readonly newPlaces: readonly string[];
  /** What makes it like others: the numbers of its new programs, or without any those of its new behaviours. Ascending. */
  readonly sign: Int32Array;
  /** If a software change explains a part: the package manager's process, and the novelty that remains. */
  readonly change?: { readonly run: number; readonly remaining: number } | undefined;
}

/** What scores are computed from. */
export type NoveltyView = Pick<Novelty, 'activity' | 'all' | 'fresh' | 'news' | 'knows' | 'newPlaces'>;

export interface ScoreContext {
  readonly novelty: NoveltyView;
  /** The rates that an episode is compared with. */
  ratesOf(root: number): NoveltyRates;
  /** The learned score of a process. */
  learnedOf(process: number): number;
}

export function scoreEpisodes(
  trees: ProcessTrees,
  { novelty, ratesOf, learnedOf }: ScoreContext,
): ScoredEpisode[] {
  const { actors, actorsOf, catalogue, started, lastPrograms } = novelty.activity;
  const signs = new PairTable();
  return [...trees].map(([root, processes]) => {
    const rates = ratesOf(root);
    const surprises = new Float64Array(KINDS);
    const strongest = new Int32Array(KINDS).fill(-1);
    const newPrograms = new Set<number>();
    const newPlaces = new Set<string>();
    const behaviours = new Set<number>();
    for (const process of processes) {
      for (const place of novelty.newPlaces(process)) newPlaces.add(place);
      for (const actor of actorsOf(process)) {
        const program = actors.secondAt(actor);
        if (started.has(process) && !novelty.knows(program)) newPrograms.add(program);
        for (const row of novelty.news(actor)) behaviours.add(signOf(signs, novelty, program, row));
        for (let kind = 0; kind < KINDS; kind++) {
          const at = actor * KINDS + kind;
          if (novelty.fresh[at] === 0) continue;
          const surprise = rates.surprise(
            catalogue.programKey(program),
            kind,
            novelty.all[at],
            novelty.fresh[at],
          );
          if (surprise <= surprises[kind]) continue;
          surprises[kind] = surprise;
          strongest[kind] = actor;
        }
      }
    }
    const first = (newPrograms.size > 0 ? rates.newProgram : 0) + (newPlaces.size > 0 ? rates.newPlace : 0);
    return {
      root,
      processes,
      program: lastPrograms.get(root) ?? catalogue.program(''),
      novelty: surprises.reduce((sum, surprise) => sum + surprise, first),
      ...learnedScore(processes, learnedOf),
      firsts: first,
      surprises,
      actors: strongest,
      newPrograms: [...newPrograms].sort((a, b) => a - b),
      newPlaces: [...newPlaces],
      sign: Int32Array.from(newPrograms.size > 0 ? newPrograms : behaviours).sort(),
    };
  });
}

/** The part of a score that comes from the learned scores of the processes. */
export function learnedScore(
  processes: readonly number[],
  learnedOf: ScoreContext['learnedOf'],
): Pick<ScoredEpisode, 'highest' | 'learned'> {
  const highest = highestOf(processes.map(learnedOf));
  return { highest, learned: sumOf(highest) };
}

/** The number of a program and a behaviour; of a variable kind, all behaviours have one. */
function signOf(signs: PairTable, { activity }: NoveltyView, program: number, row: number): number {
  const behaviour = activity.done.secondAt(row);
  const kind = activity.catalogue.kindOf(behaviour);
  return signs.intern(program, VARIABLE.has(kind) ? -1 - kind : behaviour);
}

/**
 * The novelty and the learned score of several episodes, taken as one. What was discounted from the novelty of an episode
 * is taken from its kinds in equal shares.
 */
export function combineEpisodes(
  episodes: readonly Pick<ScoredEpisode, 'novelty' | 'surprises' | 'firsts' | 'highest'>[],
): Pick<ScoredEpisode, 'novelty' | 'learned'> {
  const surprises = new Float64Array(KINDS);
  let [firsts, most] = [0, 0];
  for (const each of episodes) {
    const whole = sumOf(Array.from(each.surprises)) + each.firsts;
    const share = whole === 0 ? 0 : each.novelty / whole;
    for (let kind = 0; kind < KINDS; kind++)
      surprises[kind] = Math.max(surprises[kind], share * each.surprises[kind]);
    firsts = Math.max(firsts, share * each.firsts);
    most = Math.max(most, each.novelty);
  }
  return {
    novelty: Math.max(most, sumOf(Array.from(surprises)) + firsts),
    learned: sumOf(highestOf(episodes.flatMap((each) => each.highest))),
  };
}

function highestOf(scores: readonly number[]): number[] {
  return [...scores].sort((a, b) => b - a).slice(0, PROCESSES_COUNTED);
}

function sumOf(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0);
}
