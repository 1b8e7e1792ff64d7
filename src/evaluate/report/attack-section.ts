import { formatFixed } from '../../report/page/format.js';
import type { Content } from '../../report/page/html.js';
import type { Section } from '../../report/page/page.js';
import { dataTable } from '../../report/page/tables.js';
import { TOP_NODES } from '../metrics/top-incidents.js';
import {
  type AttackResult,
  attackSeeds,
  EPISODE_LEGEND,
  episodesText,
  RANK_LEGEND,
  ranksText,
  rankText,
} from './attack-ranks.js';
import type { Study, StudyRun } from './study.js';
import {
  countColumn,
  dailyColumn,
  effortColumn,
  headingOf,
  meanColumn,
  VARIANT_COLUMNS,
  type VariantRow,
  variantRows,
} from './variant-rows.js';

interface AttackRow extends VariantRow {
  readonly attack: string;
  readonly nodes: number;
  readonly seeds: readonly AttackResult[];
}

/** Undefined if no labels name attacks. */
export function attackSection({ runs }: Study): Section | undefined {
  const variants = variantRows(runs);
  const rows = variants.flatMap((each): AttackRow[] => {
    const [first] = each.variant.seeds;
    return (first.perAttack ?? []).map(({ name, nodes }, a) => ({
      ...each,
      attack: name,
      nodes,
      seeds: each.variant.seeds.flatMap(({ perAttack }) => perAttack?.[a] ?? []),
    }));
  });
  if (rows.length === 0) return undefined;
  return {
    id: 'attacks',
    title: 'Attacks',
    lead: 'An attack is detected if at least one of its nodes is flagged. The first incident is the rank of the highest incident that leads to the attack, at any threshold.',
    content: [
      rankTable(runs, {
        id: 'attack-ranks',
        title: 'First incident of each attack',
        legend: RANK_LEGEND,
        cell: ranksText,
      }),
      rankTable(runs, {
        id: 'attack-episodes',
        title: 'First episode of each attack',
        legend: EPISODE_LEGEND,
        cell: episodesText,
      }),
      dataTable({
        id: 'attack-table',
        title: 'Results by attack',
        columns: [
          { heading: 'attack', value: ({ attack }: AttackRow) => attack, as: 'name' },
          ...VARIANT_COLUMNS,
          { heading: 'nodes', value: ({ nodes }) => nodes },
          {
            heading: 'flagged (mean)',
            value: ({ seeds }) => average(seeds.map(({ flagged }) => flagged)),
            show: ({ seeds }) => formatFixed(average(seeds.map(({ flagged }) => flagged)), 1),
            as: 'number',
          },
          {
            heading: 'detected in',
            value: ({ seeds }) =>
              `${seeds.filter(({ flagged }) => flagged > 0).length} of ${seeds.length} seeds`,
          },
          {
            heading: 'first incident, by seed',
            value: ({ seeds }) => seeds.map(rankText).join(', '),
          },
          {
            heading: 'labelled of its members, by seed',
            value: ({ seeds }) => seeds.map(({ incidentMembers }) => membersText(incidentMembers)).join(', '),
          },
          {
            heading: 'labelled of the processes of the first episode, by seed',
            value: ({ seeds }) => seeds.map(({ episodeMembers }) => membersText(episodeMembers)).join(', '),
          },
        ],
        rows,
        most: 200,
        download: true,
      }),
      dataTable({
        id: 'attack-effort',
        title: 'Effort to find all attacks',
        caption: `Not all: at least one seed does not find every attack, or not among the ${TOP_NODES} highest nodes per host and day. The first table shows how far down they are, and what an incident of each variant is.`,
        columns: [
          ...VARIANT_COLUMNS,
          countColumn('attacks', 'attacks'),
          countColumn('detected', 'attacksDetected'),
          meanColumn('ADP', 'adp'),
          countColumn('false incidents', 'falseIncidents'),
          dailyColumn(runs),
          effortColumn('false positives until all found', 'fpUntilAllAttacks'),
          effortColumn('incidents until all found', 'incidentsUntilAllAttacks'),
          effortColumn('nodes in these incidents', 'nodesUntilAllAttacks'),
        ],
        rows: variants.filter(({ variant }) => variant.mean.attacks !== null),
        download: true,
      }),
    ],
  };
}

interface RankTable {
  readonly id: string;
  readonly title: string;
  readonly legend: readonly string[];
  readonly cell: (seeds: readonly AttackResult[]) => string;
}

/** A capital, except at the beginning of the caption. */
const asSentence = (text: string, i: number): string =>
  i === 0 ? text : text[0].toUpperCase() + text.slice(1);

/** Attacks by variants. */
function rankTable(runs: readonly StudyRun[], { id, title, legend, cell }: RankTable): Content {
  const names = [...new Set(runs.flatMap(({ result }) => Object.keys(result.variants)))];
  const rows = runs.flatMap((run) => (run.result.data.attacks ?? []).map((attack) => ({ run, attack })));
  return dataTable({
    id,
    title,
    caption: `The cells show the ${legend.map(asSentence).join('. ')}.`,
    columns: [
      { heading: 'attack', value: ({ attack }) => attack, as: 'name' },
      { heading: 'protocol', value: ({ run }) => run.name },
      ...names.map((name) => ({
        heading: headingOf(name, runs),
        value: ({ run, attack }: (typeof rows)[number]) => {
          const variant = run.result.variants[name];
          return variant === undefined ? 'not run' : cell(attackSeeds(variant, attack));
        },
      })),
    ],
    rows,
    download: true,
  });
}

function membersText(members: AttackResult['incidentMembers']): string {
  return members === null || members === undefined ? 'none' : `${members.labelled} of ${members.nodes}`;
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
