import { dot, ruleY, scale, text } from '@observablehq/plot';
import { collectScores, type ScoredNodes, type ScorePoint } from '../charts/score-points.js';
import { type ChartText, type FigureData, figure } from '../page/figure.js';
import { formatNumber, formatTime } from '../page/format.js';
import { type Element, h } from '../page/html.js';
import { type NamedPlace, placeNames } from '../page/place-names.js';
import { axisLabel, drawPlot, FULL_WIDTH } from './plot.js';
import { key, shapeSample } from './series.js';

export interface ScorePlot extends ChartText {
  /** Read once, so that millions of nodes need no array of objects. */
  readonly points: Iterable<ScorePoint>;
  readonly threshold: number;
  readonly over: 'time' | 'rank';
  /** What a score is, for example "score (−ln tail probability)". */
  readonly measure: string;
  /** How many alerts are named in the drawing, at most. */
  readonly names?: number;
}

type Look = 'alert' | 'hit' | 'false' | 'missed';

interface Loud {
  readonly x: number;
  readonly y: number;
  readonly look: Look;
  readonly name: string;
}

const HEIGHT = 360;
const MARGIN = { top: 24, right: 24, bottom: 56, left: 60 };
const CELL = 2.5; // pixels: quiet dots that fall into one cell are drawn as one
const MOST_LOUD = 2000;
const MOST_ROWS = 1000;

/** Nodes by time or rank against their score. Alerts are triangles and named, so that they stand out without colour. */
export function scorePlot(chart: ScorePlot): Element {
  const byTime = chart.over === 'time';
  const scored = collectScores(chart.points, chart.over, MOST_ROWS);
  const xOptions = {
    type: byTime ? ('utc' as const) : ('log' as const),
    domain: scored.span.map((at) => (byTime ? new Date(at) : at)),
    range: [MARGIN.left + 8, FULL_WIDTH - MARGIN.right - 8],
  };
  const yOptions = {
    type: 'linear' as const,
    domain: [scored.lowest, Math.max(chart.threshold * 1.2, scored.highest * 1.06) || 1],
    range: [HEIGHT - MARGIN.bottom, MARGIN.top],
  };
  const xScale = scale({ x: xOptions });
  const yScale = scale({ y: yOptions });
  const toX = (at: number): number => Number(xScale.apply(byTime ? new Date(at) : at));
  const toY = (score: number): number => Number(yScale.apply(score));

  const loud = scored.loud
    .slice(0, MOST_LOUD)
    .map(({ point, x }): Loud => ({ x, y: point.score, look: lookOf(point), name: point.name }));
  const names = placeNames(
    loud.map((each) => ({ x: toX(each.x), y: toY(each.y), text: each.name })),
    { left: MARGIN.left, right: FULL_WIDTH, top: 2, bottom: HEIGHT - MARGIN.bottom - 4 },
    chart.names ?? 8,
  );
  const label = thresholdSide(
    byTime ? 'left' : 'right',
    loud.map((each) => ({ x: toX(each.x), y: toY(each.y) - toY(chart.threshold) })),
  );
  const place = (each: { x: number }): Date | number => (byTime ? new Date(each.x) : each.x);
  const shape = { x: place, y: 'y', title: (each: Loud) => `${each.name}: ${formatNumber(each.y)}` };
  const of = (...looks: Look[]): Loud[] => loud.filter((each) => looks.includes(each.look));
  const halo = { fill: 'var(--ink)', stroke: 'var(--paper)', strokeWidth: 4 } as const;
  const drawing = drawPlot(
    { ...chart, description: describe(chart, scored) },
    {
      height: HEIGHT,
      marginTop: MARGIN.top,
      marginRight: MARGIN.right,
      marginBottom: MARGIN.bottom,
      marginLeft: MARGIN.left,
      x: {
        ...xOptions,
        ...(byTime
          ? { tickFormat: clock(scored.span) }
          : {
              tickFormat: (rank: number) => (Math.abs(Math.log10(rank) % 1) < 1e-9 ? formatNumber(rank) : ''),
            }),
        ...axisLabel(byTime ? 'time (UTC)' : 'rank, highest score first (logarithmic axis)'),
      },
      y: {
        ...yOptions,
        ...axisLabel(chart.measure),
        grid: true,
        ticks: 6,
      },
      marks: [
        ruleY([yOptions.domain[0]], { stroke: 'var(--rule-strong)' }),
        ruleY([chart.threshold], { stroke: 'var(--ink)', strokeDasharray: '6 4', strokeWidth: 1.2 }),
        text([chart.threshold], {
          ...halo,
          y: (y: number) => y,
          frameAnchor: label,
          textAnchor: label === 'left' ? 'start' : 'end',
          lineAnchor: 'bottom',
          dx: label === 'left' ? 4 : -4,
          dy: -4,
          text: (y: number) => `threshold ${formatNumber(y, 3)}`,
        }),
        dot(of('missed'), { ...shape, symbol: 'times', r: 5, stroke: 'var(--ink)', strokeWidth: 2 }),
        dot(of('false'), {
          ...shape,
          symbol: 'triangle',
          r: 5,
          fill: 'var(--paper)',
          stroke: 'var(--alert)',
          strokeWidth: 1.8,
        }),
        dot(of('alert', 'hit'), {
          ...shape,
          symbol: 'triangle',
          r: 5.5,
          fill: 'var(--alert)',
          stroke: 'var(--paper)',
          strokeWidth: 1,
        }),
        // Places of names are pixels already.
        text(names, {
          ...halo,
          x: { value: (name: NamedPlace) => name.x, scale: null },
          y: { value: (name: NamedPlace) => name.y, scale: null },
          text: 'text',
          textAnchor: 'start',
        }),
      ],
    },
    drawQuiet(scored, toX, toY),
  );
  return figure(chart, drawing, dataOf(chart, scored), {
    key: keyOf(scored),
    notes: notesOf(scored, names.length),
  });
}

