import { formatNumber } from '../../report/page/format.js';
import { TOP_NODES } from '../metrics/top-incidents.js';
import type { SeedResult, VariantResult } from '../result-schema.js';

export type AttackResult = NonNullable<SeedResult['perAttack']>[number];

/** What leads to an attack. */
export const LEADS_TO =
  'an incident of recal is a process tree, which leads to an attack if any process belongs to it; an incident of nodes, if one of its three highest nodes does';

/** How to read the cells of `ranksText`. */
export const RANK_LEGEND = [
  'rank of the first incident that leads to the attack: the median over seeds, then the worst if it differs',
  LEADS_TO,
  `*: no incident of the ${TOP_NODES} highest nodes per host and day leads to the attack; this is the rank if more nodes form incidents`,
  '>N: none of all N incidents leads to the attack',
  'not scored: every node of the attack scores 0',
] as const;

/** How to read the cells of `episodesText`. */
export const EPISODE_LEGEND = [
  'rank of the first folded episode with a process of the attack: the median over seeds, then the worst if it differs',
  'an episode is a process tree, which scores the sum of its three highest processes; recal and episodes score trees themselves',
  '(N): the rank without episodes of ignored processes',
  'score 0: every episode of the attack scores 0',
] as const;

/** The attack with this name, for each seed of a variant. */
export function attackSeeds({ seeds }: VariantResult, name: string): AttackResult[] {
  return seeds.flatMap(({ perAttack = [] }) => perAttack.filter((attack) => attack.name === name));
}

/** The rank of the first incident that leads to the attack with one seed. */
export function rankText({ firstIncident, deeper }: AttackResult): string {
  if (firstIncident !== null) return formatNumber(firstIncident);
  if (deeper === null) return 'not scored';
  return deeper.incident === null
    ? `>${formatNumber(deeper.incidents)}`
    : `${formatNumber(deeper.incident)}*`;
}

/** The median and the worst rank over seeds. Of an even number of seeds, the median is the worse of the middle two. */
export function ranksText(seeds: readonly AttackResult[]): string {
  const texts = [...seeds].sort(compareRanks).map(rankText);
  const [median, worst] = [texts[Math.floor(texts.length / 2)], texts[texts.length - 1]];
  if (median === undefined) return 'not run';
  return median === worst ? median : `${median}, worst ${worst}`;
}

/** The median and the worst rank of an attack's first episode over seeds. */
export function episodesText(seeds: readonly AttackResult[]): string {
  const rank = ({ firstEpisode }: AttackResult) => firstEpisode ?? Number.POSITIVE_INFINITY;
  const texts = [...seeds].sort((a, b) => rank(a) - rank(b)).map(episodeText);
  const [median, worst] = [texts[Math.floor(texts.length / 2)], texts[texts.length - 1]];
  if (median === undefined) return 'not run';
  return median === worst ? median : `${median}, worst ${worst}`;
}

function episodeText({ firstEpisode, firstEpisodeNotIgnored }: AttackResult): string {
  if (typeof firstEpisode !== 'number') return 'score 0';
  const other = firstEpisodeNotIgnored ?? firstEpisode;
  return other === firstEpisode
    ? formatNumber(firstEpisode)
    : `${formatNumber(firstEpisode)} (${formatNumber(other)})`;
}

/** Best first: found by the highest nodes, then deeper, then never, then not scored. */
function compareRanks(a: AttackResult, b: AttackResult): number {
  const depth = ({ firstIncident, deeper }: AttackResult) =>
    firstIncident !== null ? 0 : deeper === null ? 3 : deeper.incident === null ? 2 : 1;
  const rank = ({ firstIncident, deeper }: AttackResult) =>
    firstIncident ?? deeper?.incident ?? deeper?.incidents ?? 0;
  return depth(a) - depth(b) || rank(a) - rank(b);
}
