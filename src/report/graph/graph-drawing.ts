import { formatNumber } from '../page/format.js';
import { type Element, h } from '../page/html.js';
import { type Box, overlaps } from '../page/place-names.js';
import { shortenMiddle } from '../page/shorten.js';

export type NodeKind = 'process' | 'file' | 'flow' | 'other';

/** A node at its position in pixels. */
export interface PlacedNode {
  readonly kind: NodeKind;
  readonly label: string;
  readonly score: number | undefined;
  readonly alert: boolean;
  /** 1 for the highest-scored alert. */
  readonly rank: number | undefined;
  readonly x: number;
  readonly y: number;
}

/** One arrow for all relations between two nodes. */
export interface PlacedArrow {
  readonly from: PlacedNode;
  readonly to: PlacedNode;
  /** Points on the way. */
  readonly route: readonly { readonly x: number; readonly y: number }[];
  readonly relations: readonly string[];
  /** Relations in the opposite direction, which give the arrow a second tip. */
  readonly back: readonly string[];
}

/** Paths centred on the origin. Kinds differ in shape, not in colour. */
export const SHAPES: Readonly<Record<NodeKind, string>> = {
  process: 'M12,0A12,12 0 1 1 -12,0A12,12 0 1 1 12,0Z',
  file: 'M-13,-10H13V10H-13Z',
  flow: 'M0,-13L14,0L0,13L-14,0Z',
  other: 'M-7,-11H7L13,0L7,11H-7L-13,0Z',
};

const RADIUS = 14;
const TIP = 3;
const LINE = 12;

const HALO = {
  stroke: 'var(--paper)',
  'stroke-width': 4,
  'paint-order': 'stroke',
  'stroke-linejoin': 'round',
} as const;

/** `most` limits the characters of the label. */
export function drawNode(node: PlacedNode, most: number): Element {
  const { alert } = node;
  const score = node.score === undefined ? '' : `, score ${formatNumber(node.score)}`;
  return h(
    'g',
    { transform: `translate(${node.x},${node.y})` },
    h('title', {}, `${node.kind}: ${node.label}${score}${alert ? ', alert' : ''}`),
    h('path', {
      d: SHAPES[node.kind],
      fill: alert ? 'var(--alert)' : 'var(--paper)',
      stroke: alert ? 'var(--alert)' : 'var(--ink)',
      'stroke-width': alert ? 2.5 : 1.5,
    }),
    node.rank !== undefined &&
      h('text', { 'text-anchor': 'middle', y: 4, fill: 'var(--paper)', 'font-weight': 700 }, node.rank),
    h(
      'text',
      {
        'text-anchor': 'middle',
        y: RADIUS + 13,
        ...HALO,
        fill: 'var(--ink)',
        'font-weight': alert ? 700 : undefined,
      },
      shortenMiddle(node.label, most),
    ),
  );
}

/** The line of an arrow. `marker` is the id of its tip. An arrow without relations has no tip. */
export function drawLine(arrow: PlacedArrow, marker: string): Element {
  return h(
    'path',
    {
      d: pathOf(segmentsOf(arrow)),
      'marker-start': arrow.back.length === 0 ? undefined : `url(#${marker})`,
      'marker-end': arrow.relations.length === 0 ? undefined : `url(#${marker})`,
    },
    arrow.relations.length > 0 && h('title', {}, allRelations(arrow)),
  );
}

export function drawTip(id: string): Element {
  return h(
    'marker',
    {
      id,
      viewBox: '0 0 8 8',
      refX: 5.5,
      refY: 4,
      markerWidth: 8,
      markerHeight: 8,
      markerUnits: 'userSpaceOnUse',
      orient: 'auto-start-reverse',
    },
    h('path', { d: 'M0,0L8,4L0,8Z', fill: 'var(--quiet)', stroke: 'none' }),
  );
}

// Where on its line the label of an arrow may be: the middle first, then alternating outwards.
const POSITIONS = [0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8];
// How far off the line, as a share of the label's height. Farther off it would seem to belong to another line.
const OFFSETS = [0, -0.45, 0.45, -0.8, 0.8];
// Pixels per character, in the font sizes of names and relations; capitals are wide.
const NAME_CHARACTER = 7.2;
const RELATION_CHARACTER = 6.9;

/** The most characters of labels. */
export interface LabelLimits {
  readonly node: number;
  readonly relation: number;
}

/**
 * Labels each arrow with its first relation and the count of the rest. A label that would cover a node or another label
 * is left out. Arrows between alerts are labelled first.
 */
