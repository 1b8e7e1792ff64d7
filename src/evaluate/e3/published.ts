import type { PublishedRival } from '../rivals/rival-settings.js';

/** The hosts of DARPA's Engagement 3 with published figures. */
export const E3_HOSTS = ['cadets', 'theia', 'trace'] as const;
export type E3Host = (typeof E3_HOSTS)[number];

/** In percent. Null if the publication does not give the rate. */
export interface PublishedRates {
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number;
  readonly fpr: number | null;
}

export interface PublishedRow {
  readonly name: string;
  /** The RECAL variant that corresponds to the row. */
  readonly variant?: string;
  /** The published rival that corresponds to the row. */
  readonly rival?: PublishedRival;
  readonly by: Readonly<Record<E3Host, PublishedRates>>;
}

type Four = readonly [precision: number | null, recall: number | null, f1: number, fpr: number | null];

function row(
  name: string,
  cadets: Four,
  theia: Four,
  trace: Four,
  of: Pick<PublishedRow, 'variant' | 'rival'> = {},
): PublishedRow {
  const rates = ([precision, recall, f1, fpr]: Four): PublishedRates => ({ precision, recall, f1, fpr });
  return {
    name,
    by: { cadets: rates(cadets), theia: rates(theia), trace: rates(trace) },
    ...of,
  };
}

type Two = readonly [f1: number, fpr: number];

function ablation(name: string, variant: string, cadets: Two, theia: Two, trace: Two): PublishedRow {
  const four = ([f1, fpr]: Two): Four => [null, null, f1, fpr];
  return row(name, four(cadets), four(theia), four(trace), { variant });
}

/** The main table of the paper (method, "Published figures"). */
export const PUBLISHED: readonly PublishedRow[] = [
  row('Log2vec', [49.2, 84.59, 62.21, 1.59], [62.49, 66.05, 64.22, 0.29], [54.39, 78.27, 64.18, 1.83]),
  row('THREATRACE', [90.42, 99.97, 94.96, 0.19], [87.04, 99.74, 92.96, 0.11], [71.56, 99.99, 83.42, 1.11], {
    rival: 'threatrace',
  }),
  row('Unicorn', [31, 100, 47, null], [67, 67, 67, null], [28, 100, 34, null], { rival: 'unicorn' }),
  row('FLASH', [94.69, 99.99, 97.27, 0.1], [93.1, 99.83, 96.35, 0.05], [94.65, 99.99, 97.25, 0.16], {
    rival: 'flash',
  }),
  row('MAGIC', [94.4, 99.77, 97.01, 0.22], [98.23, 99.99, 99.11, 0.14], [99.17, 99.98, 99.57, 0.09], {
    rival: 'magic',
  }),
  row('STGAN', [98.4, 99.83, 99.11, 0.0426], [94.49, 99.83, 97.09, 0.0156], [99.5, 98.83, 99.16, 0.0777]),
  row('AEGIS', [100, 99, 99, null], [96, 97, 97, null], [99, 99, 99, null]),
  row('RECAL', [99.99, 99.99, 99.99, 0.0004], [99.95, 99.92, 99.93, 0.0041], [99.98, 100, 99.99, 0.0019], {
    variant: 'paper',
  }),
];

/** The ablation table of the paper. It gives F1 and FPR only. */
export const PUBLISHED_ABLATIONS: readonly PublishedRow[] = [
  ablation('w/o BL', 'wo-bl', [99.26, 0.0569], [99.94, 0.0043], [99.44, 0.0513]),
  ablation('w/o CD', 'wo-cd', [96.05, 0.3581], [99.44, 0.0838], [99.51, 0.0128]),
  ablation('z-score', 'zscore', [97.09, 0.2261], [99.5, 0.0741], [99.86, 0.0311]),
  ablation('max fusion', 'max', [99.08, 0.0699], [99.48, 0.0801], [99.98, 0.0039]),
  ablation('mean fusion', 'mean', [98.67, 0.0958], [95.49, 0.7652], [99.57, 0.0714]),
];

/** The data behind the published figures: the counts in the paper, and the number of nodes that its rates imply. */
export const PUBLISHED_SIZES: Readonly<
  Record<E3Host, { nodes: number; edges: number; positives: number; judged: number }>
> = {
  cadets: { nodes: 1_452_123, edges: 7_164_818, positives: 12_857, judged: 357_173 },
  theia: { nodes: 1_558_101, edges: 3_574_557, positives: 25_338, judged: 344_767 },
  trace: { nodes: 3_197_278, edges: 4_661_252, positives: 68_135, judged: 684_107 },
};

/**
 * Seconds on an RTX 5090, without preprocessing, loading and calibration. The paper gives times for TRACE only. The share
 * of calibration and fusion is its range over the three hosts.
 */
export const PUBLISHED_SECONDS = {
  host: 'trace',
  train: 217,
  infer: 284,
  knnShare: 0.989,
  fusionShares: [0.005, 0.021],
} as const;

/** The published F1 of the method and its ablations, best first. */
export function publishedOrder(host: E3Host): { variant: string; name: string; f1: number }[] {
  return [...PUBLISHED, ...PUBLISHED_ABLATIONS]
    .flatMap(({ name, variant, by }) => (variant === undefined ? [] : [{ variant, name, f1: by[host].f1 }]))
    .sort((a, b) => b.f1 - a.f1);
}
