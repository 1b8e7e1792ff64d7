import { expect, it } from 'vitest';
import { WasmDevice } from '../../src/compute/wasm/wasm-device.js';

const MEBIBYTE = 2 ** 20;

it('gives up room for parts of results where buffers need it, and refuses what does not fit even so', async () => {
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
  // What is left beside the parts does not do; what is left without them does.
  const large = device.floats((rest - MEBIBYTE / 8) / 4);
  expect(device.used).toBeLessThan(withParts + large.length * 4);
  expect(() => device.floats(4 * MEBIBYTE)).toThrow(/does not fit/);
  device.free(large);
  learn();
  expect(device.read(dw)[5]).toBe(rows);
  await device.close();
});
