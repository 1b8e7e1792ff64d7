import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../dist/base/random.js';
import type { NeighbourReference } from '../dist/detect/knn/neighbour-reference.js';
import { NeighbourSearch } from '../dist/detect/knn/neighbour-search.js';
import { ReferenceBuilder } from '../dist/detect/knn/reference-builder.js';
import { type FoldedPoints, GRID, type SnappedPoints } from '../dist/detect/knn/snapped-points.js';
import type { Scenario } from '../dist/simulate/options.js';
import { EveryPair, everyPairError, exactScore } from './every-pair.js';
import { describeMachine, median } from './measurement.js';
import { makeTrainedEmbeddings, type TrainedShape } from './trained-embeddings.js';

const CADETS = fileURLToPath(new URL('../../shared/data/cadets-e1', import.meta.url));
const K = 10;
const ROUNDS = 3;
const MOST_QUERIES = 200_000;
const MOST_REFERENCES = 200_000;
const CALIBRATION_ROWS = 20_000;

/** Wall and CPU seconds; on a busy machine only CPU time is comparable. */
interface Time {
  wall: number;
  cpu: number;
}

/**
 * `npm run bench -- knn [full|cadets]` compares the candidate search with SIMD brute force on the embeddings of a trained
 * model. Brute force runs on a random subset of the queries (`--brute N` or `--brute all`), and its time is scaled to all
 * queries. Candidates are checked against brute force and against exact scores.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      scenario: { type: 'string', default: 'freebsd-server' },
      events: { type: 'string' },
      epochs: { type: 'string', default: '3' },
      brute: { type: 'string', default: '1000' },
      threads: { type: 'string', default: String(availableParallelism()) },
    },
  });
  const threads = Number(values.threads);
  const events = Number(values.events ?? (positionals[0] === 'full' ? 9_200_000 : 1_000_000));
  const source =
    positionals[0] === 'cadets' ? cadetsFiles() : { scenario: values.scenario as Scenario, events };
  if (source === undefined) {
    console.error(`${CADETS} does not exist`);
    process.exitCode = 1;
    return;
  }
  console.log(`${describeMachine()}, ${threads} threads`);
  const print = (text: string) => console.log(`  ${text}`);
  const embeddings = await makeTrainedEmbeddings({ source, epochs: Number(values.epochs), seed: 1 }, print);

  const builder = new ReferenceBuilder(embeddings.hidden, { seed: 1, most: MOST_REFERENCES });
  for (const window of embeddings.train) builder.add(window);
  const reference = builder.finish();
  const heldOut = concatenate([...embeddings.calibrate, ...embeddings.test]);
  const queries = reference.standardise(heldOut.subarray(0, MOST_QUERIES * embeddings.hidden));
  console.log(
    `${reference.instances} of ${builder.seen} training instances in the reference, ${reference.points.count} distinct; ` +
      `${queries.pointOf.length} queries, ${queries.count} distinct; ${queries.width} dimensions`,
  );
  const calibration = concatenate(embeddings.calibrate).subarray(0, CALIBRATION_ROWS * embeddings.hidden);
  await compare(reference, queries, reference.standardise(calibration), threads, values.brute);
}

async function compare(
  reference: NeighbourReference,
  queries: FoldedPoints,
  calibration: FoldedPoints,
  threads: number,
  brute: string,
): Promise<void> {
  const opening = startTimer();
  const search = await NeighbourSearch.open(reference, { threads });
  const opened = opening();
  const peer = await EveryPair.open(reference.points, threads);
  const threshold = percentile(search.scores(calibration, K), calibration.pointOf, 0.9);
  const subset = brute === 'all' ? queries : chooseQueries(queries, Math.min(queries.count, Number(brute)));
  const scale = queries.count / subset.count;
  console.log(
    `θ_c = ${threshold}, ${search.cells} cells; brute force runs on ${subset.count} queries, times ${scale.toFixed(1)}`,
  );
  const rounds: { ours: Time; peer: Time }[] = [];
  let found = search.candidates(queries, K, threshold);
  let rough: Float64Array = new Float64Array();
  for (let round = 0; round < ROUNDS; round++) {
    let timer = startTimer();
    found = search.candidates(queries, K, threshold);
    const ours = timer();
    timer = startTimer();
    rough = peer.scores(subset, K);
    const { wall, cpu } = timer();
    rounds.push({ ours, peer: { wall: wall * scale, cpu: cpu * scale } });
  }
  const ours = medianTime(rounds.map((round) => round.ours));
  const theirs = medianTime(rounds.map((round) => round.peer));
  const all = queries.count * reference.points.count;
  console.log(
    `${found.count} of ${queries.count} queries are candidates; ${found.pairs} of ${all} pairs computed ` +
      `(${((100 * found.pairs) / all).toFixed(3)} %, ${(found.pairs / queries.count).toFixed(0)} per query), ` +
      `${found.centrePairs} pairs with cell centres (${(found.centrePairs / queries.count).toFixed(0)} per query), ` +
      `${found.rechecked} rechecked in float64`,
  );
  console.log(`  brute force  ${formatTime(theirs)}`);
  console.log(`  candidates   ${formatTime(ours)}, and ${formatTime(opened)} to open the reference once`);
  const ratio = (key: keyof Time) =>
    `${(theirs[key] / ours[key]).toFixed(0)}× (by round: ${rounds.map((r) => (r.peer[key] / r.ours[key]).toFixed(0)).join(', ')}), ` +
    `${(theirs[key] / (ours[key] + opened[key])).toFixed(0)}× including the opening`;
  console.log(`  ratio        wall time ${ratio('wall')}; CPU time ${ratio('cpu')}`);
  verify(reference, subset, rough, search.candidates(subset, K, threshold).candidate, threshold);
  const timer = startTimer();
  const scores = search.scores(queries, K);
  console.log(`  exact scores of all queries: ${formatTime(timer())}`);
  const differing = scores.reduce(
    (sum, score, q) => sum + (score > threshold === (found.candidate[q] === 1) ? 0 : 1),
    0,
  );
  console.log(`  ${differing} of ${queries.count} candidates differ from the exact scores`);
  await search.close();
  await peer.close();
}

/** Checks candidates against brute force in float32, and in float64 where rounding could decide. */
function verify(
  reference: NeighbourReference,
  points: SnappedPoints,
  rough: Float64Array,
  candidate: Uint8Array,
  threshold: number,
): void {
  let [differing, close] = [0, 0];
  for (let q = 0; q < points.count; q++) {
    const error = everyPairError(points.width, normOf(points, q), rough[q], K);
    const isClose = Math.abs(rough[q] - threshold) <= error;
    const score = isClose ? exactScore(reference.points, pointAt(points, q), K) : rough[q];
    if (isClose) close++;
    if (score > threshold !== (candidate[q] === 1)) differing++;
  }
  console.log(
    `  ${differing} of ${points.count} candidates differ from brute force (${close} near θ_c, checked in float64)`,
  );
}

