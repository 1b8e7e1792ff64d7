import { RecalError } from '../base/errors.js';
import { Random } from '../base/random.js';
import type { Device, Floats } from '../compute/device.js';
import type { ModelConfig } from './config.js';

/** Floats per cache line. Each parameter begins on its own line. */
const ALIGNMENT = 16;

interface Specification {
  readonly name: string;
  readonly shape: readonly number[];
  /** The initial values: uniform in ±limit, or a constant. */
  readonly start:
    | { readonly limit: number; readonly zeroRows?: readonly number[] }
    | { readonly value: number };
}

export interface Parameter extends Specification {
  readonly offset: number;
  readonly length: number;
}

/** The place of each parameter in one flat array, so that Adam is one kernel call. */
export interface ParameterLayout {
  readonly parameters: readonly Parameter[];
  readonly length: number;
}

/** Weights start Glorot-uniform; b_ρ, c_ρ, x_[M] and biases at zero; PReLU at 0.25 (method §4). */
export function layOutParameters(config: ModelConfig): ParameterLayout {
  const { features: D, hidden: H, heads, layers } = config;
  const directed = 2 * (config.relations + 1);
  const decoders = config.balanced ? config.relations : 1;
  const glorot = (inputs: number, outputs: number) => ({ limit: Math.sqrt(6 / (inputs + outputs)) });
  const zero = { value: 0 };
  const list: Specification[] = [{ name: 'token', shape: [D], start: zero }];
  for (let l = 0; l < layers; l++) {
    const inputs = l === 0 ? D : H;
    const add = (name: string, shape: number[], start: Specification['start']) =>
      list.push({ name: `layer${l}.${name}`, shape, start });
    const [weight, score] = [glorot(inputs, H), glorot(H / heads, 1)];
    if (config.encoder === 'rgat') {
      // The parameters of `<new>` are zero in both directions (method §1).
      const zeroRows = [config.relations, directed - 1];
      add('wRelation', [directed, inputs, H], { ...weight, zeroRows });
      add('wRes', [inputs, H], weight);
      add('bias', [H], zero);
      add('aSource', [directed, heads, H / heads], { ...score, zeroRows });
      add('aTarget', [directed, heads, H / heads], { ...score, zeroRows });
    } else {
      add('w', [inputs, H], weight);
      add('wRes', [inputs, H], weight);
      add('bias', [H], zero);
      add('aSource', [heads, H / heads], score);
      add('aTarget', [heads, H / heads], score);
      add('b', [directed, heads], zero);
      add('c', [directed, H], zero);
    }
    if (l + 1 < layers) add('slope', [1], { value: 0.25 });
  }
  list.push({ name: 'decoder.w', shape: [decoders, D, H], start: glorot(H, D) });
  list.push({ name: 'decoder.bias', shape: [decoders, D], start: zero });
  let offset = 0;
  const parameters = list.map((item): Parameter => {
    const length = item.shape.reduce((product, size) => product * size, 1);
    const parameter = { ...item, offset, length };
    offset += Math.ceil(length / ALIGNMENT) * ALIGNMENT;
    return parameter;
  });
  return { parameters, length: offset };
}

/** Initial values. Each parameter draws from a random stream with its own name. */
export function startParameters({ parameters, length }: ParameterLayout, seed: number): Float32Array {
  const random = new Random(seed).stream('parameters');
  const data = new Float32Array(length);
  for (const { name, shape, start, offset, length: count } of parameters) {
    if ('value' in start) data.fill(start.value, offset, offset + count);
    else {
      const draws = random.stream(name);
      for (let i = 0; i < count; i++) data[offset + i] = (2 * draws.float() - 1) * start.limit;
      const row = count / shape[0];
      for (const r of start.zeroRows ?? []) data.fill(0, offset + r * row, offset + (r + 1) * row);
    }
  }
  return data;
}

/** Looks up parameters by name in a flat buffer of the device. */
export function viewParameters(
  device: Device,
  layout: ParameterLayout,
  buffer: Floats,
): (name: string) => Floats {
  const views = new Map(
    layout.parameters.map(({ name, offset, length }) => [name, device.view(buffer, offset, length)]),
  );
  return (name) => {
    const view = views.get(name);
    if (view === undefined) throw new RangeError(`unknown parameter ${name}`);
    return view;
  };
}

/** One named parameter. Tables of relations have a row for `<new>`, which stays zero. */
export interface Weight {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export function splitWeights(layout: ParameterLayout, flat: ArrayLike<number>): Weight[] {
  const all = Float32Array.from(flat);
  return layout.parameters.map(({ name, shape, offset, length }) => ({
    name,
    shape,
    data: all.slice(offset, offset + length),
  }));
}

export function joinWeights(layout: ParameterLayout, weights: readonly Weight[]): Float64Array {
  const flat = new Float64Array(layout.length);
  const given = new Map(weights.map((weight) => [weight.name, weight]));
  for (const { name, offset, length, shape } of layout.parameters) {
    const weight = given.get(name);
    if (weight === undefined || weight.data.length !== length) {
      throw new RecalError('model-shape', `weights ${name} of shape ${shape.join(' × ')} are missing`, {
        hint: 'load weights of a model with the same configuration',
      });
    }
    flat.set(weight.data, offset);
  }
  return flat;
}
