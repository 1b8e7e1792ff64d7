/** Nodes by what they are and what was said of them (method §10). Always shown as counts: a rate hides its size. */
export interface Confusion {
  readonly tp: number;
  readonly fp: number;
  readonly fn: number;
  readonly tn: number;
}

/** Rates of a confusion. Null where a rate has nothing to be a share of; MCC is 0 there by convention. */
export interface Rates {
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  readonly fpr: number | null;
  readonly mcc: number;
  readonly balancedAccuracy: number | null;
}

/** One byte per node, 1 where the score is at or above the threshold. */
export function flagNodes(scores: ArrayLike<number>, threshold: number): Uint8Array {
  if (Number.isNaN(threshold)) throw new RangeError('flagNodes: the threshold is not a number');
  const flagged = new Uint8Array(scores.length);
  for (let v = 0; v < scores.length; v++) {
    if (Number.isNaN(scores[v])) throw new RangeError(`flagNodes: the score of node ${v} is not a number`);
    if (scores[v] >= threshold) flagged[v] = 1;
  }
  return flagged;
}

/** Plain node match. Ignored nodes are in no cell. */
export function countConfusion(
  flagged: Uint8Array,
  positives: Uint8Array,
  ignored?: Uint8Array | undefined,
): Confusion {
  if (positives.length !== flagged.length || (ignored !== undefined && ignored.length !== flagged.length)) {
    throw new RangeError('countConfusion: one byte per node is needed in every mask');
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
  // Two roots rather than one of the product: four counts of a million already pass 2^53.
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

/** Part of a whole, or null of nothing. */
export function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
