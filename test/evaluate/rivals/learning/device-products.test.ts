import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../../../src/base/random.js';
import { DeviceProducts } from '../../../../src/evaluate/rivals/learning/device-products.js';
import { PlainProducts } from '../../../../src/evaluate/rivals/learning/products.js';

let device: DeviceProducts;
beforeAll(async () => {
  device = await DeviceProducts.open();
});
afterAll(() => device.close());

const random = new Random(3);
const matrix = (rows: number, columns: number) =>
  Float32Array.from({ length: rows * columns }, () => random.float() * 2 - 1);

test.each([
  [100, 64, 64],
  [90, 100, 130],
  [70_000, 20, 17],
  [5, 300, 200],
])('products of %i × %i × %i are those of plain loops', (rows, inner, columns) => {
  const plain = new PlainProducts(Float64Array);
  const size = { rows, inner, columns };
  const [x, w, dOut] = [matrix(rows, inner), matrix(inner, columns), matrix(rows, columns)];
  const compare = (length: number, tolerance: number, run: (products: typeof plain, out: never) => void) => {
    const [expected, found] = [new Float64Array(length).fill(1), new Float32Array(length).fill(1)];
    run(plain, expected as never);
    run(device as unknown as typeof plain, found as never);
    let worst = 0;
    expected.forEach((value, i) => {
      worst = Math.max(worst, Math.abs(value - found[i]));
    });
    expect(worst).toBeLessThan(tolerance);
  };
  compare(rows * columns, 1e-4, (products, out) => products.multiply(size, x, w, out));
  compare(inner * columns, 1e-5 * Math.sqrt(rows) + 2e-4, (products, out) =>
    products.weightGradient(size, x, dOut, out),
  );
  compare(rows * inner, 1e-4, (products, out) => products.inputGradient(size, dOut, w, out));
});
