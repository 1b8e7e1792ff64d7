/**
 * Tail probabilities as logarithms. A float64 probability ends at 1e-308 and a distribution function at 1 − 1e-16, and
 * evidence goes far beyond (method §8).
 */

/** From this value on, Stirling's series is exact to the last bit. */
const STIRLING_FROM = 10;
const HALF_LOG_2PI = 0.9189385332046728;
const MAX_TERMS = 1_000_000;

/** ln Γ(a) minus Stirling's (a − ½) ln a − a + ½ ln 2π, for a ≥ STIRLING_FROM. */
function stirlingRest(a: number): number {
  const inverse = 1 / a;
  const s = inverse * inverse;
  return (
    inverse *
    (1 / 12 -
      s *
        (1 / 360 -
          s *
            (1 / 1260 -
              s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s * (1 / 156 - s * (3617 / 122400))))))))
  );
}

/**
 * ln(x^a e^−x / Γ(a)) for a, x > 0. Around x ≈ a the three terms are large and cancel, so they are computed together as
 * a·(ln(x/a) − x/a + 1).
 */
function logGammaKernel(a: number, x: number): number {
  let shifted = a;
  let product = 1;
  while (shifted < STIRLING_FROM) product *= shifted++;
  // x^a e^−x / Γ(a) = product · x^(a − shifted) · x^shifted e^−x / Γ(shifted)
  const ratio = (x - shifted) / shifted;
  const bend = Math.abs(ratio) < 0.5 ? log1pMinus(ratio) : Math.log(x / shifted) - ratio;
  const kernel = shifted * bend + 0.5 * Math.log(shifted) - HALF_LOG_2PI - stirlingRest(shifted);
  return shifted === a ? kernel : kernel + Math.log(product) - (shifted - a) * Math.log(x);
}

/** ln(1 + r) − r for |r| < ½, without cancellation. */
function log1pMinus(r: number): number {
  if (Math.abs(r) > 0.01) return Math.log1p(r) - r;
  let power = -r;
  let sum = 0;
  for (let i = 2; i < 12; i++) {
    power *= -r;
    sum -= power / i;
  }
  return sum;
}

/** ln P(a, x) by its series, for x < a + 1. */
function logLowerSeries(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let i = 1; i < MAX_TERMS; i++) {
    term *= x / (a + i);
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return logGammaKernel(a, x) - Math.log(a) + Math.log(sum);
}

/** ln Q(a, x), Q the regularised upper incomplete gamma function; a > 0, x ≥ 0. */
export function logUpperGamma(a: number, x: number): number {
  if (!(a > 0) || !(x >= 0)) throw new RangeError(`Q(a, x) has no value for a = ${a}, x = ${x}`);
  if (x === 0) return 0;
  if (x === Infinity) return -Infinity;
  if (x < a + 1) return Math.min(0, Math.log1p(-Math.exp(logLowerSeries(a, x))));
  // Lentz's evaluation of the continued fraction 1/(x+1−a− 1(1−a)/(x+3−a− …)).
  let b = x + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1; i < MAX_TERMS; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    const step = c * d;
    fraction *= step;
    if (Math.abs(step - 1) < 1e-16) break;
  }
  return Math.min(0, logGammaKernel(a, x) + Math.log(fraction));
}

/**
 * ln SF of χ² with 2k degrees of freedom at x, by the closed form e^{−y} Σ_{i<k} y^i / i!, y = x/2 (method §8). If most
 * of the mass lies above x, it sums the lower side instead, so that small scores keep their digits.
 */
export function chiSquareLogSurvival(x: number, k: number): number {
  if (!Number.isInteger(k) || k < 0 || Number.isNaN(x)) {
    throw new RangeError(`χ² has no tail for x = ${x} and 2·${k} degrees of freedom`);
  }
  const y = x / 2;
  if (k === 0 || y <= 0) return 0;
  if (k === 1 || y === Infinity) return -y;
  if (y < k) return Math.min(0, Math.log1p(-Math.exp(logLowerSeries(k, y))));
  // The largest term, i = k − 1, is factored out; the others fall from there.
  let term = 1;
  let sum = 1;
  for (let i = k - 1; i > 0; i--) {
    term *= i / y;
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return Math.min(0, logGammaKernel(k, y) + Math.log(sum / y));
}

/** ln Φ(−z): the log probability of a standard normal value above z. */
export function logNormalTail(z: number): number {
  if (Number.isNaN(z)) throw new RangeError('the normal tail has no value at NaN');
  // Φ(−z) = ½ Q(½, z²/2)
  const half = logUpperGamma(0.5, (z * z) / 2) - Math.LN2;
  return z >= 0 ? half : Math.log1p(-Math.exp(half));
}

/**
 * ln of the probability 1 − (1 − p)^d that the smallest of d independent p-values is at most p (method §11). Without this
 * correction, a node with many edges would stand out by their number alone.
 */
export function logSmallestOf(logP: number, d: number): number {
  if (d <= 1 || logP >= 0) return Math.min(0, logP);
  // Below 1e-17·d the result is d·p to the last bit, and p itself may underflow.
  if (logP < -40 - Math.log(d)) return logP + Math.log(d);
  return Math.log(-Math.expm1(d * Math.log1p(-Math.exp(logP))));
}
