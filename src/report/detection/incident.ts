import { type GraphEdge, type GraphNode, incidentGraph } from '../graph/incident-graph.js';
import { formatNumber, formatSeconds, formatTime } from '../page/format.js';
import { type Content, type Element, h } from '../page/html.js';
import { type Fact, factList } from '../page/page.js';
import { barCell, dataTable, nameCell } from '../page/tables.js';

/** Why one node is unusual in one relation. */
export interface Evidence {
  readonly node: string;
  readonly relation: string;
  /** What was measured, for example "reconstruction" or "name surprise". */
  readonly kind: string;
  /** How often benign nodes look at least so unusual. */
  readonly p: number;
  /** The number of benign samples behind p: it cannot be less than about one in so many. */
  readonly samples?: number;
  /** The same in words. */
  readonly reason?: string;
}

export interface IncidentMember {
  readonly name: string;
  readonly kind: string;
  readonly score: number;
  readonly alert: boolean;
  readonly reason?: string;
}

export interface Incident {
  /** Its address in the page. */
  readonly id: string;
  readonly title: string;
  readonly summary?: Content;
  readonly score: number;
  readonly host?: string;
  readonly first?: bigint;
  readonly last?: bigint;
  readonly members: readonly IncidentMember[];
  readonly evidence: readonly Evidence[];
  readonly graph?: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] };
}

const MOST_MEMBERS = 12;
const MOST_EVIDENCE = 15;

/** One incident as an analyst reads it: what and when, the graph, then why. */
export function incidentArticle(incident: Incident): Element {
  const { id, members, evidence, graph } = incident;
  return h(
    'article',
    { class: 'incident', id, 'aria-labelledby': `${id}-title` },
    h('h3', { id: `${id}-title` }, incident.title),
    incident.summary !== undefined && h('p', {}, incident.summary),
    factList(factsOf(incident)),
    graph !== undefined &&
      incidentGraph({
        id: `${id}-graph`,
        title: 'What touched what',
        nodes: graph.nodes,
        edges: graph.edges,
      }),
    dataTable({
      id: `${id}-evidence`,
      title: 'Why',
      caption:
        'For each relation, how often a benign node looks at least so unusual. The bar is the number of zeros: one step is ten times rarer.',
      columns: [
        { heading: 'node', value: (each) => each.node, as: 'name', show: (each) => nameCell(each.node, 48) },
        {
          heading: 'relation',
          value: (each) => each.relation,
          as: 'whole',
          show: (each) => nameCell(each.relation, 32),
        },
        { heading: 'evidence', value: (each) => each.kind },
        {
          heading: 'benign nodes like it',
          value: (each) => each.p,
          as: 'bar',
          show: (each) => rarity(each, evidence),
        },
        ...(evidence.some((each) => each.reason !== undefined)
          ? [{ heading: 'in words', value: (each: Evidence) => each.reason }]
          : []),
      ],
      rows: [...evidence].sort((a, b) => a.p - b.p),
      most: MOST_EVIDENCE,
      download: evidence.length > MOST_EVIDENCE,
    }),
    dataTable({
      id: `${id}-members`,
      title: 'Nodes of the incident',
      columns: [
        { heading: 'node', value: (each) => each.name, as: 'name', show: (each) => nameCell(each.name, 64) },
        { heading: 'kind', value: (each) => each.kind },
        { heading: 'score', value: (each) => each.score, as: 'bar' },
        { heading: 'alert', value: (each) => each.alert },
        ...(members.some((each) => each.reason !== undefined)
          ? [{ heading: 'main reason', value: (each: IncidentMember) => each.reason }]
          : []),
      ],
      rows: [...members].sort((a, b) => b.score - a.score),
      most: MOST_MEMBERS,
      download: members.length > MOST_MEMBERS,
    }),
  );
}

/** A probability as people count: 1 in 5,000; and that it can be no rarer, where the samples say no more. */
export function oneIn(p: number, samples?: number): string {
  if (!(p > 0)) return 'none';
  if (p > 0.5) return 'most';
  const floor = samples !== undefined && p <= 1.000001 / (samples + 1);
  return `${floor ? 'fewer than ' : ''}1 in ${formatNumber(Math.round(1 / p))}`;
}

function rarity(each: Evidence, all: readonly Evidence[]): Content {
  const zeros = (p: number): number => (p > 0 ? -Math.log10(p) : 0);
  const most = all.reduce((high, other) => Math.max(high, zeros(other.p)), 1);
  return [oneIn(each.p, each.samples), barCell(zeros(each.p), most)];
}

function factsOf(incident: Incident): Fact[] {
  const { first, last, members } = incident;
  const facts: Fact[] = [
    ['score', formatNumber(incident.score)],
    [
      'alerts',
      `${formatNumber(members.filter((each) => each.alert).length)} of ${formatNumber(members.length)} nodes`,
    ],
  ];
  if (incident.host !== undefined) facts.unshift(['host', nameCell(incident.host, 40)]);
  if (first !== undefined) facts.push(['first event', formatTime(first)]);
  if (first !== undefined && last !== undefined)
    facts.push(['lasted', formatSeconds(Number(last - first) / 1e9)]);
  return facts;
}
