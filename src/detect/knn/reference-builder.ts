import { enlarge } from '../../base/enlarge.js';
import { RecalError } from '../../base/errors.js';
import { finishMix, mixWord } from '../../base/integer-mix.js';
import { Random } from '../../base/random.js';
import { NeighbourReference } from './neighbour-reference.js';
import { Moments } from './standardisation.js';

export interface SampleOptions {
  readonly seed: number;
  /** The most instances to keep. */
  readonly most: number;
}

/**
 * Collects training embeddings graph by graph and keeps a seeded sample (method §7). It keeps the instances with the
 * lowest hashes, so that the sample depends only on the seed and the instances' numbers.
 */
export class ReferenceBuilder {
  readonly #moments: Moments;
  readonly #most: number;
  readonly #salt: number;
  #rows: Float32Array;
  #numbers: Int32Array;
  #hashes: Uint32Array;
  #held = 0;
  /** The largest (hash, number) that can still enter the sample. */
  #limit = { hash: 0xffff_ffff, number: Number.POSITIVE_INFINITY };

  constructor(width: number, { seed, most }: SampleOptions) {
    this.#moments = new Moments(width);
    this.#most = most;
    this.#salt = new Random(seed).stream('knn reference').u32();
    this.#rows = new Float32Array(0);
    this.#numbers = new Int32Array(0);
    this.#hashes = new Uint32Array(0);
  }

  /** Instances added so far. */
  get seen(): number {
    return this.#moments.rows;
  }

  /** Adds one row per instance. Instances are numbered in the order in which they are added. */
  add(embeddings: Float32Array): void {
    const { width } = this.#moments;
    const rows = embeddings.length / width;
    if (!Number.isInteger(rows)) {
      throw new RangeError(`ReferenceBuilder.add: ${embeddings.length} values are not rows of ${width}`);
    }
    const first = this.seen;
    this.#moments.add(embeddings);
    for (let row = 0; row < rows; row++) {
      const number = first + row;
      const hash = finishMix(mixWord(this.#salt, number)) >>> 0;
      const limit = this.#limit;
      if (hash > limit.hash || (hash === limit.hash && number > limit.number)) continue;
      if (this.#held === this.#numbers.length) this.#makeRoom();
      this.#rows.set(embeddings.subarray(row * width, (row + 1) * width), this.#held * width);
      this.#numbers[this.#held] = number;
      this.#hashes[this.#held++] = hash;
    }
  }

  finish(): NeighbourReference {
    const { width } = this.#moments;
    if (this.#held === 0) {
      throw new RecalError('no-edges', 'the training graphs have no nodes', {
        hint: 'train on events between at least two entities',
      });
    }
    this.#thin();
    const standardisation = this.#moments.standardisation();
    const points = standardisation.snap(this.#rows.subarray(0, this.#held * width));
    const example = new Int32Array(points.count).fill(-1);
    // Numbers ascend after thinning, so that the first one is the lowest.
    for (let i = 0; i < this.#held; i++) {
      if (example[points.pointOf[i]] < 0) example[points.pointOf[i]] = this.#numbers[i];
    }
    const { count, steps, multiplicity } = points;
    return new NeighbourReference(standardisation, {
      width: points.width,
      count,
      steps,
      multiplicity,
      example,
    });
  }

  /** Grows to a quarter more than the sample, then thins it. */
  #makeRoom(): void {
    const room = Math.ceil(this.#most * 1.25) + 16;
    if (this.#held >= room) {
      this.#thin();
      return;
    }
    const size = Math.min(room, Math.max(1024, 2 * this.#held));
    this.#rows = enlarge(this.#rows, size * this.#moments.width);
    this.#numbers = enlarge(this.#numbers, size);
    this.#hashes = enlarge(this.#hashes, size);
  }

  /** Drops all but the sample and sorts it by number. */
  #thin(): void {
    const { width } = this.#moments;
    const [rows, numbers, hashes] = [this.#rows, this.#numbers, this.#hashes];
    let kept = Array.from({ length: this.#held }, (_, i) => i);
    if (this.#held > this.#most) {
      kept.sort((a, b) => hashes[a] - hashes[b] || numbers[a] - numbers[b]);
      kept = kept.slice(0, this.#most);
      const last = kept[this.#most - 1];
      if (last !== undefined) this.#limit = { hash: hashes[last], number: numbers[last] };
    }
    kept.sort((a, b) => numbers[a] - numbers[b]);
    this.#rows = new Float32Array(rows.length);
    kept.forEach((from, to) => {
      this.#rows.set(rows.subarray(from * width, (from + 1) * width), to * width);
    });
    this.#numbers = enlarge(
      Int32Array.from(kept, (i) => numbers[i]),
      numbers.length,
    );
    this.#hashes = enlarge(
      Uint32Array.from(kept, (i) => hashes[i]),
      hashes.length,
    );
    this.#held = kept.length;
  }
}
