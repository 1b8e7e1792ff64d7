import type { Device } from './device.js';
import { ReferenceDevice } from './reference/reference-device.js';
import { WasmDevice } from './wasm/wasm-device.js';

export interface DeviceOptions {
  kind?: 'wasm' | 'reference';
  /** The number of compute threads, including the calling thread. Default: 1. */
  threads?: number;
  /** Never use relaxed SIMD, whose last bit depends on the processor. */
  portable?: boolean;
}

/** Opens a device and waits until its threads are ready. */
export async function openDevice(options: DeviceOptions = {}): Promise<Device> {
  if (options.kind === 'reference') return new ReferenceDevice();
  return WasmDevice.open(options.threads ?? 1, options.portable ?? false);
}
