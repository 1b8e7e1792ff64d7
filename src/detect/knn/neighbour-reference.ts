import { RecalError } from '../../base/errors.js';
import type { Tensor } from '../../model/file/tensor-header.js';
import { FARTHEST, type FoldedPoints, type SnappedPoints } from './snapped-points.js';
import { Standardisation } from './standardisation.js';

/** The distinct points of the training sample, with their counts and one instance of each. */
export interface ReferencePoints extends SnappedPoints {
  readonly multiplicity: Uint32Array;
  /** The lowest number of an instance at each point. */
  readonly example: Int32Array;
}

const TENSORS = ['knn.mean', 'knn.deviation', 'knn.points', 'knn.multiplicity', 'knn.example'] as const;
type TensorName = (typeof TENSORS)[number];

/** A sample of the training embeddings (method §7). `NeighbourSearch` finds neighbours in it. */
export class NeighbourReference {
  readonly standardisation: Standardisation;
  readonly points: ReferencePoints;
  /** Instances in the sample. */
  readonly instances: number;

  constructor(standardisation: Standardisation, points: ReferencePoints) {
    this.standardisation = standardisation;
    this.points = points;
    this.instances = points.multiplicity.reduce((sum, count) => sum + count, 0);
  }

  /** Turns embeddings into points of the reference's space. */
  standardise(embeddings: Float32Array): FoldedPoints {
    return this.standardisation.snap(embeddings);
  }

  tensors(): Tensor[] {
    const { mean, deviation, width } = this.standardisation;
    const { count, steps, multiplicity, example } = this.points;
    const words = (data: Int32Array) => new Uint32Array(data.buffer, data.byteOffset, data.length);
    const data: Record<TensorName, Omit<Tensor, 'name'>> = {
      'knn.mean': { shape: [width], data: mean },
      'knn.deviation': { shape: [width], data: deviation },
      'knn.points': { shape: [count, this.points.width], data: words(steps) },
      'knn.multiplicity': { shape: [count], data: multiplicity },
      'knn.example': { shape: [count], data: words(example) },
    };
    return TENSORS.map((name) => ({ name, ...data[name] }));
  }

  /** Reads the reference from the tensors of a model file. Checks every length and number. */
  static fromTensors(tensors: ReadonlyMap<string, Tensor>): NeighbourReference {
    const floats = (name: TensorName) => {
      const data = tensors.get(name)?.data;
      if (data instanceof Float32Array) return data;
      throw damaged(`${name} is missing or of the wrong type`);
    };
    const words = (name: TensorName) => {
      const data = tensors.get(name)?.data;
      if (data instanceof Uint32Array) return data;
      throw damaged(`${name} is missing or of the wrong type`);
    };
    const signed = (data: Uint32Array) => new Int32Array(data.buffer, data.byteOffset, data.length);
    const [mean, deviation] = [floats('knn.mean'), floats('knn.deviation')];
    if (mean.length === 0 || deviation.length !== mean.length)
      throw damaged('knn.mean and knn.deviation differ in length');
    if (!mean.every(Number.isFinite)) throw damaged('knn.mean has a value that is not finite');
    if (!deviation.every((value) => Number.isFinite(value) && value >= 0)) {
      throw damaged('knn.deviation has a value that is negative or not finite');
    }
    const standardisation = new Standardisation(mean, deviation);
    const [multiplicity, example] = [words('knn.multiplicity'), signed(words('knn.example'))];
    const steps = signed(words('knn.points'));
    const [count, width] = [multiplicity.length, standardisation.kept.length];
    if (count === 0) throw damaged('it has no points');
    if (example.length !== count || steps.length !== count * width)
      throw damaged('its tensors differ in length');
    if (steps.some((step) => Math.abs(step) > FARTHEST))
      throw damaged('a coordinate of knn.points is out of range');
    if (multiplicity.includes(0)) throw damaged('knn.multiplicity has a 0');
    if (example.some((number) => number < 0)) throw damaged('knn.example has a negative number');
    return new NeighbourReference(standardisation, { width, count, steps, multiplicity, example });
  }
}

function damaged(why: string): RecalError {
  return new RecalError('model-damaged', `the kNN reference of the model is damaged: ${why}`, {
    hint: 'restore the model file from a backup, or train again',
  });
}
