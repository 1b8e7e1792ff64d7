import { dot, line, ruleY, text } from '@observablehq/plot';
import { type ChartText, figure } from '../page/figure.js';
import { formatNumber } from '../page/format.js';
import type { Element } from '../page/html.js';
import { shortenMiddle } from '../page/shorten.js';
import { axisLabel, drawPlot } from './plot.js';
import { key, lineSample, seriesLook } from './series.js';

export interface CurvePoint {
  readonly x: number;
  readonly y: number;
  readonly threshold?: number;
}

export interface Curve {
  readonly name: string;
  /** In the order of the axis. */
  readonly points: readonly CurvePoint[];
  /** The area or another figure for the key, for example "AP 0.47". */
  readonly figure?: string;
  /** Where the threshold in use lies. */
  readonly operating?: { readonly x: number; readonly y: number; readonly label: string };
}

export interface CurveChart extends ChartText {
  /** `pr` steps from recall to recall; `roc` has false positives on its x axis. */
  readonly kind: 'pr' | 'roc';
  readonly curves: readonly Curve[];
  /** The lowest rate on a logarithmic x axis of a ROC curve; linear without it. */
  readonly logFrom?: number;
}

const WIDTH = 760;
const HEIGHT = 420;
const MOST_DATA = 2000;

/** Precision against recall, or true against false positives; each curve is named where it lies apart from the others. */
export function curveChart(chart: CurveChart): Element {
  const { kind, logFrom } = chart;
  const log = kind === 'roc' && logFrom !== undefined;
  const low = log ? logFrom : 0;
  const toShare = (x: number): number => (log ? Math.log(Math.max(x, low) / low) / Math.log(1 / low) : x);
  const toRate = (share: number): number => (log ? low * (1 / low) ** share : share);
  const curves = chart.curves.map((curve) =>
    thin(kind === 'pr' ? bestOfRecall(curve.points) : curve.points, toShare),
  );
  const drawn = curves.flatMap((points, c) =>
    points.map((point) => ({ c, x: Math.max(point.x, low), y: point.y })),
  );
  const labels = placeLabels(curves, toShare, toRate, kind).map((at, c) => ({
    c,
    ...at,
    name: shortenMiddle(chart.curves[c].name, 30),
  }));
  const operating = chart.curves.flatMap((curve, c) =>
    curve.operating === undefined ? [] : [{ c, ...curve.operating }],
  );
  const looks = chart.curves.map((_, c) => seriesLook(c));
  const drawing = drawPlot(
    { ...chart, description: describe(chart) },
    {
      width: WIDTH,
      height: HEIGHT,
      marginTop: 20,
      marginRight: 24,
      marginBottom: 44,
      marginLeft: 56,
      x: {
        type: log ? 'log' : 'linear',
        domain: [low, 1],
        ...axisLabel(kind === 'pr' ? 'recall' : 'false positive rate'),
        grid: true,
        ticks: log ? Math.round(-Math.log10(low)) : 5,
        tickFormat: (x: number) => (log && Math.abs(Math.log10(x) % 1) > 1e-9 ? '' : formatNumber(x)),
      },
      y: {
        domain: [0, 1],
        ...axisLabel(kind === 'pr' ? 'precision' : 'recall (true positive rate)'),
        grid: true,
        ticks: 5,
      },
      color: { type: 'ordinal', domain: looks.map((_, c) => c), range: looks.map((look) => look.color) },
      marks: [
        ruleY([0], { stroke: 'var(--ink)' }),
        looks.map((look, c) =>
          line(
            drawn.filter((point) => point.c === c),
            {
              x: 'x',
              y: 'y',
              // Between two recalls no threshold exists: precision holds until the next one is reached.
              curve: kind === 'pr' ? 'step-before' : 'step-after',
              stroke: 'c',
              strokeWidth: 2,
              strokeDasharray: look.dash,
              clip: true,
            },
          ),
        ),
        looks.map((look, c) => [
          dot(
            operating.filter((point) => point.c === c),
            {
              x: (point: { x: number }) => Math.max(point.x, low),
              y: 'y',
              symbol: look.symbol,
              r: 6,
              fill: 'var(--paper)',
              stroke: 'c',
              strokeWidth: 2.2,
              title: 'label',
            },
          ),
          text(
            operating.filter((point) => point.c === c),
            {
              x: (point: { x: number }) => Math.max(point.x, low),
              y: 'y',
              text: 'label',
              textAnchor: kind === 'pr' ? 'end' : 'start',
              dx: kind === 'pr' ? -11 : 11,
              dy: 13,
              fill: 'var(--ink)',
              ...HALO,
            },
          ),
        ]),
        text(labels, {
          x: 'x',
          y: 'y',
          text: 'name',
          // The free side: above a falling curve, below a rising one.
          textAnchor: 'start',
          dx: 6,
          dy: kind === 'pr' ? -10 : 12,
          fill: 'c',
          fontWeight: 600,
          ...HALO,
        }),
      ],
    },
  );
  const rows = chart.curves.flatMap((curve) =>
    even(curve.points, Math.max(2, Math.floor(MOST_DATA / chart.curves.length))).map((point) => [
      curve.name,
      point.x,
      point.y,
      point.threshold,
    ]),
  );
  const all = chart.curves.reduce((sum, curve) => sum + curve.points.length, 0);
  return figure(
    chart,
    drawing,
    {
      headings: [
        'curve',
        kind === 'pr' ? 'recall' : 'false positive rate',
        kind === 'pr' ? 'precision' : 'recall',
        'threshold',
      ],
      rows,
      ...(rows.length < all
        ? { part: `${formatNumber(rows.length)} of ${formatNumber(all)} points, evenly spaced.` }
        : {}),
    },
    {
      key: key(
        chart.curves.map((curve, c) => ({
          sample: lineSample(c),
          label: [curve.name, curve.figure !== undefined && `: ${curve.figure}`],
        })),
      ),
    },
  );
}

