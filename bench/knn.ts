import { existsSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
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
import { makeTrainedEmbeddings, type TrainedShape } from './trained-embeddings.js';

const CADETS = fileURLToPath(new URL('../../shared/data/cadets-e1', import.meta.url));
const K = 10;
const ROUNDS = 3;
const MOST_QUERIES = 200_000;
const MOST_REFERENCES = 200_000;
const CALIBRATION_ROWS = 20_000;

/** Seconds on the clock, and of processor time over all threads: on a busy machine only the second tells. */
interface Time {
  wall: number;
  cpu: number;
}

/**
 * `npm run bench -- knn [full|cadets]`: the candidate set of embeddings that a trained model gives, against brute force
 * with vectors on the same threads in the same run. Brute force works on a random subset of the queries (`--brute N`, or
 * `--brute all`) and its time is scaled to all of them; candidates are checked against it, and all against exact scores.
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
    console.error(`there is no ${CADETS}`);
    process.exitCode = 1;
    return;
  }
  console.log(
    `${cpus()[0]?.model}, ${availableParallelism()} cores, node ${process.version}, ${threads} threads`,
  );
  const say = (text: string) => console.log(`  ${text}`);
  const embeddings = await makeTrainedEmbeddings({ source, epochs: Number(values.epochs), seed: 1 }, say);

  const builder = new ReferenceBuilder(embeddings.hidden, { seed: 1, most: MOST_REFERENCES });
  for (const window of embeddings.train) builder.add(window);
  const reference = builder.finish();
  const heldOut = joined([...embeddings.calibrate, ...embeddings.test]);
  const queries = reference.standardise(heldOut.subarray(0, MOST_QUERIES * embeddings.hidden));
  console.log(
    `reference ${reference.instances} of ${builder.seen} training instances, ${reference.points.count} distinct; ` +
      `queries ${queries.pointOf.length}, ${queries.count} distinct; ${queries.width} dimensions`,
  );
  const calibration = joined(embeddings.calibrate).subarray(0, CALIBRATION_ROWS * embeddings.hidden);
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
  const subset = brute === 'all' ? queries : choose(queries, Math.min(queries.count, Number(brute)));
  const scale = queries.count / subset.count;
  console.log(
    `θ_c = ${threshold}, ${search.cells} cells, brute force on ${subset.count} queries × ${scale.toFixed(1)}`,
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
  const [ours, theirs] = [median(rounds.map((r) => r.ours)), median(rounds.map((r) => r.peer))];
  const all = queries.count * reference.points.count;
  console.log(
    `candidates ${found.count} of ${queries.count}; pairs worked out ${found.pairs} of ${all} ` +
      `(${((100 * found.pairs) / all).toFixed(3)} %, ${(found.pairs / queries.count).toFixed(0)} a query), ` +
      `with centres ${found.centrePairs} (${(found.centrePairs / queries.count).toFixed(0)} a query), ` +
      `rechecked in float64 ${found.rechecked}`,
  );
  console.log(`  brute force  ${describe(theirs)}`);
  console.log(`  candidates   ${describe(ours)}, opening the reference once ${describe(opened)}`);
  const ratio = (key: keyof Time) =>
    `${(theirs[key] / ours[key]).toFixed(0)}× (by round ${rounds.map((r) => (r.peer[key] / r.ours[key]).toFixed(0)).join(', ')}), ` +
    `${(theirs[key] / (ours[key] + opened[key])).toFixed(0)}× with opening`;
  console.log(`  ratio        wall ${ratio('wall')}; processor ${ratio('cpu')}`);
  verify(reference, subset, rough, search.candidates(subset, K, threshold).candidate, threshold);
  const timer = startTimer();
  const scores = search.scores(queries, K);
  console.log(`  exact scores of all queries ${describe(timer())}`);
  const differing = scores.reduce(
    (sum, score, q) => sum + (score > threshold === (found.candidate[q] === 1) ? 0 : 1),
    0,
  );
  console.log(`  candidates unlike the exact scores: ${differing} of ${queries.count}`);
  await search.close();
  await peer.close();
}

/** Brute force in float32 decides all that is not within its rounding of the threshold, float64 brute force the rest. */
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
    `  candidates unlike brute force: ${differing} of ${points.count} (${close} of them near θ_c, decided in float64)`,
  );
}

function cadetsFiles(): TrainedShape['source'] | undefined {
  if (!existsSync(CADETS)) return undefined;
  const file = (split: string) => [join(CADETS, `ta1-cadets-e1-stretch.${split}.json.gz`)];
  return { train: file('train'), calibrate: file('calibrate'), test: file('test') };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The order statistic over instances. */
function percentile(scores: Float64Array, pointOf: Int32Array, share: number): number {
  const sorted = Float64Array.from(pointOf, (point) => scores[point]).sort();
  return sorted[Math.ceil(share * sorted.length) - 1];
}

function choose({ width, count, steps }: SnappedPoints, wanted: number): SnappedPoints {
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

function median(times: readonly Time[]): Time {
  const of = (key: keyof Time) => times.map((time) => time[key]).sort((a, b) => a - b)[times.length >> 1];
  return { wall: of('wall'), cpu: of('cpu') };
}

function describe({ wall, cpu }: Time): string {
  return `${wall.toFixed(2)} s (${cpu.toFixed(2)} s of processor time)`;
}