function lookOf(point: ScorePoint): Look {
  if (!point.alert) return 'missed';
  if (point.malicious === undefined) return 'alert';
  return point.malicious ? 'hit' : 'false';
}

/**
 * One dot for every cell of the drawing that holds a quiet node: the same picture from far fewer dots. They are one path
 * of points without length, a tenth of the bytes of as many circles.
 */
function drawQuiet({ quiet }: ScoredNodes, toX: (x: number) => number, toY: (y: number) => number): Element {
  const columns = Math.ceil(FULL_WIDTH / CELL);
  const filled = new Uint8Array(columns * Math.ceil(HEIGHT / CELL));
  let d = '';
  for (let i = 0; i < quiet.scores.length; i++) {
    const x = toX(quiet.places[i]);
    const y = toY(quiet.scores[i]);
    const cell = Math.floor(y / CELL) * columns + Math.floor(x / CELL);
    if (filled[cell] === 1) continue;
    filled[cell] = 1;
    d += `M${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}h0`;
  }
  return h('path', {
    d,
    fill: 'none',
    stroke: 'var(--quiet)',
    'stroke-opacity': 0.7,
    'stroke-width': 3.4,
    'stroke-linecap': 'round',
  });
}

/** Days over a long span; else hours and minutes, with the date under the first tick and under midnight. */
function clock(span: readonly [number, number]): (time: Date, i: number) => string {
  const long = span[1] - span[0];
  return (time, i) => {
    const [day, rest] = time.toISOString().split('T');
    if (long > 4 * 86_400_000) return day;
    const hour = rest.slice(0, long < 300_000 ? 8 : 5);
    return i === 0 || rest.startsWith('00:00:00') ? `${hour}\n${day}` : hour;
  };
}

