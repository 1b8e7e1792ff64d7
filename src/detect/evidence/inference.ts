import type { Device } from '../../compute/device.js';
import { openDevice } from '../../compute/open-device.js';
import type { TrainedModel } from '../../model/file/trained-model.js';
import { Model, type RelationErrors } from '../../model/model.js';
import type { ModelGraph } from '../../model/model-input.js';
import { modelConfigOf } from '../../model/training/training-config.js';

export interface InferenceOptions {
  readonly threads?: number | undefined;
  readonly device?: 'wasm' | 'reference' | undefined;
}

/** A trained model on a device. Close it after use. */
export class Inference {
  readonly #device: Device;
  readonly #model: Model;
  /** The embeddings of the latest graph: alerts look at some of them again. */
  #latest: { readonly graph: ModelGraph; readonly embeddings: Float32Array } | undefined;

  private constructor(device: Device, model: Model) {
    this.#device = device;
    this.#model = model;
  }

  static async open(model: TrainedModel, options: InferenceOptions = {}): Promise<Inference> {
    const { config, relations, space, weights, training } = model;
    const device = await openDevice({
      kind: options.device ?? 'wasm',
      threads: options.threads ?? 1,
      // A model trained with the portable build gives the same results on every processor only with that build.
      portable: training.device.build !== 'relaxed-simd',
    });
    const core = Model.create(device, modelConfigOf(config, relations.length, space.width), config.seed);
    core.load(weights);
    return new Inference(device, core);
  }

  /** The embeddings of unmasked nodes, nodeCount × hidden. */
  embeddings(graph: ModelGraph): Float32Array {
    if (this.#latest?.graph !== graph) {
      this.#latest = undefined; // first, so that two graphs are never kept
      this.#latest = { graph, embeddings: this.#model.encode(graph) };
    }
    return this.#latest.embeddings;
  }

  /** e_v^r of all nodes by batched masked inference. `groups[v]` is the round that masks v (method §6). */
  errors(graph: ModelGraph, groups: Uint8Array, rounds: number): RelationErrors {
    return this.#model.roundErrors(graph, groups, rounds);
  }

  get width(): number {
    return this.#model.config.hidden;
  }

  async close(): Promise<void> {
    this.#model.close();
    await this.#device.close();
  }
}
