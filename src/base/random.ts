/** The 96 bits that identify a stream. */
type Key = readonly [number, number, number];

/**
 * Seeded random numbers: sfc32, seeded through a splitmix-style mixer. It is fast in JavaScript because every step is
 * 32-bit, and gives the same numbers on every machine. Not for cryptography.
 *
 * Streams have names. A stream depends only on the seed and its path of names, never on the draws of other streams, so
 * that one more draw in one place does not shift everything else.
 */
export class Random {
  private readonly key: Key;
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number | string | Key) {
    if (typeof seed === 'number') this.key = mixNumber(seed);
    else if (typeof seed === 'string') this.key = mixText([0, 0, 0], seed);
    else this.key = seed;
    [this.a, this.b, this.c] = this.key;
    // The published warm-up of sfc32: the first outputs of similar keys are similar.
    for (let round = 0; round < 12; round++) this.u32();
  }

  /** Returns an independent generator that depends only on the seed and the name. */
  stream(name: string): Random {
    return new Random(mixText(this.key, name));
  }

  /** The generator's state, for kernels that continue the sequence. */
  get state(): readonly [number, number, number, number] {
    return [this.a >>> 0, this.b >>> 0, this.c >>> 0, this.counter >>> 0];
  }

  /** An integer in [0, 2^32). */
  u32(): number {
    const { a, b, c } = this;
    const sum = (((a + b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = b ^ (b >>> 9);
    this.b = (c + (c << 3)) | 0;
    this.c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A number in [0, 1) with 32 random bits. */
  float(): number {
    return this.u32() / 0x1_0000_0000;
  }

  /** An integer in [0, limit), for limit up to 2^32. The bias of the multiplication is below limit / 2^32. */
  below(limit: number): number {
    return Math.floor(this.float() * limit);
  }

  /** An integer from low to high, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('Random.pick: the list is empty');
    return list[this.below(list.length)] as T;
  }

  /** Returns an index with a probability proportional to its weight. */
  weighted(weights: ArrayLike<number>): number {
    let total = 0;
    for (let i = 0; i < weights.length; i++) total += weights[i] as number;
    let rest = this.float() * total;
    for (let i = 0; i < weights.length; i++) {
      rest -= weights[i] as number;
      if (rest < 0) return i;
    }
    return weights.length - 1;
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.float());
  }

  /** An integer from 1 to `max` with a long tail: 1 is the most likely, the mean is near `mean`. */
  burst(mean: number, max: number): number {
    return Math.min(max, 1 + Math.floor(this.exponential(Math.max(0, mean - 0.5))));
  }

  /** A new list in random order (Fisher–Yates). */
  shuffled<T>(list: readonly T[]): T[] {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const held = result[i] as T;
      result[i] = result[j] as T;
      result[j] = held;
    }
    return result;
  }
}

/** One step of splitmix32: a bijection on 32 bits that spreads every input bit. */
function mix(value: number): number {
  let z = (value + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}

function mixNumber(seed: number): Key {
  const low = seed | 0;
  const high = Math.trunc(seed / 0x1_0000_0000) | 0;
  const a = mix(low);
  const b = mix(a ^ high);
  return [a, b, mix(b)];
}

function mixText(key: Key, text: string): Key {
  let [a, b, c] = key;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = mix(a ^ code);
    b = mix(b + a + i);
    c = mix(c ^ b);
  }
  // Mixing in the length makes stream('a').stream('b') differ from stream('ab').
  a = mix(a ^ text.length);
  b = mix(b ^ a);
  return [a, b, mix(c ^ b)];
}
