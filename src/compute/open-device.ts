import { EXIT, RecalError } from '../base/errors.js';
import type { Device } from './device.js';
import { ReferenceDevice } from './reference/reference-device.js';
import { WASM_SHAPE, WasmDevice } from './wasm/wasm-device.js';

export interface DeviceOptions {
  kind?: 'wasm' | 'reference';
  /** Threads that compute, this one included; 1 unless told otherwise. */
  threads?: number;
  /** Never use relaxed SIMD, whose last bit depends on the processor. */
  portable?: boolean;
}

/** Starts the threads and waits until they are ready. */
export async function openDevice(options: DeviceOptions = {}): Promise<Device> {
  if (options.kind === 'reference') return new ReferenceDevice();
  return WasmDevice.open(options.threads ?? 1, options.portable ?? false);
}

/** Refuses what a device has no kernels for, so that it can be said before any work is done. */
export function checkDeviceShape(
  kind: Device['kind'],
  { hidden, heads, exponent }: { hidden: number; heads: number; exponent: number },
): void {
  if (kind === 'reference') return;
  const wrong =
    hidden !== WASM_SHAPE.hidden || heads !== WASM_SHAPE.heads
      ? `${WASM_SHAPE.hidden} hidden units in ${WASM_SHAPE.heads} heads only, not ${hidden} in ${heads}`
      : Number.isInteger(exponent)
        ? undefined
        : `whole exponents of the loss only, not ${exponent}`;
  if (wrong === undefined) return;
  throw new RecalError('device-shape', `the WASM device computes with ${wrong}`, {
    hint: 'leave hidden, heads and exponent at their defaults, or use the reference device',
    exit: EXIT.usage,
  });
}
