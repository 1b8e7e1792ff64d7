import { describe, expect, it } from 'vitest';
import { Random } from '../../src/base/random.js';
import { type Device, type Floats, type Kernels, takesDenseForm } from '../../src/compute/device.js';
import { layOutFeatures, placeFeatures, rowNorms } from '../../src/compute/feature-layout.js';
import { openDevice } from '../../src/compute/open-device.js';
import { denseRelation } from '../../src/compute/reference/cosine-dense.js';
import { gramRelation } from '../../src/compute/reference/cosine-gram.js';
import { randomFeatures } from '../model/random-graph.js';

const H = 64;
const DENSE_BELOW = [...Array(1000).keys()].find(
  (pairs) => !takesDenseForm(pairs, { features: 80, hidden: H }),
)!;

interface Problem {
  args: Kernels['cosineLoss'];
  outputs: Record<string, Floats>;
}

/** What cancels in x̂: W m and b, or the terms of W m. */
type Cancellation = 'bias' | 'columns';

/**
 * With `remainder` > 0, x̂ = W m + b of every other pair cancels except for about that share. `bias`: b is nearly −W m.
 * `columns`: pairs of equal columns of W meet values of m with opposite signs, and b is small.
 */
function makeProblem(
  device: Device,
  pairs: number,
  D: number,
  remainder = 0,
  cancellation: Cancellation = 'bias',
): Problem {
  const random = new Random(11).stream('cosine');
  const x = randomFeatures(pairs, D, 3, random.stream('x'));
  const draw = (name: string, length: number) => {
    const draws = random.stream(name);
    return Float64Array.from({ length }, () => 2 * draws.float() - 1);
  };
  const place = (data: ArrayLike<number>) => {
    const buffer = device.floats(data.length);
    device.write(buffer, data);
    return buffer;
  };
  const w = draw('w', D * H).map(Math.fround);
  const means = draw('means', pairs * H).map(Math.fround);
  const bias = draw('bias', D).map(Math.fround);
  if (remainder > 0 && cancellation === 'columns') {
    for (let i = 1; i < w.length; i += 2) w[i] = w[i - 1];
    for (let k = 0; k < pairs; k += 2) {
      for (let j = 1; j < H; j += 2) {
        const at = k * H + j;
        means[at] = Math.fround(-means[at - 1] * (1 + remainder * means[at]));
      }
    }
    bias.forEach((value, d) => {
      bias[d] = Math.fround(value * remainder);
    });
  } else if (remainder > 0) {
    for (let k = 2; k < pairs; k += 2) for (let j = 0; j < H; j++) means[k * H + j] = Math.fround(means[j]);
    for (let d = 0; d < D; d++) {
      let sum = 0;
      for (let j = 0; j < H; j++) sum += w[d * H + j] * means[j];
      bias[d] = Math.fround(-sum * (1 - remainder));
    }
  }
  const nodes = device.integers(pairs);
  const order = Uint32Array.from({ length: pairs }, (_, i) => i);
  device.writeIntegers(nodes, order);
  const empty = (length: number) => place(new Float64Array(length));
  const gradient = {
    dMeans: empty(pairs * H),
    dw: empty(D * H),
    dBias: empty(D),
  };
  const errors = empty(pairs);
  return {
    args: {
      hidden: H,
      target: placeFeatures(device, layOutFeatures(x, order)),
      nodes,
      norms: place(rowNorms(x, order)),
      offsets: Uint32Array.of(0, pairs),
      counts: Uint32Array.of(pairs),
      means: place(means),
      w: place(w),
      bias: place(bias),
      exponent: 3,
      errors,
      gradient,
    },
    outputs: { errors, dMeans: gradient.dMeans, dw: gradient.dw, dBias: gradient.dBias },
  };
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  let largest = 1e-30;
  for (let i = 0; i < a.length; i++) {
    if (!(Math.abs(a[i] - b[i]) <= worst)) worst = Math.abs(a[i] - b[i]);
    largest = Math.max(largest, Math.abs(b[i]));
  }
  return worst / largest;
}

describe('the Gram form of the loss', () => {
  for (const [pairs, D] of [
    [2, 3],
    [5, 20],
    [90, 37],
  ]) {
    it(`equals the dense form in float64 to 1e-9, ${pairs} pairs, D = ${D}`, async () => {
      const device = await openDevice({ kind: 'reference' });
      const [gram, dense] = [makeProblem(device, pairs, D), makeProblem(device, pairs, D)];
      gramRelation(gram.args, 0);
      denseRelation(dense.args, 0);
      for (const name of Object.keys(gram.outputs)) {
        const difference = largestDifference(
          device.read(gram.outputs[name]),
          device.read(dense.outputs[name]),
        );
        expect(difference, name).toBeLessThan(1e-9);
      }
    });
  }

  for (const portable of [true, false]) {
    it(`is accurate in float32 when x̂ nearly cancels, portable ${portable}`, async () => {
      const reference = await openDevice({ kind: 'reference' });
      const device = await openDevice({ portable });
      // Some pairs cancel and others do not, so one block contains both forms.
      const check = (pairs: number, D: number, remainder: number, cancellation: Cancellation) => {
        const exact = makeProblem(reference, pairs, D, remainder, cancellation);
        denseRelation(exact.args, 0);
        const found = makeProblem(device, pairs, D, remainder, cancellation);
        device.enqueue('cosineLoss', found.args);
        for (const name of Object.keys(found.outputs)) {
          const [got, wanted] = [device.read(found.outputs[name]), reference.read(exact.outputs[name])];
          const where = `${name} of ${pairs} pairs, D = ${D}, ${cancellation}, ${remainder} left`;
          expect(largestDifference(got, wanted), where).toBeLessThan(2e-5);
        }
      };
      for (const remainder of [0.3, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6]) {
        for (const cancellation of ['bias', 'columns'] as const) {
          check(DENSE_BELOW + 5, 80, remainder, cancellation);
          for (const pairs of [1, 2, 8, 9, DENSE_BELOW - 1]) check(pairs, 131, remainder, cancellation);
        }
      }
    });
  }

  for (const pairs of [DENSE_BELOW - 1, DENSE_BELOW]) {
    it(`has error 1 and no gradient if x̂ is zero, ${pairs} pairs`, async () => {
      const device = await openDevice();
      const { args, outputs } = makeProblem(device, pairs, 80);
      for (const target of [args.w, args.bias]) device.enqueue('fill', { target, value: 0 });
      device.enqueue('cosineLoss', args);
      expect(device.read(outputs.errors).every((error) => error === 1)).toBe(true);
      for (const name of ['dMeans', 'dw', 'dBias']) {
        expect(
          device.read(outputs[name]).every((value) => value === 0),
          name,
        ).toBe(true);
      }
    });
  }
});
