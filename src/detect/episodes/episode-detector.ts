import { largest } from '../../base/extremes.js';
import { finishMix } from '../../base/integer-mix.js';
import { ExplainedChanges } from './changes/explain-changes.js';
import { FleetNovelty, type HostRates } from './fleet/fleet-novelty.js';
import { foldEpisodes } from './fold-episodes.js';
import { joinEpisodes } from './join-episodes.js';
import type { EventsWithLead, NamedEvents } from './named-events.js';
import { AcceptedBehaviours } from './novelty/accepted-behaviours.js';
import { beaconSurprise } from './novelty/beacon.js';
import { Catalogue } from './novelty/catalogue.js';
import { KnownBehaviours } from './novelty/known-behaviours.js';
import { learnActivity, Novelty } from './novelty/novelty.js';
import { NoveltyRates } from './novelty/novelty-rates.js';
import { TailSurprise } from './novelty/tail-surprise.js';
import { combineEpisodes, learnedScore, type ScoredEpisode, scoreEpisodes } from './score-episodes.js';
import { collectActivity } from './trees/activity.js';
import { type ProcessTrees, plantTrees } from './trees/process-trees.js';

/** An episode with the fused score: −ln of how rarely benign episodes have its novelty and its learned score. */
export interface JudgedEpisode extends ScoredEpisode {
  readonly score: number;
  /** The parts of the score, in nats. */
  readonly fromNovelty: number;
  readonly fromLearned: number;
}

/** Episodes that repeat or have one cause. The first scores highest. */
export interface EpisodeIncident {
  readonly score: number;
  /** The parts of the score, in nats. */
  readonly fromNovelty: number;
  readonly fromLearned: number;
  readonly episodes: readonly JudgedEpisode[];
  /** The same without repeats. */
  readonly distinct: readonly JudgedEpisode[];
}

export interface JudgedEpisodes {
  /** By score, highest first. */
  readonly incidents: readonly EpisodeIncident[];
  /** Number of episodes before folding. */
  readonly count: number;
  readonly novelty: Novelty;
  readonly rates: NoveltyRates;
  readonly changes: ExplainedChanges;
}

/** What calibration learns about benign episodes. */
export interface EpisodeCalibration {
  /** What the calibration events made known. */
  readonly known: KnownBehaviours;
  readonly rates: NoveltyRates;
  /** Where hosts are told apart: how often something is new on its host. */
  readonly onHost: HostRates | undefined;
  readonly novelty: TailSurprise;
  readonly learned: TailSurprise;
  /** The share of benign episodes in which software is installed. */
  readonly changeShare: number;
  /** Scores of the incidents that benign episodes would form. */
  readonly incidents: TailSurprise;
}

/** Learns what benign programs do. */
export function learnBehaviours(train: NamedEvents): KnownBehaviours {
  const known = new KnownBehaviours();
  learnActivity(collectActivity(train, new Catalogue()), known);
  return known;
}

/** The learned score of each node of the events; NaN for nodes to leave out. */
export type LearnedScores = ArrayLike<number>;

/**
 * Measures how often benign processes do something new, and how high benign episodes score. Rates of one half score the
 * episodes of the other, so that the scores are those of events not measured.
 */
export function calibrateEpisodes(
  trained: KnownBehaviours,
  benign: EventsWithLead,
  scores: LearnedScores,
): EpisodeCalibration {
  const activity = collectActivity(benign, new Catalogue());
  const novelty = new Novelty(activity, trained);
  const learnedOf = (process: number) => scores[activity.nodes.get(process) ?? -1] ?? 0;
  const kept = [...plantTrees(novelty)].filter(
    ([, processes]) => !processes.some((p) => Number.isNaN(learnedOf(p))),
  );
  const trees = new Map(kept);
  const halfOf = new Map<number, number>();
  for (const [root, processes] of trees)
    for (const process of processes) halfOf.set(process, finishMix(root) & 1);
  const measure = (isCounted: (half: number | undefined) => boolean) =>
    NoveltyRates.measure(novelty, (process) => isCounted(halfOf.get(process)));
  const others = [measure((half) => half === 1), measure((half) => half === 0)];
  const context = { learnedOf, ratesOf: (root: number) => others[finishMix(root) & 1] };
  const changes = new ExplainedChanges(novelty);
  const changeShare = Math.fround(changes.share(trees.values()));
  const discounted = changes.discount(scoreEpisodes(trees, { novelty, ...context }), context, changeShare);
  const fleet = trained.hosts === undefined ? undefined : new FleetNovelty(novelty, trained);
  const onHost = fleet && [0, 1].map((own) => fleet.measure((process) => halfOf.get(process) === 1 - own));
  const episodes = onHost ? fleet.add(discounted, (root) => onHost[finishMix(root) & 1]) : discounted;
  const tails = {
    novelty: new TailSurprise(episodes.map((episode) => episode.novelty)),
    learned: new TailSurprise(episodes.map((episode) => episode.learned)),
  };
  const known = new KnownBehaviours();
  if (trained.hosts !== undefined) known.recordHosts();
  learnActivity(activity, known, (process) => halfOf.has(process));
  return {
    known,
    rates: measure((half) => half !== undefined),
    onHost: fleet?.measure((process) => halfOf.has(process)),
    changeShare,
    ...tails,
    incidents: new TailSurprise(formIncidents(episodes, tails, novelty).map(({ score }) => score)),
  };
}

