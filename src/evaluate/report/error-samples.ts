import type { Evaluation } from '../evaluation.js';

/** The errors of one relation on nodes with or without a label, before and after calibration. */
export interface ErrorSample {
  readonly relation: string;
  readonly labelled: boolean;
  readonly errors: Float64Array;
  /** −log10 p. */
  readonly calibrated: Float64Array;
}

export interface ErrorSamples {
  readonly variant: string;
  readonly seed: number;
  readonly samples: readonly ErrorSample[];
  /** Relations that are not among the samples, because others have more errors. */
  readonly others: number;
}

/** More rows cannot be read side by side. */
const MOST_RELATIONS = 5;

/** The errors of the relations with the most errors. Undefined if no variant has reconstruction errors. */
export function errorSamples({
  errors: kept,
  labels,
}: Pick<Evaluation, 'errors' | 'labels'>): ErrorSamples | undefined {
  const found = ['paper', 'recal']
    .flatMap((name) => kept.find(({ variant }) => variant === name) ?? [])
    .at(0);
  if (found === undefined) return undefined;
  const { variant, seed, rows } = found;
  const of = new Map<number, [number[], number[]]>();
  rows.nodes.forEach((node, row) => {
    if (labels.ignored[node] !== 0) return;
    const known = of.get(rows.relation[row]) ?? [[], []];
    known[labels.positives[node]].push(row);
    of.set(rows.relation[row], known);
  });
  const largest = [...of].sort(([, a], [, b]) => b[0].length + b[1].length - a[0].length - a[1].length);
  const samples = largest.slice(0, MOST_RELATIONS).flatMap(([relation, sides]) =>
    sides.flatMap((own, side) =>
      own.length === 0
        ? []
        : [
            {
              relation: rows.relations[relation],
              labelled: side === 1,
              errors: Float64Array.from(own, (row) => rows.errors[row]),
              calibrated: Float64Array.from(own, (row) => -rows.logP[row] / Math.LN10),
            },
          ],
    ),
  );
  return { variant, seed, samples, others: Math.max(0, largest.length - MOST_RELATIONS) };
}
