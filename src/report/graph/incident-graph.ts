import { key, shapeSample } from '../charts/series.js';
import { type ChartText, figure } from '../page/figure.js';
import { formatNumber } from '../page/format.js';
import { type Element, h } from '../page/html.js';
import {
  drawLine,
  drawNode,
  drawRelations,
  drawTip,
  type NodeKind,
  type PlacedArrow,
  type PlacedNode,
  SHAPES,
} from './graph-drawing.js';
import { type GridPlace, layeredLayout } from './layered-layout.js';

export interface GraphNode {
  /** Unique in the graph; not shown. */
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly score?: number;
  readonly alert?: boolean;
  /** The id of the process that started this one. */
  readonly parent?: string;
}

/** An edge in the direction of the information flow. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly relation: string;
  readonly count?: number;
}

export interface IncidentGraph extends ChartText {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The most nodes to draw. */
  readonly most: number;
}

/** All edges between two nodes. Without relations: `from` started `to`. */
interface Link {
  readonly from: string;
  readonly to: string;
  readonly relations: string[];
  /** Relations in the opposite direction. */
  readonly back: string[];
}

const COLUMN = { least: 148, most: 184 }; // pixels between layers
const ROW = 68;
const SIDE = 84;
const TOP = 40;
const FITS = 900; // pixels: the width inside the border of an incident
/** The line from a process to its child, in the drawing and in its key. */
const STARTED_BY = {
  fill: 'none',
  stroke: 'var(--rule-strong)',
  'stroke-width': 1.5,
  'stroke-dasharray': '1.5 4',
  'stroke-linecap': 'round',
} as const;

/** Draws the nodes of an incident and the information flow between them. Nodes that are left out are counted by kind. */
export function incidentGraph(graph: IncidentGraph): Element {
  const chosen = chooseNodes(graph.nodes, graph.most);
  const links = linksOf(chosen, graph.edges);
  const { places, routes } = layeredLayout(
    chosen.map(({ id, kind, parent }) => ({
      id,
      process: kind === 'process',
      ...(parent === undefined ? {} : { parent }),
    })),
    links,
  );
  const last = [...places.values()].reduce((most, each) => Math.max(most, each.layer), 0);
  const column = Math.max(
    COLUMN.least,
    Math.min(COLUMN.most, Math.floor((FITS - 2 * SIDE) / Math.max(1, last))),
  );
  const toPixels = ({ layer, row }: GridPlace): { x: number; y: number } => ({
    x: SIDE + layer * column,
    y: Math.round((TOP + row * ROW) * 10) / 10,
  });
  const ranks = rankAlerts(chosen);
  const placed = new Map(
    chosen.map((node) => [
      node.id,
      place(node, toPixels(places.get(node.id) as GridPlace), ranks.get(node.id)),
    ]),
  );
  const arrows = links.map(
    (link, i): PlacedArrow => ({
      from: placed.get(link.from) as PlacedNode,
      to: placed.get(link.to) as PlacedNode,
      route: routes[i].map(toPixels),
      relations: link.relations,
      back: link.back,
    }),
  );
  const leftOut = graph.nodes.filter((node) => !placed.has(node.id));
  const lanes = arrows.flatMap((arrow) => arrow.route);
  const lowest = [...placed.values(), ...lanes].reduce((most, each) => Math.max(most, each.y), 0);
  const width = [...placed.values()].reduce((most, each) => Math.max(most, each.x), 0) + SIDE;
  const height = Math.ceil(lowest) + 40 + (leftOut.length > 0 ? 24 : 0);
  const tip = `${graph.id}-tip`;
  const flows = arrows.filter((arrow) => arrow.relations.length > 0);
  const starts = arrows.filter((arrow) => arrow.relations.length === 0);
  const most = { node: Math.floor(column / 7.3), relation: Math.floor((column - 40) / 6.6) };
  const labels = drawRelations(flows, [...placed.values()], most);
  const drawing = h(
    'svg',
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      'font-size': 11.5,
      role: 'img',
      'aria-labelledby': `${graph.id}-name`,
      'aria-describedby': `${graph.id}-description`,
    },
    h('title', { id: `${graph.id}-name` }, graph.title),
    h('desc', { id: `${graph.id}-description` }, describe(graph, leftOut.length)),
    h('defs', {}, drawTip(tip)),
    h(
      'g',
      STARTED_BY,
      starts.map((arrow) => drawLine(arrow, tip)),
    ),
    h(
      'g',
      { fill: 'none', stroke: 'var(--quiet)', 'stroke-width': 1.3 },
      flows.map((arrow) => drawLine(arrow, tip)),
    ),
    h('g', { 'font-size': 10.5 }, labels),
    h(
      'g',
      {},
      [...placed.values()].map((node) => drawNode(node, most.node)),
    ),
    leftOut.length > 0 &&
      h(
        'text',
        { x: 8, y: height - 8, fill: 'var(--ink)', 'font-weight': 600 },
        `Not drawn: ${countKinds(leftOut)}`,
      ),
  );
  const names = new Map(graph.nodes.map((node) => [node.id, node.label]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const outside = graph.edges.filter((edge) => !names.has(edge.from) || !names.has(edge.to)).length;
  return figure(
    graph,
    drawing,
    {
      headings: ['from', 'relation', 'to', 'events'],
      rows: graph.edges.map((edge) => [nameOf(edge.from), edge.relation, nameOf(edge.to), edge.count]),
    },
    {
      key: graphKey(graph, starts.length > 0),
      wide: width > 1.2 * FITS,
      notes: notesOf(outside, flows.length - labels.length),
    },
  );
}

function notesOf(outside: number, unlabelled: number): string[] {
  const notes: string[] = [];
  if (outside > 0)
    notes.push(`${formatNumber(outside)} edges lead to nodes outside the graph and are not drawn.`);
  if (unlabelled > 0) {
    const arrows = unlabelled === 1 ? '1 arrow has' : `${formatNumber(unlabelled)} arrows have`;
    notes.push(`${arrows} no room for a label; the data below lists all relations.`);
  }
  return notes;
}

/** Alerts first, each with its ancestors, then by score. Keeps the order of the input for the layout. */
function chooseNodes(nodes: readonly GraphNode[], most: number): GraphNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byScore = [...byId.values()].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  const kept = new Set<string>();
  for (const node of byScore) {
    let at = node.alert === true ? node : undefined;
    while (at !== undefined && kept.size < most && !kept.has(at.id)) {
      kept.add(at.id);
      at = at.parent === undefined ? undefined : byId.get(at.parent);
    }
  }
  for (const node of byScore) if (kept.size < most) kept.add(node.id);
  return [...byId.values()].filter((node) => kept.has(node.id));
}

