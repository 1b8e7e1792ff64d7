import { Stopwatch } from '../../base/stopwatch.js';
import { buildGraph } from '../../graph/provenance-graph.js';
import type { MeasuredRun, MeasureOptions } from '../evaluation.js';
import { type LabelMatch, matchLabels } from '../labels/label-match.js';
import { type Behaviours, groupBehaviours } from '../metrics/behaviours.js';
import type { HopRows } from '../metrics/matching.js';
import { measureRun, type SeedCurves } from '../metrics/measure-run.js';
import type { FoldedEpisode } from '../reference/find-episodes.js';
import { checkOrder } from './protocol.js';
import type { ScoredRun } from './scored-run.js';
import type { LoadedSplit, Splits } from './splits.js';

/** The figures of all runs against one set of labels, under one protocol. */
export class Measurements {
  readonly options: MeasureOptions;
  readonly labels: LabelMatch;
  readonly notes: readonly string[];
  readonly measured: MeasuredRun[] = [];
  readonly curves: Record<string, SeedCurves[]> = {};
  readonly #splits: Splits;
  readonly #watch = new Stopwatch();
  #behaviours: Behaviours | undefined;
  #hops: HopRows | undefined;

  /** Throws if the splits are out of order, or if no label matches a node of the test. */
  constructor(splits: Splits, options: MeasureOptions) {
    this.options = options;
    this.#splits = splits;
    this.notes = checkOrder(splits, options.protocol, options.allowPast ?? false);
    this.labels = matchTest(splits, options);
  }

  get seconds(): Readonly<Record<string, number>> {
    return this.#watch.seconds;
  }

  /** Measures one run. `hashes` holds the behaviour hash of each node of the test, `episodes` its process trees. */
  add(run: ScoredRun, hashes: Uint32Array, episodes: readonly FoldedEpisode[]): void {
    const { variant, outcome } = run;
    const { threshold, matching, commonRule, firstCurves = false } = this.options;
    const { labels } = this;
    const started = performance.now();
    this.#behaviours ??= groupBehaviours(hashes, labels.ignored);
    const { curves, ...measured } = measureRun(run, {
      labels,
      behaviours: this.#behaviours,
      threshold,
      matching,
      commonRule,
      episodes,
      events: this.#splits.test.events,
      hops: () => {
        this.#hops ??= hopRows(this.#splits.test);
        return this.#hops;
      },
    });
    this.#watch.add('metrics', (performance.now() - started) / 1000);
    const result = {
      ...measured.result,
      ...(run.budget === undefined ? {} : { budget: run.budget }),
      timings: { ...run.seconds },
    };
    this.measured.push({ variant, measured: { ...measured, result }, outcome });
    this.curves[variant] ??= [];
    if (!firstCurves || this.curves[variant].length === 0) this.curves[variant].push(curves);
  }
}

function matchTest({ train, test }: Splits, { labels, ignore, lastFileOnly }: MeasureOptions): LabelMatch {
  return matchLabels(labels, test.labelled, {
    ignore,
    isOutside: lastFileOnly === true ? outsideLastFile(test) : undefined,
    training: train.labelled,
  });
}

function outsideLastFile({ store, selection, events }: LoadedSplit): (node: number) => boolean {
  const { table, files } = events;
  const own = store.manifest.ingests.filter(({ split }) => split === selection.split);
  const last = own.flatMap((ingest) => ingest.files).at(-1)?.number;
  const isInside = new Uint8Array(events.keys.size);
  for (let row = 0; row < table.length; row++) {
    if (files[row] !== last) continue;
    for (const node of [table.subject[row], table.object[row], table.object2[row]]) {
      if (node >= 0) isInside[node] = 1;
    }
  }
  return (node) => isInside[node] === 0;
}

/** Neighbours over the whole test, by node number of the table, independent of how a variant cuts graphs. */
function hopRows({ events: { table } }: LoadedSplit): HopRows {
  const graph = buildGraph(table);
  const widen = (rows: HopRows['bySource']): HopRows['bySource'] => {
    const offsets = new Uint32Array(table.nodeCount + 1);
    graph.nodes.forEach((node, v) => {
      offsets[node + 1] = rows.offsets[v + 1] - rows.offsets[v];
    });
    for (let node = 0; node < table.nodeCount; node++) offsets[node + 1] += offsets[node];
    // Local numbers ascend with the numbers of the table, so the entries are already in order.
    return { offsets, neighbours: rows.neighbours.map((v) => graph.nodes[v]) };
  };
  const { byDestination, bySource } = graph.adjacency;
  return { byDestination: widen(byDestination), bySource: widen(bySource) };
}