const HALO = { stroke: 'var(--paper)', strokeWidth: 4 } as const;

/** Where recalls repeat, only the highest precision counts: the others are thresholds that nobody would choose. */
function bestOfRecall(points: readonly CurvePoint[]): CurvePoint[] {
  const best: CurvePoint[] = [];
  for (const point of points) {
    if (point.x <= 0) continue; // nothing found yet
    const last = best.at(-1);
    if (last === undefined || last.x !== point.x) best.push(point);
    else if (point.y > last.y) best[best.length - 1] = point;
  }
  return best.length === 0 ? best : [{ x: 0, y: best[0].y }, ...best];
}

/** Points that fall on the same half pixel as the one before are not drawn. */
function thin(points: readonly CurvePoint[], toShare: (x: number) => number): CurvePoint[] {
  const kept: CurvePoint[] = [];
  let before = '';
  for (const [i, point] of points.entries()) {
    const cell = `${Math.round(toShare(point.x) * WIDTH * 2)},${Math.round(point.y * HEIGHT * 2)}`;
    if (cell !== before || i === points.length - 1) kept.push(point);
    before = cell;
  }
  return kept;
}

function even<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);
}

/** For each curve the place, on a grid of the axis, where it is farthest from all others and from the labels before. */
function placeLabels(
  curves: readonly (readonly CurvePoint[])[],
  toShare: (x: number) => number,
  toRate: (share: number) => number,
  kind: 'pr' | 'roc',
): { x: number; y: number }[] {
  const steps = 40;
  const grids = curves.map((points) => levels(points, toShare, steps, kind));
  const taken: { at: number; y: number }[] = [];
  return grids.map((own, c) => {
    let best = { gap: Number.NEGATIVE_INFINITY, at: steps / 2 };
    for (let at = 8; at <= steps - 8; at++) {
      const y = own[at];
      const others = grids.flatMap((grid, o) => (o === c ? [] : [Math.abs(grid[at] - y)]));
      const labels = taken.map(
        (label) => Math.max(Math.abs(label.at - at) / 14, Math.abs(label.y - y) / 0.1) * 0.15,
      );
      const gap = Math.min(0.3, 1.1 - y, ...others, ...labels);
      if (gap > best.gap) best = { gap, at };
    }
    taken.push({ at: best.at, y: own[best.at] });
    return { x: toRate(best.at / steps), y: own[best.at] };
  });
}

/** The height of a step curve at even steps of the axis. */
function levels(
  points: readonly CurvePoint[],
  toShare: (x: number) => number,
  steps: number,
  kind: 'pr' | 'roc',
): number[] {
  return Array.from({ length: steps + 1 }, (_, at) => {
    const next = points.find((point) => toShare(point.x) >= at / steps);
    const before = points.findLast((point) => toShare(point.x) <= at / steps);
    return (kind === 'pr' ? (next ?? before) : (before ?? next))?.y ?? 0;
  });
}

function describe(chart: CurveChart): string {
  const axes =
    chart.kind === 'pr' ? 'Precision against recall' : 'True positive rate against false positive rate';
  const each = chart.curves.map((curve) => {
    const operating =
      curve.operating === undefined
        ? ''
        : `, in use at ${formatNumber(curve.operating.x)}, ${formatNumber(curve.operating.y)}`;
    return `${curve.name}${curve.figure === undefined ? '' : ` (${curve.figure})`}${operating}`;
  });
  return `${axes} for ${each.join('; ')}.`;
}
