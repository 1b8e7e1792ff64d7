// The inner loop of Word2Vec: skip-gram with negative sampling. src/features/word2vec.ts calls it.
//
// It computes in float64, in a fixed order and without fused operations, so it gives the same bytes as JavaScript on
// every machine. Rows are padded to cache lines with zeros, which stay zero.

// Offsets in the setup record, which src/features/word2vec.ts writes.
const INPUT: usize = 0, OUTPUT: usize = 4, ERROR: usize = 8, ROW_BYTES: usize = 12, WINDOW: usize = 16, NEGATIVES: usize = 20;
const THRESHOLDS: usize = 24, ALIASES: usize = 28, TOKENS: usize = 32, SIGMOIDS: usize = 36;
/** State of the random number generator: four words. */
const RANDOM: usize = 40;
/** Buffer for the addresses of the output vectors of one pair, followed by their step sizes. */
const ROWS: usize = 56;
/** Initial rate, its lowest fraction, tokens in all epochs, and tokens processed, in float64. */
const RATE: usize = 64, LEAST: usize = 72, WORK: usize = 80, SEEN: usize = 88;

const SIGMOID_LIMIT: f64 = 6;
const SIGMOID_STEPS: f64 = 1024;

/** Trains on sentences; sentence i is tokens offsets[i] to offsets[i + 1]. */
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

/** Trains on one pair: `near` becomes more likely given `centre`, and a few random tokens become less likely. */
function learn(setup: usize, centre: u32, near: u32, rate: f64): void {
  const bytes = <usize>load<u32>(setup, ROW_BYTES);
  const output = <usize>load<u32>(setup, OUTPUT);
  const input = <usize>load<u32>(setup, INPUT) + <usize>centre * bytes;
  const rows = <usize>load<u32>(setup, ROWS);
  store<u32>(rows, <u32>(output + <usize>near * bytes));
  const count = drawRows(setup, near, output, bytes, rows);
  const steps = rows + (<usize>load<u32>(setup, NEGATIVES) + 2) * 4;
  const error = <usize>load<u32>(setup, ERROR);
  for (let k: usize = 0; k < bytes; k += 16) v128.store(error + k, f64x2.splat(0));
  let first: usize = 0;
  while (first < count) {
    // Distinct rows are independent of each other; a row that was drawn twice is moved twice.
    const last = endOfDistinct(rows, first, count);
    for (let i = first; i < last; i++) {
      store<f64>(steps + (i << 3), stepOf(setup, input, <usize>load<u32>(rows + (i << 2)), bytes, i == 0 ? 1 : 0, rate));
    }
    for (let i = first; i < last; i++) {
      move(<usize>load<u32>(rows + (i << 2)), input, error, bytes, v128.load64_splat(steps + (i << 3)));
    }
    first = last;
  }
  for (let k: usize = 0; k < bytes; k += 16) {
    v128.store(input + k, f64x2.add(v128.load(input + k), v128.load(error + k)));
  }
}

/** Appends the rows of random tokens other than `near`. Returns the number of rows, including that of `near`. */
function drawRows(setup: usize, near: u32, output: usize, bytes: usize, rows: usize): usize {
  const columns = <f64>load<u32>(setup, TOKENS);
  const thresholds = <usize>load<u32>(setup, THRESHOLDS);
  const aliases = <usize>load<u32>(setup, ALIASES);
  let a = load<u32>(setup, RANDOM), b = load<u32>(setup, RANDOM + 4), c = load<u32>(setup, RANDOM + 8);
  let counter = load<u32>(setup, RANDOM + 12);
  let to = rows + 4;
  for (let i = load<u32>(setup, NEGATIVES); i > 0; i--) {
    // sfc32, as in src/base/random.ts.
    const sum = a + b + counter++;
    a = b ^ (b >>> 9);
    b = c + (c << 3);
    c = rotl<u32>(c, 21) + sum;
    // Walker's alias method: draw a column, then choose one of its two tokens.
    const x = (<f64>sum / 4294967296) * columns;
    const column = <u32>x;
    const isOwn = x - <f64>column < load<f64>(thresholds + (<usize>column << 3));
    const token = select<u32>(column, load<u32>(aliases + (<usize>column << 2)), isOwn);
    store<u32>(to, <u32>(output + <usize>token * bytes));
    to += token == near ? 0 : 4;
  }
  store<u32>(setup, a, RANDOM);
  store<u32>(setup, b, RANDOM + 4);
  store<u32>(setup, c, RANDOM + 8);
  store<u32>(setup, counter, RANDOM + 12);
  return (to - rows) >> 2;
}