function cadetsFiles(): TrainedShape['source'] | undefined {
  if (!existsSync(CADETS)) return undefined;
  const file = (split: string) => [join(CADETS, `ta1-cadets-e1-stretch.${split}.json.gz`)];
  return { train: file('train'), calibrate: file('calibrate'), test: file('test') };
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The order statistic of the instances' scores. */
function percentile(scores: Float64Array, pointOf: Int32Array, share: number): number {
  const sorted = Float64Array.from(pointOf, (point) => scores[point]).sort();
  return sorted[Math.ceil(share * sorted.length) - 1];
}

function chooseQueries({ width, count, steps }: SnappedPoints, wanted: number): SnappedPoints {
  const order = new Random(1).stream('brute force').shuffled(Array.from({ length: count }, (_, q) => q));
  const chosen = new Int32Array(wanted * width);
  for (let i = 0; i < wanted; i++) {
    chosen.set(steps.subarray(order[i] * width, (order[i] + 1) * width), i * width);
  }
  return { width, count: wanted, steps: chosen };
}

function pointAt({ width, steps }: SnappedPoints, q: number): SnappedPoints {
  return { width, count: 1, steps: steps.subarray(q * width, (q + 1) * width) };
}

function normOf({ width, steps }: SnappedPoints, q: number): number {
  let square = 0;
  for (let d = q * width; d < (q + 1) * width; d++) square += (steps[d] / GRID) ** 2;
  return Math.sqrt(square);
}

function startTimer(): () => Time {
  const [started, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { wall: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
  };
}

function medianTime(times: readonly Time[]): Time {
  return { wall: median(times.map(({ wall }) => wall)), cpu: median(times.map(({ cpu }) => cpu)) };
}

function formatTime({ wall, cpu }: Time): string {
  return `${wall.toFixed(2)} s (${cpu.toFixed(2)} s CPU)`;
}
