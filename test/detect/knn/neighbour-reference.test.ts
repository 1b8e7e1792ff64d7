import { expect, test } from 'vitest';
import { Random } from '../../../src/base/random.js';
import { NeighbourReference } from '../../../src/detect/knn/neighbour-reference.js';
import type { Tensor, TensorData } from '../../../src/model/file/tensor-header.js';
import { buildReference, cloud } from './clouds.js';

const rows = cloud(new Random('tensors'), { rows: 120, width: 6 });
for (let row = 0; row < 120; row++) rows[row * 6 + 4] = 2; // one dimension is constant
const reference = buildReference(rows, 6, 2);

function tensorsWith(name?: string, data?: TensorData): Map<string, Tensor> {
  const tensors = new Map(reference.tensors().map((tensor) => [tensor.name, tensor]));
  if (name !== undefined && data === undefined) tensors.delete(name);
  else if (name !== undefined && data !== undefined) tensors.set(name, { name, shape: [data.length], data });
  return tensors;
}

test('a reference is read back from its tensors', () => {
  for (const { shape, data } of reference.tensors()) {
    expect(shape.reduce((product, side) => product * side, 1)).toBe(data.length);
  }
  const again = NeighbourReference.fromTensors(tensorsWith());
  expect(again).toEqual(reference);
  expect([...again.standardisation.kept]).toEqual([0, 1, 2, 3, 5]);
});

test('damaged tensors are refused', () => {
  const { points } = reference;
  const changed = (data: Uint32Array | Int32Array, at: number, value: number) => {
    const words = Uint32Array.from(data);
    words[at] = value;
    return words;
  };
  const floats = (value: number) => Float32Array.of(1, 1, 1, 1, 0, value);
  const cases: [string, TensorData | undefined][] = [
    ['knn.mean', undefined],
    ['knn.points', new Float32Array(600)],
    ['knn.mean', new Float32Array(5)],
    ['knn.mean', floats(Number.NaN)],
    ['knn.deviation', floats(-1)],
    ['knn.deviation', floats(Number.POSITIVE_INFINITY)],
    ['knn.deviation', floats(0)],
    ['knn.multiplicity', new Uint32Array(0)],
    ['knn.multiplicity', changed(points.multiplicity, 3, 0)],
    ['knn.example', new Uint32Array(7)],
    ['knn.example', changed(points.example, 0, 0xffff_fff0)],
    ['knn.points', changed(points.steps, 9, 0x8000_0000)],
  ];
  for (const [name, data] of cases) {
    expect(() => NeighbourReference.fromTensors(tensorsWith(name, data)), name).toThrow(
      expect.objectContaining({ code: 'model-damaged' }),
    );
  }
});
