// Word2Vec's inner loop: skip-gram with negative sampling over some sentences (src/features/word2vec.ts is the other half).
//
// In float64 and in a fixed order, without fused operations: the same bytes as the same sums in JavaScript, on every
// machine.

// What is the same in every call, in a record of the host's.
const INPUT: usize = 0, OUTPUT: usize = 4, ERROR: usize = 8, ROW_BYTES: usize = 12, WINDOW: usize = 16, NEGATIVES: usize = 20;
const THRESHOLDS: usize = 24, ALIASES: usize = 28, TOKENS: usize = 32, SIGMOIDS: usize = 36;
/** State of the random numbers: four words. */
const RANDOM: usize = 40;
/** First rate, the least share of it, tokens in all epochs, and tokens seen, in float64. */
const RATE: usize = 56, LEAST: usize = 64, WORK: usize = 72, SEEN: usize = 80;

const SIGMOID_LIMIT: f64 = 6;
const SIGMOID_STEPS: f64 = 1024;

/** Sentence i is tokens offsets[i] to offsets[i + 1]. */
export function train(setup: usize, offsets: usize, sentences: usize, tokens: usize): void {
  const window = <i32>load<u32>(setup, WINDOW);
  for (let i: usize = 0; i < sentences; i++) {
    const start = load<i32>(offsets + (i << 2));
    const end = load<i32>(offsets + (i << 2), 4);
    const left = 1 - load<f64>(setup, SEEN) / load<f64>(setup, WORK);
    const rate = load<f64>(setup, RATE) * max<f64>(load<f64>(setup, LEAST), left);
    for (let centre = start; centre < end; centre++) {
      const last = min<i32>(end - 1, centre + window);
      for (let near = max<i32>(start, centre - window); near <= last; near++) {
        if (near == centre) continue;
        learn(setup, load<u32>(tokens + (<usize>centre << 2)), load<u32>(tokens + (<usize>near << 2)), rate);
      }
    }
    store<f64>(setup, load<f64>(setup, SEEN) + <f64>(end - start), SEEN);
  }
}

/** One pair: the token that was near is made likelier given the centre, a few drawn ones less likely. */
function learn(setup: usize, centre: u32, near: u32, rate: f64): void {
  const bytes = <usize>load<u32>(setup, ROW_BYTES);
  const output = <usize>load<u32>(setup, OUTPUT);
  const error = <usize>load<u32>(setup, ERROR);
  const input = <usize>load<u32>(setup, INPUT) + <usize>centre * bytes;
  memory.fill(error, 0, bytes);
  pull(setup, input, output + <usize>near * bytes, error, bytes, 1, rate);
  const negatives = load<u32>(setup, NEGATIVES);
  for (let i: u32 = 0; i < negatives; i++) {
    const token = draw(setup);
    if (token != near) pull(setup, input, output + <usize>token * bytes, error, bytes, 0, rate);
  }
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(input + k, f64x2.add(v128.load(input + k), v128.load(error + k)));
  }
}

/** Moves an output vector towards or away from an input vector, and adds to `error` what moves the input. */
// @ts-ignore: decorator
@inline function pull(setup: usize, input: usize, output: usize, error: usize, bytes: usize, label: f64, rate: f64): void {
  let p = f64x2.splat(0), q = f64x2.splat(0);
  for (let k: usize = 0; k < bytes; k += 32) {
    p = f64x2.add(p, f64x2.mul(v128.load(input + k), v128.load(output + k)));
    q = f64x2.add(q, f64x2.mul(v128.load(input + k, 16), v128.load(output + k, 16)));
  }
  const dot =
    f64x2.extract_lane(p, 0) + f64x2.extract_lane(p, 1) + (f64x2.extract_lane(q, 0) + f64x2.extract_lane(q, 1));
  const g = f64x2.splat((label - sigmoid(setup, dot)) * rate);
  for (let k: usize = 0; k < bytes; k += 16) {
    const o = v128.load(output + k);
    v128.store(error + k, f64x2.add(v128.load(error + k), f64x2.mul(g, o)));
    v128.store(output + k, f64x2.add(o, f64x2.mul(g, v128.load(input + k))));
  }
}

/** 1 / (1 + e^−x) from a table, 1 or 0 beyond ±6, as in the original program. */
// @ts-ignore: decorator
@inline function sigmoid(setup: usize, x: f64): f64 {
  if (x >= SIGMOID_LIMIT) return 1;
  if (x <= -SIGMOID_LIMIT) return 0;
  const step = <usize>(((x + SIGMOID_LIMIT) * SIGMOID_STEPS) / (2 * SIGMOID_LIMIT));
  return <f64>load<f32>(<usize>load<u32>(setup, SIGMOIDS) + (step << 2));
}

/** A token, by Walker's alias method: a column, then one of the two tokens there. */
// @ts-ignore: decorator
@inline function draw(setup: usize): u32 {
  const x = random(setup) * <f64>load<u32>(setup, TOKENS);
  const column = <u32>x;
  const isOwn = x - <f64>column < load<f64>(<usize>load<u32>(setup, THRESHOLDS) + (<usize>column << 3));
  return isOwn ? column : load<u32>(<usize>load<u32>(setup, ALIASES) + (<usize>column << 2));
}

/** The next number of src/base/random.ts: sfc32, in [0, 1). */
// @ts-ignore: decorator
@inline function random(setup: usize): f64 {
  const a = load<u32>(setup, RANDOM), b = load<u32>(setup, RANDOM + 4), c = load<u32>(setup, RANDOM + 8);
  const counter = load<u32>(setup, RANDOM + 12);
  const sum = a + b + counter;
  store<u32>(setup, b ^ (b >>> 9), RANDOM);
  store<u32>(setup, c + (c << 3), RANDOM + 4);
  store<u32>(setup, rotl<u32>(c, 21) + sum, RANDOM + 8);
  store<u32>(setup, counter + 1, RANDOM + 12);
  return <f64>sum / 4294967296;
}
