import { Stopwatch } from '../base/stopwatch.js';
import { type IncidentLinks, LinkCollector } from '../detect/incident-links.js';
import { learnNodeText } from '../features/node-text.js';
import { buildGraph } from '../graph/provenance-graph.js';
import type { TrainedModel } from '../model/trained-model.js';
import { decayOf } from '../model/training-config.js';
import { hashBehaviours } from './behaviour-hash.js';
import { groupBehaviours } from './behaviours.js';
import type { BenignOutcome, Contestants, StageProgress } from './contestant.js';
import { RarityContestant, VeloxContestant } from './counted-contestants.js';
import { describeRun } from './describe-run.js';
import type { EvaluateOptions, Evaluation, MeasuredRun, RunRecord } from './evaluation.js';
import { type LabelMatch, matchLabels } from './label-match.js';
import { LearnedContestants } from './learned-contestants.js';
import type { HopRows } from './matching.js';
import { type NodeScores, ScoreTally, type TestGraph, testGraphOf } from './node-scores.js';
import type { Part } from './parts.js';
import { checkOrder } from './protocol.js';
import { type ScoreColumn, ScoreSheet } from './score-sheet.js';
import { measureSeed, type SeedCurves, type Truth } from './seed-result.js';
import { type ResolvedVariant, shareTraining } from './variants.js';

/** Runs every variant with every seed over the same parts and holds all against the same labels (method §10). */
export async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  const { parts, signal, watch } = options;
  const run = new EvaluationRun(options);
  const notes = checkOrder(parts, options.protocol, options.allowPast ?? false);
  const labels = matchTest(options);
  watch?.started?.(labels, notes);
  try {
    await run.all(labels);
  } catch (error) {
    // Ctrl-C leaves what is finished; anything else is not what was asked for.
    if (signal?.aborted !== true || run.measured.length === 0) throw error;
  }
  const curves: Record<string, SeedCurves[]> = {};
  for (const { variant, measured } of run.measured) {
    curves[variant] ??= [];
    curves[variant].push(measured.curves);
  }
  return {
    result: describeRun(options, labels, run, notes),
    ...{ curves, scores: run.scores, labels, complete: run.complete },
  };
}

function matchTest({ parts: { train, test }, labels, ignore }: EvaluateOptions): LabelMatch {
  const known = new Set<string>();
  for (let node = 0; node < train.events.keys.size; node++) {
    const key = train.events.uuid(node).toUpperCase();
    if (labels.byKey.has(key)) known.add(key);
  }
  return matchLabels(labels, test.events.keys.size, (node) => test.events.uuid(node), {
    ...{ ignore, inTraining: (key) => known.has(key) },
  });
}

/** All that figures are made of. */
interface Verdict {
  readonly found: NodeScores;
  readonly outcome: BenignOutcome;
  /** Seconds by stage, of all variants that share them. */
  readonly seconds: Readonly<Record<string, number>>;
}

class EvaluationRun implements RunRecord {
  readonly measured: MeasuredRun[] = [];
  readonly #sheet: ScoreSheet;
  complete = false;
  readonly #options: EvaluateOptions;
  readonly #watch = new Stopwatch();
  /** By how the test is cut: the same for every seed. */
  readonly #testGraphs = new Map<string, TestGraph[]>();
  #links: IncidentLinks | undefined;

  constructor(options: EvaluateOptions) {
    this.#options = options;
    const { seeds, variants, parts } = options;
    this.#sheet = new ScoreSheet(parts.test.events.keys.size, seeds.length * variants.length);
  }

  get scores(): readonly ScoreColumn[] {
    return this.#sheet.columns;
  }

  get seconds(): Record<string, number> {
    return this.#watch.seconds;
  }

  async all(labels: LabelMatch): Promise<void> {
    const { seeds, variants } = this.#options;
    const groups = shareTraining(variants);
    const behaviours = await this.#watch.time('behaviours', () => this.#groupBehaviours(labels));
    const weights = groups.map(([{ variant }]) => ({ recal: 1, velox: 0.3, rarity: 0.1 })[variant.kind]);
    const total = weights.reduce((sum, weight) => sum + weight, 0) * seeds.length;
    let done = 0;
    const alike = new Map<string, Verdict>();
    for (const seed of seeds) {
      // Of this seed, by the choices that words are learned with.
      const learned = new Map<string, Pick<TrainedModel, 'space' | 'direction'>>();
      for (const [g, group] of groups.entries()) {
        const started = performance.now();
        const names = group.map(({ variant }) => variant.name);
        const known = alike.get(names[0]);
        if (known === undefined) {
          const words = wordsKey(group[0]);
          const contestants = makeContestants(group, learned.get(words));
          const found = await this.#compete(contestants, group, seed, labels, behaviours);
          if (contestants instanceof LearnedContestants && contestants.words !== undefined) {
            learned.set(words, contestants.words);
          }
          if (!contestants.seeded) alike.set(names[0], found[0]);
        } else this.#measure(names[0], seed, group[0], known, labels, behaviours);
        done += weights[g];
        const seconds = (performance.now() - started) / 1000;
        this.#options.watch?.finished?.({ seed, names, seconds }, done / total);
      }
    }
    this.complete = true;
  }

