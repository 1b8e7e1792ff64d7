import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { E3_HOSTS, type E3Host, publishedOrder } from '../dist/evaluate/e3/published.js';
import type { EvaluationResult, Figure } from '../dist/evaluate/result-schema.js';

/** The method, then its ablations, as in the tables of the docs. */
const ABLATIONS = ['paper', 'wo-bl', 'wo-cd', 'zscore', 'max', 'mean'] as const;

/** F1 at the threshold of the protocol, and two figures that need no threshold. */
const FIGURES: Readonly<Partial<Record<Figure, string>>> = { f1: 'F1', oracleF1: 'best F1', ap: 'AP' };

interface Pair {
  readonly first: string;
  readonly second: string;
  /** Differences in points: published, then measured. */
  readonly published: number;
  readonly measured: number;
}

/**
 * `npm run bench -- ablation-order RESULT.json… [--host cadets]` compares the order of the ablations with the paper, pair
 * by pair. RESULT.json comes from `recal reproduce`, or from `recal evaluate`; then `--host` says which host to compare with.
 */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { host: { type: 'string', default: 'cadets' } },
  });
  for (const path of positionals) {
    const found = JSON.parse(await readFile(path, 'utf8'));
    const host = hostOf(found.host ?? values.host);
    const runs: Record<string, EvaluationResult> = found.runs ?? { [found.protocol]: found };
    for (const [protocol, result] of Object.entries(runs)) {
      console.log(`\n${path}, protocol ${protocol}, published order of ${host}\n`);
      for (const [figure, name] of Object.entries(FIGURES)) {
        console.log(`${name}: ${countText(pairsOf(result, host, figure as Figure))}`);
      }
      printPairs(pairsOf(result, host, 'f1'));
    }
  }
}

function hostOf(name: string): E3Host {
  const host = E3_HOSTS.find((each) => each === name);
  if (host === undefined) throw new RangeError(`--host is one of ${E3_HOSTS.join(', ')}`);
  return host;
}

function pairsOf({ variants }: EvaluationResult, host: E3Host, figure: Figure): Pair[] {
  const known = new Map(publishedOrder(host).map(({ variant, f1 }) => [variant, f1]));
  const run = ABLATIONS.flatMap((name) => {
    const [mean, published] = [variants[name]?.mean[figure] ?? null, known.get(name)];
    return mean === null || published === undefined ? [] : [{ name, mean: 100 * mean, published }];
  });
  return run.flatMap((first, i) =>
    run.slice(i + 1).map((second) => ({
      first: first.name,
      second: second.name,
      published: first.published - second.published,
      measured: first.mean - second.mean,
    })),
  );
}

const isAsPublished = ({ published, measured }: Pair): boolean =>
  Math.sign(published) === Math.sign(measured);

function countText(pairs: readonly Pair[]): string {
  const equal = pairs.filter(({ measured }) => measured === 0).length;
  const same = `${pairs.filter(isAsPublished).length} of ${pairs.length} pairs are ordered as published`;
  return equal === 0 ? same : `${same}, ${equal} are equal`;
}

function printPairs(pairs: readonly Pair[]): void {
  const points = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
  console.log('\n| pair | F1 (published) |\n|---|---|');
  for (const pair of pairs) {
    const { first, second, published, measured } = pair;
    const mark = isAsPublished(pair) ? ' ✓' : '';
    console.log(`| \`${first}\` − \`${second}\` | ${points(measured)} (${points(published)})${mark} |`);
  }
}
