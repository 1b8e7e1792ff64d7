import type { Device, Floats, Kernels, KernelTime, Words } from '../device.js';
import { attend, attendGrad, redirect, scores, scoresGrad } from './attention.js';
import { integers, numbers, type ReferenceFloats, type ReferenceWords } from './buffers.js';
import { cosineLoss } from './cosine.js';
import { foldAttend, foldAttendGrad, foldGradient, foldScores } from './fold.js';
import {
  adam,
  addInto,
  linear,
  linearGradInput,
  linearGradWeights,
  prelu,
  preluGrad,
  segmentSum,
  sparseLinear,
  sparseLinearGrad,
  sumRows,
  tokenLinear,
} from './linear.js';

const KERNELS: { [K in keyof Kernels]: (args: Kernels[K]) => void } = {
  fill: ({ target, value }) => numbers(target).fill(value),
  sparseLinear,
  sparseLinearGrad,
  tokenLinear,
  linear,
  linearGradWeights,
  linearGradInput,
  sumRows,
  scores,
  scoresGrad,
  redirect,
  attend,
  attendGrad,
  prelu,
  preluGrad,
  segmentSum,
  cosineLoss,
  adam,
  addInto,
  foldScores,
  foldAttend,
  foldGradient,
  foldAttendGrad,
};

/** Plain loops in float64: what the kernels mean. For tests; far too slow for anything else. */
export class ReferenceDevice implements Device {
  readonly kind = 'reference';
  readonly build = 'float64';
  readonly threads = 1;
  used = 0;
  #list: (() => void)[] = [];

  floats(length: number): Floats {
    this.used += 8 * length;
    return { kind: 'floats', length, data: new Float64Array(length) } as ReferenceFloats;
  }

  words(length: number): Words {
    this.used += 4 * length;
    return { kind: 'words', length, data: new Uint32Array(length) } as ReferenceWords;
  }

  view<B extends Floats | Words>(buffer: B, start: number, length: number): B {
    const { data } = buffer as B & { data: Float64Array | Uint32Array };
    return { kind: buffer.kind, length, data: data.subarray(start, start + length) } as unknown as B;
  }

  write(buffer: Floats, data: ArrayLike<number>): void {
    this.run();
    numbers(buffer).set(data);
  }

  writeWords(buffer: Words, data: ArrayLike<number>): void {
    this.run();
    integers(buffer).set(data);
  }

  read(buffer: Floats): Float64Array {
    this.run();
    return numbers(buffer).slice();
  }

  free(buffer: Floats | Words): void {
    this.used -= (buffer.kind === 'floats' ? 8 : 4) * buffer.length;
  }

  enqueue<K extends keyof Kernels>(kernel: K, args: Kernels[K]): void {
    this.#list.push(() => KERNELS[kernel](args));
  }

  run(): void {
    const list = this.#list;
    this.#list = [];
    for (const call of list) call();
  }

  release(): void {}

  profile(): Map<string, KernelTime> {
    return new Map();
  }

  async close(): Promise<void> {}
}
