import { Stopwatch } from '../../base/stopwatch.js';
import { type IncidentLinks, LinkCollector } from '../../detect/alerts/incident-links.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import type { ContestOptions } from '../evaluation.js';
import { type NodeScores, ScoreTally, type TestGraph, testGraphOf } from '../metrics/node-scores.js';
import { RarityContestant, VeloxContestant } from '../rivals/counted-contestants.js';
import type { BenignOutcome, Contestants, StageProgress } from './contestant.js';
import { LearnedContestants } from './learned-contestants.js';
import { type ResolvedVariant, shareTraining } from './variants.js';

/** What a variant with one seed says of the test, and all that figures are made of but the labels. */
export interface Verdict {
  readonly variant: string;
  readonly seed: number;
  readonly found: NodeScores;
  readonly outcome: BenignOutcome;
  /** Seconds by stage, of all variants that share them. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly graphs: readonly TestGraph[];
  readonly links: IncidentLinks;
}

type Words = Pick<TrainedModel, 'space' | 'direction'>;

/** Every variant with every seed over the same parts. It sees no labels, so that several can be held against it. */
export class Contest {
  readonly #options: ContestOptions;
  readonly #watch = new Stopwatch();
  /** By how the test is cut: the same for every seed. */
  readonly #testGraphs = new Map<string, TestGraph[]>();
  /** By plan: one graph and many may see another first event, and so who only read. */
  readonly #links = new Map<string, IncidentLinks>();

  constructor(options: ContestOptions) {
    this.#options = options;
  }

  /** By variants that share the work, and stage. */
  get seconds(): Readonly<Record<string, number>> {
    return this.#watch.seconds;
  }

  /** Verdict after verdict, as they are found: all of them together may not fit in memory. */
  async *verdicts(): AsyncGenerator<Verdict> {
    const { seeds, variants, watch } = this.#options;
    const groups = shareTraining(variants);
    const weights = groups.map(([{ variant }]) => ({ recal: 1, velox: 0.3, rarity: 0.1 })[variant.kind]);
    const total = weights.reduce((sum, weight) => sum + weight, 0) * seeds.length;
    let done = 0;
    const alike = new Map<string, Verdict>();
    for (const seed of seeds) {
      // Of this seed, by the choices that words are learned with.
      const learned = new Map<string, Words>();
      for (const [g, group] of groups.entries()) {
        const started = performance.now();
        const names = group.map(({ variant }) => variant.name);
        const known = alike.get(names[0]);
        if (known === undefined) {
          const words = wordsKey(group[0]);
          const contestants = makeContestants(group, learned.get(words));
          const found = await this.#compete(contestants, group, seed);
          if (contestants instanceof LearnedContestants && contestants.words !== undefined) {
            learned.set(words, contestants.words);
          }
          if (!contestants.seeded) alike.set(names[0], found[0]);
          yield* found;
        } else yield { ...known, seed };
        done += weights[g];
        const seconds = (performance.now() - started) / 1000;
        watch?.finished?.({ seed, names, seconds }, done / total);
      }
    }
  }

  /** One group of contestants with one seed, from training to scores. */
  async #compete(
    contestants: Contestants,
    group: readonly ResolvedVariant[],
    seed: number,
  ): Promise<Verdict[]> {
    const { parts, threads, signal, watch } = this.#options;
    const { names } = contestants;
    const progress: StageProgress = (stage, done) => watch?.stage?.({ seed, names }, stage, done);
    try {
      await contestants.fit(parts.train, { seed, threads, signal, progress });
      const outcomes = await contestants.calibrate(parts.calibrate);
      const tallies = outcomes.map(({ over }) => new ScoreTally(parts.test.events.keys.size, over));
      const { table, keys } = parts.test.events;
      const plan = planKey(group[0]);
      const links = this.#links.get(plan);
      const collector =
        links === undefined
          ? new LinkCollector(parts.test.names, table, (node) => keys.hostAt(node))
          : undefined;
      const graphs = this.#testGraphs.get(plan) ?? [];
      let count = 0;
      for await (const { view, of } of contestants.score(parts.test)) {
        graphs[count] ??= testGraphOf(view, parts.test.events.table);
        collector?.add(view.planned.nodes, view.interactions);
        for (const [i, scores] of of.entries()) tallies[i].add(graphs[count].nodes, scores);
        count++;
      }
      const found = links ?? (collector as LinkCollector).finish();
      this.#links.set(plan, found);
      this.#testGraphs.set(plan, graphs);
      const shared = {
        seed,
        seconds: { ...contestants.seconds },
        graphs,
        links: found,
      };
      return tallies.map((tally, i) => ({
        ...shared,
        variant: names[i],
        found: tally.finish(),
        outcome: outcomes[i],
      }));
    } finally {
      for (const [stage, seconds] of Object.entries(contestants.seconds)) {
        this.#watch.add(`${names.join('+')}: ${stage}`, seconds);
      }
      await contestants.close();
    }
  }
}

function planKey({ training }: ResolvedVariant): string {
  return training.graph === 'file' ? 'file' : `window ${training.window}`;
}

function wordsKey({ training }: ResolvedVariant): string {
  const { textDimension, textWindow, textNegatives, textEpochs, textRate } = training;
  return [textDimension, textWindow, textNegatives, textEpochs, textRate].join();
}

function makeContestants(group: readonly ResolvedVariant[], words: Words | undefined): Contestants {
  const [first] = group;
  if (first.variant.kind === 'rarity') return new RarityContestant(first);
  return first.variant.kind === 'velox'
    ? new VeloxContestant(first, words)
    : new LearnedContestants(group, words);
}
