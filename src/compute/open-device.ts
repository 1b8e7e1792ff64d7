import type { Device } from './device.js';
import { ReferenceDevice } from './reference/reference-device.js';
import { WasmDevice } from './wasm/wasm-device.js';

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
