import { Stopwatch } from '../../base/stopwatch.js';
import { buildGraph } from '../../graph/provenance-graph.js';
import type { JudgeOptions, MeasuredRun } from '../evaluation.js';
import { type LabelMatch, matchLabels } from '../labels/label-match.js';
import { groupBehaviours } from '../metrics/behaviours.js';
import type { HopRows } from '../metrics/matching.js';
import { measureSeed, type SeedCurves, type Truth } from '../metrics/seed-result.js';
import type { Verdict } from './contest.js';
import type { Part, Parts } from './parts.js';
import { checkOrder } from './protocol.js';

/** Holds verdicts against labels, under one protocol. */
export class Judging {
  readonly options: JudgeOptions;
  readonly labels: LabelMatch;
  readonly notes: readonly string[];
  readonly measured: MeasuredRun[] = [];
  readonly curves: Record<string, SeedCurves[]> = {};
  readonly #parts: Parts;
  readonly #watch = new Stopwatch();
  #behaviours: Truth['behaviours'] | undefined;
  #hops: HopRows | undefined;

  /** Throws where the parts are out of order, or no label is a node of the test. */
  constructor(parts: Parts, options: JudgeOptions) {
    this.options = options;
    this.#parts = parts;
    this.notes = checkOrder(parts, options.protocol, options.allowPast ?? false);
    this.labels = matchTest(parts, options);
  }

  get seconds(): Readonly<Record<string, number>> {
    return this.#watch.seconds;
  }

  /** `hashes`: the behaviour of each node of the test. */
  measure({ variant, seed, found, outcome, seconds, graphs, links }: Verdict, hashes: Uint32Array): void {
    const { threshold, matching, firstCurves = false } = this.options;
    const { labels } = this;
    const { events } = this.#parts.test;
    const started = performance.now();
    this.#behaviours ??= groupBehaviours(hashes, labels.ignored);
    const { curves, ...measured } = measureSeed(seed, threshold, outcome, found, graphs, {
      labels,
      behaviours: this.#behaviours,
      matching,
      events,
      links,
      hops: () => {
        this.#hops ??= hopRows(this.#parts.test);
        return this.#hops;
      },
    });
    this.#watch.add('metrics', (performance.now() - started) / 1000);
    const result = { ...measured.result, timings: { ...seconds } };
    this.measured.push({ variant, measured: { ...measured, result }, outcome });
    this.curves[variant] ??= [];
    if (!firstCurves || this.curves[variant].length === 0) this.curves[variant].push(curves);
  }
}

function matchTest({ train, test }: Parts, { labels, ignore }: JudgeOptions): LabelMatch {
  const known = new Set<string>();
  for (let node = 0; node < train.events.keys.size; node++) {
    const key = train.events.uuid(node).toUpperCase();
    if (labels.byKey.has(key)) known.add(key);
  }
  return matchLabels(labels, test.events.keys.size, (node) => test.events.uuid(node), {
    ignore,
    inTraining: (key) => known.has(key),
  });
}

/** Neighbours in the whole test, whatever graphs a variant cuts it into; those of the table's numbers. */
function hopRows({ events: { table } }: Part): HopRows {
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
  return { byDestination: widen(byDestination), bySource: widen(bySource) };
}
