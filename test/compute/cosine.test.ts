import { describe, expect, it } from 'vitest';
import { Random } from '../../src/base/random.js';
import { DENSE_BELOW, type Device, type Floats, type Kernels } from '../../src/compute/device.js';
import { layOutFeatures, placeFeatures, rowNorms } from '../../src/compute/feature-layout.js';
import { openDevice } from '../../src/compute/open-device.js';
import { denseRelation, gramRelation } from '../../src/compute/reference/cosine.js';
import { randomFeatures } from '../model/random-graph.js';

const H = 64;

interface Problem {
  args: Kernels['cosineLoss'];
  outputs: Record<string, Floats>;
}

/** How x̂ cancels: W m with b, or within W m. */
type Way = 'bias' | 'columns';

/**
 * `remainder` > 0 makes x̂ = W m + b of every other slot nearly cancel, but for about that share: b is −W m; or columns of
 * W come in twos, alike, where m has numbers of opposite sign, and b is as small as what is left.
 */
function makeProblem(device: Device, slots: number, D: number, remainder = 0, way: Way = 'bias'): Problem {
  const random = new Random(11).stream('cosine');
  const x = randomFeatures(slots, D, 3, random.stream('x'));
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
  const means = draw('means', slots * H).map(Math.fround);
  const bias = draw('bias', D).map(Math.fround);
  if (remainder > 0 && way === 'columns') {
    for (let i = 1; i < w.length; i += 2) w[i] = w[i - 1];
    for (let k = 0; k < slots; k += 2) {
      for (let j = 1; j < H; j += 2) {
        const at = k * H + j;
        means[at] = Math.fround(-means[at - 1] * (1 + remainder * means[at]));
      }
    }
    bias.forEach((value, d) => {
      bias[d] = Math.fround(value * remainder);
    });
  } else if (remainder > 0) {
    for (let k = 2; k < slots; k += 2) for (let j = 0; j < H; j++) means[k * H + j] = Math.fround(means[j]);
    for (let d = 0; d < D; d++) {
      let sum = 0;
      for (let j = 0; j < H; j++) sum += w[d * H + j] * means[j];
      bias[d] = Math.fround(-sum * (1 - remainder));
    }
  }
  const nodes = device.integers(slots);
  const order = Uint32Array.from({ length: slots }, (_, i) => i);
  device.writeIntegers(nodes, order);
  const empty = (length: number) => place(new Float64Array(length));
  const gradient = {
    dMeans: empty(slots * H),
    dw: empty(D * H),
    dBias: empty(D),
  };
  const errors = empty(slots);
  return {
    args: {
      hidden: H,
      target: placeFeatures(device, layOutFeatures(x, order)),
      nodes,
      norms: place(rowNorms(x, order)),
      offsets: Uint32Array.of(0, slots),
      counts: Uint32Array.of(slots),
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
  for (const [slots, D] of [
    [2, 3],
    [5, 20],
    [90, 37],
  ]) {
    it(`equals the dense form in float64 to 1e-9, ${slots} slots, D = ${D}`, async () => {
      const device = await openDevice({ kind: 'reference' });
      const [gram, dense] = [makeProblem(device, slots, D), makeProblem(device, slots, D)];
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
    it(`is as exact in float32 when x̂ nearly cancels, portable ${portable}`, async () => {
      const reference = await openDevice({ kind: 'reference' });
      const device = await openDevice({ portable });
      // Some slots cancel and the others do not: both forms stand side by side in one block.
      const check = (slots: number, D: number, remainder: number, way: Way) => {
        const exact = makeProblem(reference, slots, D, remainder, way);
        denseRelation(exact.args, 0);
        const found = makeProblem(device, slots, D, remainder, way);
        device.enqueue('cosineLoss', found.args);
        for (const name of Object.keys(found.outputs)) {
          const [got, wanted] = [device.read(found.outputs[name]), reference.read(exact.outputs[name])];
          const where = `${name} of ${slots} slots, D = ${D}, ${way}, ${remainder} left`;
          expect(largestDifference(got, wanted), where).toBeLessThan(2e-5);
        }
      };
      for (const remainder of [0.3, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6]) {
        for (const way of ['bias', 'columns'] as const) {
          check(DENSE_BELOW + 5, 80, remainder, way);
          for (const slots of [1, 2, 8, 9, DENSE_BELOW - 1]) check(slots, 131, remainder, way);
        }
      }
    });
  }

  for (const slots of [DENSE_BELOW - 1, DENSE_BELOW]) {
    it(`has no gradient and the error of a right angle where x̂ is nothing, ${slots} slots`, async () => {
      const device = await openDevice();
      const { args, outputs } = makeProblem(device, slots, 80);
      for (const nothing of [args.w, args.bias]) device.enqueue('fill', { target: nothing, value: 0 });
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
