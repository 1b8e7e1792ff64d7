import { formatFixed } from '../../report/page/format.js';
import { type E3Host, publishedOrder } from '../e3/published.js';
import type { EvaluationResult, VariantResult } from '../result-schema.js';

/** A pair of variants whose order by F1 is opposite to the published order. */
export interface Inversion {
  readonly better: string;
  readonly worse: string;
  /** In percent, better first. */
  readonly ours: readonly [number, number];
  readonly published: readonly [number, number];
  /** Seeds with this order, and all seeds that both variants have. */
  readonly seeds: readonly [number, number];
}

/** The order of the method and its ablations by mean F1. Counts the pairs that differ in the paper. */
export interface Order {
  readonly pairs: number;
  readonly asPublished: number;
  readonly turned: readonly Inversion[];
  /** Pairs with the same F1 here. */
  readonly equal: number;
  /** Groups of variants with the same F1, in percent. */
  readonly alike: readonly { readonly names: readonly string[]; readonly f1: number }[];
}

export function compareOrder(result: EvaluationResult, host: E3Host): Order {
  const rows = publishedOrder(host).flatMap(({ variant: key, name, f1 }) => {
    const variant = result.variants[key];
    const ours = variant?.mean.f1 ?? null;
    return ours === null ? [] : [{ name, variant, published: f1, ours: ours * 100 }];
  });
  const pairs = rows.flatMap((first, i) =>
    rows.slice(i + 1).flatMap((second) => (first.published > second.published ? [{ first, second }] : [])),
  );
  const turned = pairs
    .filter(({ first, second }) => second.ours > first.ours)
    .map(({ first, second }) => ({
      better: second.name,
      worse: first.name,
      ours: [second.ours, first.ours] as const,
      published: [second.published, first.published] as const,
      seeds: seedsAbove(second.variant, first.variant),
    }));
  const equal = pairs.filter(({ first, second }) => second.ours === first.ours).length;
  const alike = [...new Set(rows.map(({ ours }) => ours))]
    .map((f1) => ({ f1, names: rows.filter(({ ours }) => ours === f1).map(({ name }) => name) }))
    .filter(({ names }) => names.length > 1);
  return { pairs: pairs.length, asPublished: pairs.length - turned.length - equal, turned, equal, alike };
}

function seedsAbove(better: VariantResult, worse: VariantResult): [number, number] {
  const both = better.seeds.flatMap(({ seed, f1 }) => {
    const other = worse.seeds.find((each) => each.seed === seed)?.f1 ?? null;
    return f1 === null || other === null ? [] : [f1 > other];
  });
  return [both.filter(Boolean).length, both.length];
}

export function inversionText({ better, worse, ours, published, seeds: [above, all] }: Inversion): string {
  const two = ([a, b]: readonly [number, number]) => `${formatFixed(a, 2)} against ${formatFixed(b, 2)}`;
  const seeds = all > 1 ? `, in ${above} of ${all} seeds` : '';
  return `${better} is above ${worse} here (F1 ${two(ours)}${seeds}) and below it in the paper (${two(published)})`;
}

/** How many pairs are ordered as published. */
export function orderText({ pairs, asPublished, turned, equal }: Order): string {
  if (asPublished === pairs) return 'by mean F1, the ablations have the same order as in the paper';
  const parts = [
    ...(turned.length > 0 ? [`${turned.length} the opposite order`] : []),
    ...(equal > 0 ? [`${equal} the same F1`] : []),
  ];
  return `by mean F1, ${asPublished} of ${pairs} pairs have the same order as in the paper, ${parts.join(', ')}`;
}

/** Undefined if the order is the published one. */
export function orderCaveat(order: Order): string | undefined {
  if (order.asPublished === order.pairs) return undefined;
  const above = order.turned.filter(({ worse }) => worse === 'RECAL').map(({ better }) => better);
  const list = above.length === 0 ? '' : `; above the full method: ${above.join(', ')}`;
  return `the order of the ablations differs from the paper: ${orderText(order)}${list} (see Ablations)`;
}
