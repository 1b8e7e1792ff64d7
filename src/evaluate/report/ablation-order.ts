import { formatFixed } from '../../report/page/format.js';
import { type E3Host, publishedOrder } from '../e3/published.js';
import type { EvaluationResult, VariantResult } from '../result-schema.js';

/** Two of the method and its ablations whose F1 stands the other way round than published. */
export interface Inversion {
  readonly better: string;
  readonly worse: string;
  /** Percent, better first. */
  readonly ours: readonly [number, number];
  readonly published: readonly [number, number];
  /** Seeds in which it is so, and all that both have. */
  readonly seeds: readonly [number, number];
}

/** How the method and its ablations stand by mean F1, pair by pair, of those that the paper tells apart. */
export interface Order {
  readonly pairs: number;
  readonly asPublished: number;
  readonly turned: readonly Inversion[];
  /** Pairs that are equal here: neither order. */
  readonly equal: number;
  /** The same as groups, with their F1 in percent. */
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

/** How many pairs stand as published, in a sentence. */
export function orderText({ pairs, asPublished, turned, equal }: Order): string {
  if (asPublished === pairs) return 'the ablations are ordered as in the paper, by mean F1';
  const parts = [
    ...(turned.length > 0 ? [`${turned.length} the other way round`] : []),
    ...(equal > 0 ? [`${equal} equal`] : []),
  ];
  return `${asPublished} of ${pairs} pairs are ordered as in the paper by mean F1, ${parts.join(', ')}`;
}

/** Undefined where the order is the paper's. */
export function orderCaveat(order: Order, whole = 'RECAL'): string | undefined {
  if (order.asPublished === order.pairs) return undefined;
  const above = order.turned.filter(({ worse }) => worse === whole).map(({ better }) => better);
  const told = above.length === 0 ? '' : `, among them ${above.join(', ')} above the whole method`;
  return `the ablations are not ordered as in the paper: ${orderText(order)}${told} (see Ablations)`;
}