/** Episodes without learned scores: as found, and with the novelty that software changes and other hosts leave. */
interface UnlearnedEpisodes {
  readonly found: readonly ScoredEpisode[];
  readonly reduced: readonly ScoredEpisode[];
}

/** Finds the episodes of events once, and ranks the incidents that they form with given learned scores. */
export class EpisodeJudge {
  readonly #novelty: Novelty;
  readonly #trees: ProcessTrees;
  readonly #changes: ExplainedChanges;
  readonly #fleet: FleetNovelty;
  readonly #calibration: EpisodeCalibration;
  readonly #accepted: AcceptedBehaviours;
  #episodes: UnlearnedEpisodes | undefined;
  /** The novelty of each tree without what was accepted; empty if nothing was. */
  readonly #noveltyAlone: ReadonlyMap<number, number>;

  constructor(
    trained: KnownBehaviours,
    calibration: EpisodeCalibration,
    events: EventsWithLead,
    accepted: AcceptedBehaviours = new AcceptedBehaviours([]),
  ) {
    const learned = new KnownBehaviours();
    learned.addAll(trained);
    learned.addAll(calibration.known);
    const known = new KnownBehaviours();
    known.addAll(learned);
    known.addAll(accepted.known);
    const activity = collectActivity(events, new Catalogue());
    this.#calibration = calibration;
    this.#accepted = accepted;
    this.#novelty = new Novelty(activity, known, learned);
    this.#trees = plantTrees(this.#novelty);
    this.#changes = new ExplainedChanges(this.#novelty);
    this.#fleet = new FleetNovelty(this.#novelty, known);
    const alone =
      accepted.count === 0
        ? []
        : scoreEpisodes(this.#trees, {
            novelty: new Novelty(activity, learned),
            ratesOf: () => calibration.rates,
            learnedOf: () => 0,
          });
    this.#noveltyAlone = new Map(alone.map(({ root, novelty }) => [root, novelty]));
  }

  judge(scores: LearnedScores): JudgedEpisodes {
    const novelty = this.#novelty;
    const { rates } = this.#calibration;
    const { nodes } = novelty.activity;
    const learnedOf = (process: number) => scores[nodes.get(process) ?? -1] ?? 0;
    this.#episodes ??= this.#scoreNovelty();
    const { found, reduced } = this.#episodes;
    const episodes = found.map((each, i): ScoredEpisode => {
      const learned = this.#discount({ ...each, ...learnedScore(each.processes, learnedOf) });
      return { ...learned, novelty: reduced[i].novelty, change: reduced[i].change };
    });
    const incidents = formIncidents(episodes, this.#calibration, novelty);
    return { incidents, count: episodes.length, novelty, rates, changes: this.#changes };
  }

  /** The novelty of episodes is the same for all learned scores. */
  #scoreNovelty(): UnlearnedEpisodes {
    const { rates, changeShare, onHost } = this.#calibration;
    const context = { ratesOf: () => rates, learnedOf: () => 0 };
    const found = scoreEpisodes(this.#trees, { novelty: this.#novelty, ...context });
    const discounted = this.#changes.discount(found, context, changeShare);
    return { found, reduced: onHost === undefined ? discounted : this.#fleet.add(discounted, () => onHost) };
  }

  /** Leaves out the part of the learned score that a person accepted. */
  #discount(episode: ScoredEpisode): ScoredEpisode {
    if (this.#accepted.count === 0) return episode;
    const { catalogue, actors, actorsOf } = this.#novelty.activity;
    const learned = this.#accepted.remainingLearned(episode, this.#noveltyAlone.get(episode.root) ?? 0, {
      root: catalogue.programKey(episode.program),
      all: () => {
        const programs = new Set<number>();
        for (const process of episode.processes)
          for (const actor of actorsOf(process)) programs.add(actors.secondAt(actor));
        return [...programs].map((program) => catalogue.programKey(program));
      },
    });
    if (learned === episode.learned) return episode;
    const highest = episode.highest.map((score) => (score * learned) / episode.learned);
    return { ...episode, highest, learned, acceptedLearned: episode.learned - learned };
  }
}

/**
 * Folds and joins episodes, and scores what they form as one: the sum over kinds of the highest surprise in any of its
 * folds. Parts of one attack that look harmless by themselves, such as a planted job and its later runs, add up.
 */
function formIncidents(
  episodes: readonly ScoredEpisode[],
  tails: Pick<EpisodeCalibration, 'novelty' | 'learned'>,
  novelty: Novelty,
): EpisodeIncident[] {
  const judged = episodes.map((episode): JudgedEpisode => {
    const [fromNovelty, fromLearned] = [tails.novelty.of(episode.novelty), tails.learned.of(episode.learned)];
    return { ...episode, score: fromNovelty + fromLearned, fromNovelty, fromLearned };
  });
  const folds = foldEpisodes(judged);
  return joinEpisodes(folds, novelty)
    .map((joined) => {
      const distinct = joined.folds.map((fold) => fold.episodes[0]);
      const all = combineEpisodes(distinct);
      const [fromNovelty, fromLearned] = [tails.novelty.of(all.novelty), tails.learned.of(all.learned)];
      const rhythm = largest(joined.folds.map((fold) => beaconSurprise(fold.episodes, novelty)));
      return {
        score: fromNovelty + fromLearned + rhythm,
        fromNovelty,
        fromLearned,
        episodes: joined.episodes,
        distinct,
      };
    })
    .sort((a, b) => b.score - a.score);
}
