import { enlarge } from '../../base/enlarge.js';
import { RecalError } from '../../base/errors.js';
import { finishMix, mixWord } from '../../base/integer-mix.js';
import { Random } from '../../base/random.js';
import { NeighbourReference } from './neighbour-reference.js';
import { Moments } from './standardisation.js';

/** Method §7: a seeded sample of at most so many training instances. */
const MOST_REFERENCES = 200_000;

export interface SampleOptions {
  readonly seed: number;
  readonly most?: number;
}

/**
 * Takes training's embeddings graph by graph. Whether an instance is in the sample depends on the seed and its number
 * alone: those with the smallest hashes are kept, whatever order they come in.
 */
export class ReferenceBuilder {
  readonly #moments: Moments;
  readonly #most: number;
  readonly #salt: number;
  #rows: Float32Array;
  #numbers: Int32Array;
  #hashes: Uint32Array;
  #held = 0;
  /** The largest (hash, number) that can still be in the sample. */
  #limit = { hash: 0xffff_ffff, number: Number.POSITIVE_INFINITY };

  constructor(width: number, { seed, most = MOST_REFERENCES }: SampleOptions) {
    this.#moments = new Moments(width);
    this.#most = most;
    this.#salt = new Random(seed).stream('knn reference').u32();
    this.#rows = new Float32Array(0);
    this.#numbers = new Int32Array(0);
    this.#hashes = new Uint32Array(0);
  }

  /** Instances seen so far. */
  get seen(): number {
    return this.#moments.rows;
  }

  /** Row i of the chunk is instance `first + i`, or `numbers[i]`. */
  add(embeddings: Float32Array, numbers: number | Int32Array = this.seen): void {
    const { width } = this.#moments;
    const rows = embeddings.length / width;
    if (!Number.isInteger(rows) || (typeof numbers !== 'number' && numbers.length !== rows)) {
      throw new RangeError(`ReferenceBuilder.add: ${embeddings.length} numbers are not a row per instance`);
    }
    this.#moments.add(embeddings);
    for (let row = 0; row < rows; row++) {
      const number = typeof numbers === 'number' ? numbers + row : numbers[row];
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
      throw new RecalError('no-edges', 'there is no training instance to compare with', {
        hint: 'train on events that make at least one edge',
      });
    }
    this.#thin();
    const standardisation = this.#moments.standardisation();
    const points = standardisation.snap(this.#rows.subarray(0, this.#held * width));
    const example = new Int32Array(points.count).fill(-1);
    // By ascending number after thinning: the first is the smallest.
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

  /** A quarter more than the sample before it is thinned out again. */
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

  /** Leaves the sample, by ascending number. */
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

/** From embeddings that are all at hand; rows are instances 0, 1, … */
export function buildReference(
  embeddings: Float32Array,
  width: number,
  options: SampleOptions,
): NeighbourReference {
  const builder = new ReferenceBuilder(width, options);
  builder.add(embeddings, 0);
  return builder.finish();
}
