import type { Device, Floats, Integers, Kernels, KernelTime } from '../device.js';
import {
  attend,
  attendGrad,
  redirect,
  relationAttend,
  relationAttendGrad,
  scores,
  scoresGrad,
} from './attention.js';
import { floatsOf, integersOf, type ReferenceFloats, type ReferenceIntegers } from './buffers.js';
import { cosineLoss } from './cosine.js';
import { foldAttend, foldAttendGrad, foldGradient, foldScores } from './fold.js';
import {
  headGradInput,
  headLinear,
  headLinearGrad,
  headScores,
  sparseHeads,
  sparseHeadsGrad,
} from './heads.js';
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
  fill: ({ target, value }) => floatsOf(target).fill(value),
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
  relationAttend,
  relationAttendGrad,
  headScores,
  headLinear,
  headLinearGrad,
  headGradInput,
  sparseHeads,
  sparseHeadsGrad,
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

/** Plain loops in float64 that define what the kernels compute. Only for tests: it is slow. */
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

  integers(length: number): Integers {
    this.used += 4 * length;
    return { kind: 'integers', length, data: new Uint32Array(length) } as ReferenceIntegers;
  }

  view<B extends Floats | Integers>(buffer: B, start: number, length: number): B {
    const { data } = buffer as B & { data: Float64Array | Uint32Array };
    return { kind: buffer.kind, length, data: data.subarray(start, start + length) } as unknown as B;
  }

  write(buffer: Floats, data: ArrayLike<number>): void {
    this.run();
    floatsOf(buffer).set(data);
  }

  writeIntegers(buffer: Integers, data: ArrayLike<number>): void {
    this.run();
    integersOf(buffer).set(data);
  }

  read(buffer: Floats): Float64Array {
    this.run();
    return floatsOf(buffer).slice();
  }

  free(buffer: Floats | Integers): void {
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
