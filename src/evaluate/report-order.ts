import { formatFixed } from '../report/format.js';
import { type E3Host, publishedOrder } from './published.js';
import type { EvaluationResult } from './result-schema.js';

/** Two of the method and its ablations whose F1 stands the other way round than published. */
export interface Inversion {
  readonly better: string;
  readonly worse: string;
  /** Percent, better first. */
  readonly ours: readonly [number, number];
  readonly published: readonly [number, number];
}

/** `better` is better in our figures and worse in the paper. What the paper has equal cannot be turned round. */
export function findInversions(result: EvaluationResult, host: E3Host): Inversion[] {
  const rows = publishedOrder(host).flatMap(({ variant, name, f1 }) => {
    const ours = result.variants[variant]?.mean.f1 ?? null;
    return ours === null ? [] : [{ name, published: f1, ours: ours * 100 }];
  });
  return rows.flatMap((first, i) =>
    rows.slice(i + 1).flatMap((second): Inversion[] => {
      if (first.published <= second.published || second.ours <= first.ours) return [];
      return [
        {
          ...{ better: second.name, worse: first.name, ours: [second.ours, first.ours] },
          published: [second.published, first.published],
        },
      ];
    }),
  );
}

export function inversionText({ better, worse, ours, published }: Inversion): string {
  const two = ([a, b]: readonly [number, number]) => `${formatFixed(a, 2)} against ${formatFixed(b, 2)}`;
  return `${better} is above ${worse} here (F1 ${two(ours)}) and below it in the paper (${two(published)})`;
}

/** All of them in a sentence; undefined where the order is the paper's. */
export function orderCaveat(found: readonly Inversion[], whole = 'RECAL'): string | undefined {
  if (found.length === 0) return undefined;
  const above = found.filter(({ worse }) => worse === whole).map(({ better }) => better);
  const pairs = found.length === 1 ? '1 pair stands' : `${found.length} pairs stand`;
  const told = above.length === 0 ? '' : `, among them ${above.join(', ')} above the whole method`;
  return `the ablations are not ordered as in the paper: ${pairs} the other way round by mean F1${told} (see Ablations)`;
}
