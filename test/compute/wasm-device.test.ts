import { expect, it } from 'vitest';
import type { Kernels } from '../../src/compute/device.js';
import { WasmDevice } from '../../src/compute/wasm/wasm-device.js';

const MEBIBYTE = 2 ** 20;

it('frees memory for partial results if buffers need it, and refuses a buffer that still does not fit', async () => {
  const device = await WasmDevice.open(1, true, 16 * MEBIBYTE);
  const rows = 20_000;
  const [x, dOut, dw] = [device.floats(rows * 64), device.floats(rows * 64), device.floats(64 * 64)];
  const learn = () =>
    device.enqueue('linearGradWeights', {
      hidden: 64,
      rows,
      x,
      index: null,
      dOut,
      dw,
      dBias: null,
      add: false,
    });
  for (const target of [x, dOut]) device.enqueue('fill', { target, value: 1 });
  learn();
  expect(device.read(dw)[5]).toBe(rows);
  const withParts = device.used;
  const rest = 16 * MEBIBYTE - withParts;
  expect(rest).toBeGreaterThan(MEBIBYTE);
  // The buffer fits only without the partial results.
  const large = device.floats((rest - MEBIBYTE / 8) / 4);
  expect(device.used).toBeLessThan(withParts + large.length * 4);
  expect(() => device.floats(4 * MEBIBYTE)).toThrow(expect.objectContaining({ code: 'device-memory' }));
  device.free(large);
  learn();
  expect(device.read(dw)[5]).toBe(rows);
  await device.close();
});

it('refuses shapes and exponents that the kernels are not compiled for', async () => {
  const device = await WasmDevice.open(1, true);
  const out = device.floats(64);
  const sum = { rows: 1, from: out, out };
  expect(() => device.enqueue('sumRows', { ...sum, hidden: 32 })).toThrow(RangeError);
  const loss = { hidden: 64, exponent: 2.5 } as Kernels['cosineLoss'];
  expect(() => device.enqueue('cosineLoss', loss)).toThrow(RangeError);
  await device.close();
});