/** Joins the edges between two nodes. A parent is linked to its child only if no edge joins them. */
function linksOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Link[] {
  const ids = new Set(nodes.map((node) => node.id));
  const links = new Map<string, Link>();
  const keyOf = (from: string, to: string): string => JSON.stringify([from, to]);
  const linkOf = (from: string, to: string): Link => {
    const link = links.get(keyOf(from, to)) ??
      links.get(keyOf(to, from)) ?? { from, to, relations: [], back: [] };
    links.set(keyOf(link.from, link.to), link);
    return link;
  };
  for (const edge of edges) {
    if (!ids.has(edge.from) || !ids.has(edge.to)) continue;
    const link = linkOf(edge.from, edge.to);
    const times = edge.count === undefined || edge.count === 1 ? '' : ` ×${formatNumber(edge.count)}`;
    (link.from === edge.from ? link.relations : link.back).push(`${edge.relation}${times}`);
  }
  for (const { id, parent } of nodes)
    if (parent !== undefined && parent !== id && ids.has(parent)) linkOf(parent, id);
  return [...links.values()];
}

function rankAlerts(nodes: readonly GraphNode[]): Map<string, number> {
  const alerts = nodes.filter((node) => node.alert === true).sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  return new Map(alerts.map((node, i) => [node.id, i + 1]));
}

function place(node: GraphNode, at: { x: number; y: number }, rank: number | undefined): PlacedNode {
  return { kind: node.kind, label: node.label, score: node.score, alert: node.alert === true, rank, ...at };
}

const KIND_NAMES: Readonly<Record<NodeKind, readonly [one: string, many: string]>> = {
  process: ['process', 'processes'],
  file: ['file', 'files'],
  flow: ['network flow', 'network flows'],
  other: ['other', 'others'],
};

function graphKey(graph: IncidentGraph, starts: boolean): Element {
  const kinds = (Object.keys(KIND_NAMES) as NodeKind[]).filter((kind) =>
    graph.nodes.some((node) => node.kind === kind),
  );
  const alerts = graph.nodes.some((node) => node.alert === true);
  const small = { transform: 'translate(8,7) scale(0.48)', 'stroke-width': 3 };
  return key([
    ...kinds.map((kind) => ({
      sample: shapeSample({ d: SHAPES[kind], fill: 'none', stroke: 'var(--ink)', ...small }),
      label: KIND_NAMES[kind][0],
    })),
    ...(alerts
      ? [
          {
            sample: shapeSample({
              d: SHAPES.process,
              fill: 'var(--alert)',
              stroke: 'var(--alert)',
              ...small,
            }),
            label: 'alert, numbered by score',
          },
        ]
      : []),
    {
      sample: shapeSample({ d: 'M-8,0H3M2,-3.5L8,0L2,3.5Z', fill: 'var(--quiet)', stroke: 'var(--quiet)' }),
      label: 'information flow',
    },
    ...(starts
      ? [
          {
            sample: shapeSample({
              d: 'M-8,0H8',
              ...STARTED_BY,
            }),
            label: 'parent and child process',
          },
        ]
      : []),
  ]);
}

function countKinds(nodes: readonly GraphNode[]): string {
  const counts = new Map<NodeKind, number>();
  for (const node of nodes) counts.set(node.kind, (counts.get(node.kind) ?? 0) + 1);
  return [...counts].map(([kind, n]) => `${formatNumber(n)} ${KIND_NAMES[kind][n === 1 ? 0 : 1]}`).join(', ');
}

function describe(graph: IncidentGraph, leftOut: number): string {
  const alerts = graph.nodes.filter((node) => node.alert === true).map((node) => node.label);
  const named = alerts.slice(0, 5).join(', ');
  const more = alerts.length > 5 ? ` and ${formatNumber(alerts.length - 5)} more` : '';
  const drawn = leftOut > 0 ? `, ${formatNumber(leftOut)} nodes not drawn` : '';
  return `${countKinds(graph.nodes)}; ${formatNumber(graph.edges.length)} edges${drawn}. Alerts: ${alerts.length === 0 ? 'none' : named + more}.`;
}