export function drawRelations(
  arrows: readonly PlacedArrow[],
  nodes: readonly PlacedNode[],
  most: LabelLimits,
): Element[] {
  const taken: Box[] = nodes.flatMap(({ x, y, label }) => [
    boxAround({ x, y }, 2 * RADIUS, 2 * RADIUS),
    boxAround({ x, y: y + RADIUS + 9 }, Math.min(most.node, label.length) * NAME_CHARACTER, 13),
  ]);
  const alerts = ({ from, to }: PlacedArrow): number => Number(from.alert) + Number(to.alert);
  return [...arrows]
    .sort((a, b) => alerts(b) - alerts(a))
    .flatMap((arrow) => {
      const lines = labelLines(arrow, most.relation);
      const segments = segmentsOf(arrow);
      const width = lines.reduce((longest, line) => Math.max(longest, line.length), 0) * RELATION_CHARACTER;
      const height = LINE * lines.length - 2; // capitals do not fill the line height
      const boxAt = (at: Point): Box => boxAround(at, width, height);
      const onLine = POSITIONS.map((t) => pointOn(segments, t));
      const places = OFFSETS.flatMap((off) => onLine.map(({ x, y }) => ({ x, y: y + off * height })));
      const at = places.find((place) => !taken.some((other) => overlaps(boxAt(place), other)));
      if (at === undefined) return [];
      taken.push(boxAt(at));
      const first = at.y + 3.5 - ((lines.length - 1) * LINE) / 2;
      return [
        h(
          'g',
          { 'text-anchor': 'middle', fill: 'var(--quiet)', ...HALO },
          h('title', {}, allRelations(arrow)),
          lines.map((line, i) => h('text', { x: round(at.x), y: round(first + i * LINE) }, line)),
        ),
      ];
    });
}

/** One line per direction. With two lines, each has an arrow for its direction. */
function labelLines(arrow: PlacedArrow, most: number): string[] {
  const lines = [summarize(arrow.relations, most), summarize(arrow.back, most)].filter((line) => line !== '');
  if (lines.length < 2) return lines;
  const tips = arrow.to.x >= arrow.from.x ? ['→', '←'] : ['←', '→'];
  return lines.map((line, i) => `${line} ${tips[i]}`);
}

const allRelations = ({ relations, back }: PlacedArrow): string => [...relations, ...back].join(', ');

function summarize([first, ...rest]: readonly string[], most: number): string {
  return first === undefined
    ? ''
    : `${shortenMiddle(first, most)}${rest.length === 0 ? '' : ` +${rest.length}`}`;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A cubic curve: start, two control points, end. */
type Segment = readonly [Point, Point, Point, Point];

/** Curves through the points of the route that start and end horizontally. */
function segmentsOf(arrow: PlacedArrow): Segment[] {
  const { from, to, route } = arrow;
  if (from === to) {
    // A loop above the node.
    const top = from.y - RADIUS;
    return [
      [
        { x: from.x - 6, y: top + 2 },
        { x: from.x - 26, y: top - 30 },
        { x: from.x + 26, y: top - 30 },
        { x: from.x + 7, y: top - 1 },
      ],
    ];
  }
  if (from.x === to.x) {
    // Within a layer: an arc on the right.
    const down = to.y > from.y ? 1 : -1;
    const out = from.x + 44 + Math.min(36, Math.abs(to.y - from.y) / 6);
    return [
      [
        { x: from.x + RADIUS, y: from.y + 4 * down },
        { x: out, y: from.y },
        { x: out, y: to.y },
        { x: to.x + RADIUS + TIP, y: to.y - 4 * down },
      ],
    ];
  }
  const forward = to.x > from.x ? 1 : -1;
  const start = arrow.back.length > 0 ? RADIUS + TIP : RADIUS;
  const points: Point[] = [
    { x: from.x + start * forward, y: from.y },
    ...route,
    { x: to.x - (RADIUS + TIP) * forward, y: to.y },
  ];
  return points.slice(1).map((b, i) => {
    const a = points[i];
    const reach = (b.x - a.x) * 0.45;
    return [a, { x: a.x + reach, y: a.y }, { x: b.x - reach, y: b.y }, b];
  });
}

function pathOf(segments: readonly Segment[]): string {
  const show = ({ x, y }: Point): string => `${round(x)},${round(y)}`;
  return `M${show(segments[0][0])}${segments.map(([, b, c, d]) => `C${show(b)} ${show(c)} ${show(d)}`).join('')}`;
}

/** The point at share t of the way, if all segments had the same length. */
function pointOn(segments: readonly Segment[], t: number): Point {
  const at = Math.min(segments.length - 1, Math.floor(t * segments.length));
  const u = t * segments.length - at;
  const [a, b, c, d] = segments[at];
  const weigh = (p: number, q: number, r: number, s: number): number =>
    (1 - u) ** 3 * p + 3 * (1 - u) ** 2 * u * q + 3 * (1 - u) * u ** 2 * r + u ** 3 * s;
  return { x: weigh(a.x, b.x, c.x, d.x), y: weigh(a.y, b.y, c.y, d.y) };
}

function boxAround({ x, y }: Point, width: number, height: number): Box {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

const round = (value: number): number => Math.round(value * 10) / 10;
