import { formatNumber } from '../../report/page/format.js';
import { attackSeeds, LEADS_TO, ranksText } from '../report/attack-ranks.js';
import { countText, meanText, stepsOf } from '../report/cell-text.js';
import type { Comparison, Contestant } from './compare.js';

/** A table of texts: one row per contestant, the highest AP first. */
export interface CompareTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NOTHING = '–';

/** How to read the columns. */
export const COMPARE_LEGEND = [
  'a column named after an attack: the rank of the first incident that leads to it (median over seeds, then the worst); * among more nodes, >N: none of N incidents',
  LEADS_TO,
  'flagged: attacks with a flagged node at the threshold that all contestants share; false incidents: at the same threshold',
  'own rule: attacks, true and false nodes flagged by the rule of the published detector, if it has one without labels',
  'seconds: training, calibration and scoring of one seed; processor s: all of a seed on all threads, which other work on the machine does not lengthen; memory: the most that the process used, with the data',
] as const;

/** What all contestants share: protocol, threshold rule and labels. */
export function describeComparison({ protocol, matching, config, data }: Comparison['about']): string {
  const { positives, nodes, tier } = data;
  return (
    `protocol ${protocol}, matching ${matching}, threshold ${config.threshold}, labels of tier ${tier}: ` +
    `${formatNumber(positives)} of ${formatNumber(nodes)} nodes are labelled`
  );
}

/** All figures of a comparison. */
export function compareTable({
  contestants,
  about,
}: Pick<Comparison, 'contestants' | 'about'>): CompareTable {
  const attacks = about.data.attacks ?? [];
  return {
    headings: [
      'contestant',
      'seeds',
      'AP',
      'AUROC',
      'ADP',
      ...attacks,
      'flagged',
      'false incidents',
      'own rule',
      'steps',
      'seconds',
      'processor s',
      'memory',
    ],
    rows: byPrecision(contestants).map((contestant) => rowOf(contestant, attacks)),
  };
}

/** Contestants in the order of their mean AP, the highest first. */
export function byPrecision(contestants: readonly Contestant[]): Contestant[] {
  return [...contestants].sort((a, b) => (b.result.mean.ap ?? 0) - (a.result.mean.ap ?? 0));
}

function rowOf({ name, result, memory, processor }: Contestant, attacks: readonly string[]): string[] {
  const steps = stepsOf(result);
  const flagged = result.mean.attacks === null ? NOTHING : countText(result, 'attacksDetected');
  return [
    name,
    String(result.seeds.length),
    meanText(result, 'ap', 3),
    meanText(result, 'auroc', 3),
    meanText(result, 'adp', 3),
    ...attacks.map((attack) => ranksText(attackSeeds(result, attack))),
    flagged,
    countText(result, 'falseIncidents'),
    ownText(result.seeds),
    steps === null ? NOTHING : String(steps),
    secondsOf(result.seeds).toFixed(0),
    meanOf(processor).toFixed(0),
    memoryText(memory),
  ];
}

/** The mean over seeds of what the own rule flags. */
function ownText(seeds: Contestant['result']['seeds']): string {
  const own = seeds.flatMap((seed) => (seed.own === undefined ? [] : [seed.own]));
  if (own.length === 0) return NOTHING;
  const mean = (value: (each: (typeof own)[number]) => number) =>
    Math.round((10 * own.reduce((sum, each) => sum + value(each), 0)) / own.length) / 10;
  return `${mean((each) => each.attacksDetected ?? 0)}, ${mean(({ tp }) => tp)} true, ${mean(({ fp }) => fp)} false`;
}

/** The mean over seeds of all stages. */
function secondsOf(seeds: Contestant['result']['seeds']): number {
  const sums = seeds.map(({ timings = {} }) => Object.values(timings).reduce((sum, each) => sum + each, 0));
  return meanOf(sums);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
}

function memoryText(memory: Contestant['memory']): string {
  const most = Math.max(...memory.map((each) => each ?? 0));
  return most === 0 ? NOTHING : `${Math.round(most / 2 ** 20)} MiB`;
}