  /** One group of contestants with one seed, from training to figures. */
  async #compete(
    contestants: Contestants,
    group: readonly ResolvedVariant[],
    seed: number,
    labels: LabelMatch,
    behaviours: Truth['behaviours'],
  ): Promise<Verdict[]> {
    const { parts, threads, signal, watch } = this.#options;
    const { names } = contestants;
    const progress: StageProgress = (stage, done) => watch?.stage?.({ seed, names }, stage, done);
    try {
      await contestants.fit(parts.train, { seed, threads, signal, progress });
      const outcomes = await contestants.calibrate(parts.calibrate);
      const tallies = outcomes.map(({ over }) => new ScoreTally(parts.test.events.keys.size, over));
      const links =
        this.#links === undefined ? new LinkCollector(parts.test.names, parts.test.events.table) : undefined;
      const plan = planKey(group[0]);
      const graphs = this.#testGraphs.get(plan) ?? [];
      let count = 0;
      for await (const { view, of } of contestants.score(parts.test)) {
        graphs[count] ??= testGraphOf(view, parts.test.events.table);
        links?.add(view.planned.nodes, view.interactions);
        for (const [i, scores] of of.entries()) tallies[i].add(graphs[count].nodes, scores);
        count++;
      }
      this.#links ??= links?.finish();
      this.#testGraphs.set(plan, graphs);
      const { seconds } = contestants;
      const found = tallies.map((tally, i) => ({ found: tally.finish(), outcome: outcomes[i], seconds }));
      for (const [i, each] of found.entries()) {
        this.#measure(names[i], seed, group[i], each, labels, behaviours);
      }
      return found;
    } finally {
      for (const [stage, seconds] of Object.entries(contestants.seconds)) {
        this.#watch.add(`${names.join('+')}: ${stage}`, seconds);
      }
      await contestants.close();
    }
  }

  #measure(
    name: string,
    seed: number,
    resolved: ResolvedVariant,
    { found, outcome, seconds }: Verdict,
    labels: LabelMatch,
    behaviours: Truth['behaviours'],
  ): void {
    const { parts, threshold, matching } = this.#options;
    const started = performance.now();
    const measured = measureSeed(
      ...([seed, threshold, outcome, found] as const),
      this.#testGraphs.get(planKey(resolved)) ?? [],
      {
        ...{ labels, behaviours, matching, events: parts.test.events },
        links: this.#links as IncidentLinks,
        hops: () => this.#hopRows(parts.test),
      },
    );
    this.#watch.add('metrics', (performance.now() - started) / 1000);
    const result = { ...measured.result, timings: { ...seconds } };
    this.measured.push({ variant: name, measured: { ...measured, result }, outcome });
    this.#sheet.add(name, seed, found.scores);
  }

  #hops: HopRows | undefined;

  /** Neighbours in the whole test, whatever graphs a variant cuts it into; those of the table's numbers. */
  #hopRows({ events: { table } }: Part): HopRows {
    if (this.#hops !== undefined) return this.#hops;
    const graph = buildGraph(table);
    const widen = (rows: HopRows['bySource']): HopRows['bySource'] => {
      const offsets = new Uint32Array(table.nodeCount + 1);
      graph.nodes.forEach((node, v) => {
        offsets[node + 1] = rows.offsets[v + 1] - rows.offsets[v];
      });
      for (let node = 0; node < table.nodeCount; node++) offsets[node + 1] += offsets[node];
      // Local numbers ascend with those of the table, so the entries stand in the right order already.
      return { offsets, neighbours: rows.neighbours.map((v) => graph.nodes[v]) };
    };
    const { byDestination, bySource } = graph.adjacency;
    this.#hops = { byDestination: widen(byDestination), bySource: widen(bySource) };
    return this.#hops;
  }

  async #groupBehaviours({ ignored }: LabelMatch): Promise<Truth['behaviours']> {
    const { parts, variants } = this.#options;
    const { vocabulary } = await learnNodeText(parts.train.store, parts.train.events);
    const { training } = variants[0];
    const hashes = hashBehaviours(parts.test.events, await parts.test.text(vocabulary), {
      ...{ history: training.history, decay: decayOf(training) },
    });
    return groupBehaviours(hashes, ignored);
  }
}

function planKey({ training }: ResolvedVariant): string {
  return training.graph === 'file' ? 'file' : `window ${training.window}`;
}

function wordsKey({ training }: ResolvedVariant): string {
  const { textDimension, textWindow, textNegatives, textEpochs, textRate } = training;
  return [textDimension, textWindow, textNegatives, textEpochs, textRate].join();
}

function makeContestants(
  group: readonly ResolvedVariant[],
  words: Pick<TrainedModel, 'space' | 'direction'> | undefined,
): Contestants {
  const [first] = group;
  if (first.variant.kind === 'rarity') return new RarityContestant(first);
  return first.variant.kind === 'velox'
    ? new VeloxContestant(first, words)
    : new LearnedContestants(group, words);
}
