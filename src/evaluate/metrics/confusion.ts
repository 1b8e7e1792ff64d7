/** Counts of nodes by label and flag (method §10). Reports always show the counts: a rate hides its sample size. */
export interface Confusion {
  readonly tp: number;
  readonly fp: number;
  readonly fn: number;
  readonly tn: number;
}

/** A rate with a zero denominator is null; MCC is 0 then, by convention. */
export interface Rates {
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  readonly fpr: number | null;
  readonly mcc: number;
  readonly balancedAccuracy: number | null;
}

/** Counts nodes by their own label. Ignored nodes do not count. */
export function countConfusion(
  flagged: Uint8Array,
  positives: Uint8Array,
  ignored?: Uint8Array | undefined,
): Confusion {
  if (positives.length !== flagged.length || (ignored !== undefined && ignored.length !== flagged.length)) {
    throw new RangeError('countConfusion: the masks must have equal lengths');
  }
  let [tp, fp, fn, tn] = [0, 0, 0, 0];
  for (let v = 0; v < flagged.length; v++) {
    if (ignored !== undefined && ignored[v] !== 0) continue;
    if (positives[v] !== 0) flagged[v] !== 0 ? tp++ : fn++;
    else flagged[v] !== 0 ? fp++ : tn++;
  }
  return { tp, fp, fn, tn };
}

export function ratesOf({ tp, fp, fn, tn }: Confusion): Rates {
  const recall = share(tp, tp + fn);
  const specificity = share(tn, tn + fp);
  // Two square roots, because the product of four counts of a million exceeds 2^53.
  const spread = Math.sqrt((tp + fp) * (tp + fn)) * Math.sqrt((tn + fp) * (tn + fn));
  return {
    precision: share(tp, tp + fp),
    recall,
    f1: share(2 * tp, 2 * tp + fp + fn),
    fpr: share(fp, fp + tn),
    mcc: spread === 0 ? 0 : Math.min(1, Math.max(-1, (tp * tn - fp * fn) / spread)),
    balancedAccuracy: recall === null || specificity === null ? null : (recall + specificity) / 2,
  };
}

/** part / whole, or null if whole is 0. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
