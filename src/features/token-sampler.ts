/** The tables of Walker's alias method: column i stands for token i below its threshold, and for its alias above. */
export interface TokenSampler {
  readonly thresholds: Float64Array;
  readonly aliases: Uint32Array;
}

/** Makes a sampler that draws each token with a probability proportional to its count to the power 3/4. */
export function makeSampler(tokens: Uint32Array, size: number): TokenSampler {
  const weights = new Float64Array(size);
  for (const token of tokens) weights[token]++;
  let total = 0;
  for (let i = 0; i < size; i++) {
    const root = Math.sqrt(weights[i]);
    weights[i] = root * Math.sqrt(root); // square roots are exact on every machine, powers are not
    total += weights[i];
  }
  const sampler = {
    thresholds: new Float64Array(size).fill(1),
    aliases: Uint32Array.from({ length: size }, (_, i) => i),
  };
  const scaled = weights.map((weight) => (weight * size) / total);
  if (total > 0) fillColumns(scaled, sampler);
  return sampler;
}

/** Fills each column below one with a part of a token above one. */
function fillColumns(scaled: Float64Array, { thresholds, aliases }: TokenSampler): void {
  const small: number[] = [];
  const large: number[] = [];
  for (let i = 0; i < scaled.length; i++) (scaled[i] < 1 ? small : large).push(i);
  while (small.length > 0 && large.length > 0) {
    const low = small.pop() as number;
    const high = large[large.length - 1];
    thresholds[low] = scaled[low];
    aliases[low] = high;
    scaled[high] -= 1 - scaled[low];
    if (scaled[high] < 1) small.push(large.pop() as number);
  }
}