function dataOf(chart: ScorePlot, scored: ScoredNodes): FigureData {
  const rows = [...scored.loud.map((each) => each.point), ...scored.next].slice(0, MOST_ROWS);
  const labelled = rows.some((row) => row.malicious !== undefined);
  const grouped = rows.some((row) => row.group !== undefined);
  return {
    headings: [
      'node',
      'score',
      'alert',
      ...(labelled ? ['malicious'] : []),
      ...(grouped ? ['group'] : []),
      ...(chart.over === 'time' ? ['time'] : []),
    ],
    rows: rows.map((row) => [
      row.name,
      row.score,
      row.alert,
      ...(labelled ? [row.malicious] : []),
      ...(grouped ? [row.group] : []),
      ...(chart.over === 'time' ? [row.time === undefined ? null : formatTime(row.time)] : []),
    ]),
    ...(rows.length < scored.count
      ? {
          part: `${formatNumber(rows.length)} of ${formatNumber(scored.count)} nodes: alerts first, then the highest scores.`,
        }
      : {}),
  };
}

const LOOKS: readonly { look: Look; label: string; d: string; fill: string; stroke: string }[] = [
  { look: 'alert', label: 'alert', d: 'M0,-6L5.5,5H-5.5Z', fill: 'var(--alert)', stroke: 'none' },
  {
    look: 'hit',
    label: 'alert, malicious by the labels',
    d: 'M0,-6L5.5,5H-5.5Z',
    fill: 'var(--alert)',
    stroke: 'none',
  },
  {
    look: 'false',
    label: 'alert, benign by the labels',
    d: 'M0,-6L5.5,5H-5.5Z',
    fill: 'none',
    stroke: 'var(--alert)',
  },
  {
    look: 'missed',
    label: 'malicious by the labels, no alert',
    d: 'M-4,-4L4,4M-4,4L4,-4',
    fill: 'none',
    stroke: 'var(--ink)',
  },
];

function keyOf(scored: ScoredNodes): Element {
  const counts = new Map<Look, number>();
  for (const { point } of scored.loud) counts.set(lookOf(point), (counts.get(lookOf(point)) ?? 0) + 1);
  return key([
    ...LOOKS.flatMap(({ look, label, ...shape }) => {
      const count = counts.get(look);
      if (count === undefined) return [];
      return [
        {
          sample: shapeSample({ ...shape, 'stroke-width': 1.8 }),
          label: `${label} (${formatNumber(count)})`,
        },
      ];
    }),
    {
      sample: shapeSample({ d: 'M1.7,0A1.7,1.7 0 1 1 -1.7,0A1.7,1.7 0 1 1 1.7,0Z', fill: 'var(--quiet)' }),
      label: `other node (${formatNumber(scored.quiet.scores.length)}; those at one place are one dot)`,
    },
  ]);
}

function notesOf(scored: ScoredNodes, named: number): string[] {
  const notes: string[] = [];
  const unnamed = scored.loud.length - named;
  if (named > 0 && unnamed > 0)
    notes.push(
      `${formatNumber(named)} of ${formatNumber(scored.loud.length)} marked nodes are named, where there is room.`,
    );
  if (scored.loud.length > MOST_LOUD)
    notes.push(`Only the ${formatNumber(MOST_LOUD)} highest of them are drawn.`);
  if (scored.unplaced > 0)
    notes.push(`${formatNumber(scored.unplaced)} nodes without a score or time are not drawn.`);
  return notes;
}

/** The end of the threshold's line where no symbol stands in the way of its label; `y` is counted from the line down. */
function thresholdSide(
  usual: 'left' | 'right',
  symbols: readonly { x: number; y: number }[],
): 'left' | 'right' {
  const width = 110;
  const isFree = (side: 'left' | 'right') =>
    symbols.every(({ x, y }) => {
      const inside = side === 'left' ? x - MARGIN.left : FULL_WIDTH - MARGIN.right - x;
      return inside > width || y < -24 || y > 4;
    });
  const other = usual === 'left' ? 'right' : 'left';
  return isFree(usual) || !isFree(other) ? usual : other;
}

function describe(chart: ScorePlot, scored: ScoredNodes): string {
  const top = scored.loud[0];
  const best =
    top === undefined ? '' : ` The highest is ${top.point.name} with ${formatNumber(top.point.score)}.`;
  return `${formatNumber(scored.count)} nodes, ${formatNumber(scored.alerts)} alerts above the threshold of ${formatNumber(chart.threshold)}.${best}`;
}