/** The position of the first repeated row after `first`, or `count`. */
function endOfDistinct(rows: usize, first: usize, count: usize): usize {
  for (let i = first + 1; i < count; i++) {
    const row = load<u32>(rows + (i << 2));
    for (let j = first; j < i; j++) if (load<u32>(rows + (j << 2)) == row) return i;
  }
  return count;
}

/** The step size of an output vector along the input vector; negative steps move it away. */
// @ts-ignore: decorator
@inline function stepOf(setup: usize, input: usize, output: usize, bytes: usize, label: f64, rate: f64): f64 {
  let p = f64x2.splat(0), q = f64x2.splat(0);
  for (let k: usize = 0; k < bytes; k += 64) {
    const x = input + k, o = output + k;
    p = f64x2.add(p, f64x2.mul(v128.load(x), v128.load(o)));
    q = f64x2.add(q, f64x2.mul(v128.load(x, 16), v128.load(o, 16)));
    p = f64x2.add(p, f64x2.mul(v128.load(x, 32), v128.load(o, 32)));
    q = f64x2.add(q, f64x2.mul(v128.load(x, 48), v128.load(o, 48)));
  }
  const dot =
    f64x2.extract_lane(p, 0) + f64x2.extract_lane(p, 1) + (f64x2.extract_lane(q, 0) + f64x2.extract_lane(q, 1));
  return (label - sigmoid(setup, dot)) * rate;
}

/** Moves an output vector along the input vector, and adds the gradient of the input vector to `error`. */
// @ts-ignore: decorator
@inline function move(output: usize, input: usize, error: usize, bytes: usize, g: v128): void {
  for (let k: usize = 0; k < bytes; k += 64) {
    const x = input + k, o = output + k, e = error + k;
    const o0 = v128.load(o), o1 = v128.load(o, 16), o2 = v128.load(o, 32), o3 = v128.load(o, 48);
    v128.store(e, f64x2.add(v128.load(e), f64x2.mul(g, o0)));
    v128.store(e, f64x2.add(v128.load(e, 16), f64x2.mul(g, o1)), 16);
    v128.store(e, f64x2.add(v128.load(e, 32), f64x2.mul(g, o2)), 32);
    v128.store(e, f64x2.add(v128.load(e, 48), f64x2.mul(g, o3)), 48);
    v128.store(o, f64x2.add(o0, f64x2.mul(g, v128.load(x))));
    v128.store(o, f64x2.add(o1, f64x2.mul(g, v128.load(x, 16))), 16);
    v128.store(o, f64x2.add(o2, f64x2.mul(g, v128.load(x, 32))), 32);
    v128.store(o, f64x2.add(o3, f64x2.mul(g, v128.load(x, 48))), 48);
  }
}

/** 1 / (1 + e^−x) from a table; 0 or 1 beyond ±6, as in the original program. */
// @ts-ignore: decorator
@inline function sigmoid(setup: usize, x: f64): f64 {
  if (x >= SIGMOID_LIMIT) return 1;
  if (x <= -SIGMOID_LIMIT) return 0;
  const step = <usize>(((x + SIGMOID_LIMIT) * SIGMOID_STEPS) / (2 * SIGMOID_LIMIT));
  return <f64>load<f32>(<usize>load<u32>(setup, SIGMOIDS) + (step << 2));
}
