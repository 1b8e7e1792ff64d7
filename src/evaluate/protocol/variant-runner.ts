import { Stopwatch } from '../../base/stopwatch.js';
import { type IncidentLinks, LinkCollector } from '../../detect/alerts/incident-links.js';
import type { ScoringOptions } from '../evaluation.js';
import { NodeScoreCollector, type TestGraph, testGraphOf } from '../metrics/node-scores.js';
import { Episodes } from '../rivals/episodes.js';
import { makeRival } from '../rivals/make-rival.js';
import { Rarity } from '../rivals/rarity.js';
import { isPublished } from '../rivals/rival-settings.js';
import { Velox } from '../rivals/velox.js';
import type { TextModel } from './graphs-of-split.js';
import type { JudgedRun } from './judged-run.js';
import { RecalVariants } from './recal-variants.js';
import type { ScoredRun } from './scored-run.js';
import type { StageProgress, VariantGroup } from './variant-group.js';
import { type ResolvedVariant, shareTraining } from './variants.js';

/** The cost of one run, relative to training RECAL. Only the progress report uses it. */
const COST = { recal: 1, velox: 0.3, rarity: 0.1, episodes: 0.1 } as const;

/** Runs every variant with every seed on the same splits. It does not see labels. */
export class VariantRunner {
  readonly #options: ScoringOptions;
  readonly #shares: readonly number[];
  readonly #watch = new Stopwatch();
  /** By graph plan: every seed cuts the test into the same graphs. */
  readonly #testGraphs = new Map<string, TestGraph[]>();
  /** By graph plan: a plan decides which event of a node comes first, and so which nodes only read. */
  readonly #links = new Map<string, IncidentLinks>();

  /** Every variant is calibrated on each share of the entities, with the same training and measurements. */
  constructor(options: ScoringOptions, calibrationShares: readonly number[] = [1]) {
    this.#options = options;
    this.#shares = calibrationShares;
  }

  /** Seconds by group and stage. */
  get seconds(): Readonly<Record<string, number>> {
    return this.#watch.seconds;
  }

  /** Yields one run at a time, because all of them may not fit in memory. */
  async *runs(): AsyncGenerator<ScoredRun> {
    const { seeds, variants, watch } = this.#options;
    const groups = shareTraining(variants);
    const costs = groups.map(
      ([
        {
          variant: { kind },
        },
      ]) => (isPublished(kind) ? 1 : COST[kind]),
    );
    const total = costs.reduce((sum, cost) => sum + cost, 0) * seeds.length;
    let done = 0;
    const unseeded = new Map<string, readonly ScoredRun[]>();
    for (const seed of seeds) {
      // By the text settings, for this seed only.
      const texts = new Map<string, TextModel>();
      for (const [g, group] of groups.entries()) {
        const started = performance.now();
        const names = group.map(({ variant }) => variant.name);
        const known = unseeded.get(names[0]);
        if (known === undefined) {
          const key = textKey(group[0]);
          const made = makeGroup(group, texts.get(key));
          const runs = await this.#run(made, group, seed);
          if ((made instanceof RecalVariants || made instanceof Velox) && made.text !== undefined)
            texts.set(key, made.text);
          if (!made.seeded) unseeded.set(names[0], runs);
          yield* runs;
        } else yield* known.map((run) => ({ ...run, seed }));
        done += costs[g];
        const seconds = (performance.now() - started) / 1000;
        watch?.finished?.({ seed, names, seconds }, done / total);
      }
    }
  }

  /** Runs one group with one seed, from training to scores. */
  async #run(made: VariantGroup, group: readonly ResolvedVariant[], seed: number): Promise<ScoredRun[]> {
    const { splits, threads, signal, watch } = this.#options;
    const { names } = made;
    const progress: StageProgress = (stage, done) => watch?.stage?.({ seed, names }, stage, done);
    try {
      const calibrationShares = this.#shares;
      const keepErrors = seed === this.#options.seeds[0];
      await made.fit(splits.train, { seed, threads, calibrationShares, keepErrors, signal, progress });
      const outcomes = await made.calibrate(splits.calibrate);
      const { table, keys } = splits.test.events;
      const collectors = outcomes.map(({ over }) => new NodeScoreCollector(keys.size, over));
      const plan = planKey(group[0]);
      const knownLinks = this.#links.get(plan);
      const linkCollector =
        knownLinks === undefined
          ? new LinkCollector(splits.test.names, table, (node) => keys.hostAt(node))
          : undefined;
      const graphs = this.#testGraphs.get(plan) ?? [];
      let count = 0;
      for await (const { view, of } of made.score(splits.test)) {
        graphs[count] ??= testGraphOf(view, table);
        linkCollector?.add(view.planned.nodes, view.interactions);
        for (const [i, scores] of of.entries()) collectors[i].add(graphs[count].nodes, scores);
        count++;
      }
      const links = knownLinks ?? (linkCollector as LinkCollector).finish();
      this.#links.set(plan, links);
      this.#testGraphs.set(plan, graphs);
      const episodeScores = made instanceof Episodes ? made.episodeScores : undefined;
      const shared = { seed, budget: made.budget, graphs, links, episodeScores };
      const nodeScores = collectors.map((collector) => collector.finish());
      const judged: (JudgedRun | undefined)[] = [];
      for (const [i, { scores }] of nodeScores.entries())
        judged.push(await made.judge?.(i, splits.test, scores));
      return nodeScores.map((found, i) => ({
        ...shared,
        judged: judged[i],
        variant: names[i % names.length],
        calibrationShare: calibrationShares[Math.floor(i / names.length)],
        seconds: { ...(made.ownSeconds?.[i] ?? made.seconds) },
        errors: made.errors?.[i],
        nodeScores: found,
        outcome: outcomes[i],
      }));
    } finally {
      for (const [stage, seconds] of Object.entries(made.seconds)) {
        this.#watch.add(`${names.join('+')}: ${stage}`, seconds);
      }
      await made.close();
    }
  }
}

function planKey({ training }: ResolvedVariant): string {
  return training.graph === 'file' ? 'file' : `window ${training.window}`;
}

function textKey({ training }: ResolvedVariant): string {
  const { textDimension, textWindow, textNegatives, textEpochs, textRate } = training;
  return [textDimension, textWindow, textNegatives, textEpochs, textRate].join();
}

function makeGroup(group: readonly ResolvedVariant[], text: TextModel | undefined): VariantGroup {
  const [first] = group;
  const { kind } = first.variant;
  if (isPublished(kind)) return makeRival(kind, first);
  if (kind === 'rarity') return new Rarity(first);
  if (kind === 'episodes') return new Episodes(first);
  return kind === 'velox' ? new Velox(first, text) : new RecalVariants(group, text);
}
