import { dot, line, ruleY, text } from '@observablehq/plot';
import { type ChartText, figure } from '../page/figure.js';
import { formatNumber } from '../page/format.js';
import type { Element } from '../page/html.js';
import { shortenMiddle } from '../page/shorten.js';
import { axisLabel, drawPlot } from './plot.js';
import { key, lineSample, seriesLook } from './series.js';

export interface CurvePoint {
  readonly recall: number;
  readonly precision: number;
  readonly threshold: number;
}

export interface Curve {
  readonly name: string;
  /** By ascending recall, each recall once and above 0. */
  readonly points: readonly CurvePoint[];
  /** A summary for the key, for example "AP 0.47". */
  readonly summary?: string;
  /** The point of the threshold in use. */
  readonly inUse?: { readonly recall: number; readonly precision: number; readonly label: string };
}

export interface PrecisionRecallChart extends ChartText {
  readonly curves: readonly Curve[];
}

const WIDTH = 760;
const HEIGHT = 420;
const MOST_DATA = 2000;
const HALO = { stroke: 'var(--paper)', strokeWidth: 4 } as const;

type Point = Pick<CurvePoint, 'recall' | 'precision'>;

/** Precision against recall. Each curve has its name where it is farthest from the others. */
export function precisionRecallChart(chart: PrecisionRecallChart): Element {
  const curves = chart.curves.map(({ points }) => thin(fromZero(points)));
  const labels = placeLabels(curves).map((at, c) => ({
    c,
    ...at,
    name: shortenMiddle(chart.curves[c].name, 30),
  }));
  const inUse = chart.curves.flatMap((curve, c) =>
    curve.inUse === undefined ? [] : [{ c, ...curve.inUse }],
  );
  const looks = chart.curves.map((_, c) => seriesLook(c));
  const place = { x: 'recall', y: 'precision' } as const;
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
        domain: [0, 1],
        ...axisLabel('recall'),
        grid: true,
        ticks: 5,
        tickFormat: (x: number) => formatNumber(x),
      },
      y: { domain: [0, 1], ...axisLabel('precision'), grid: true, ticks: 5 },
      color: { type: 'ordinal', domain: looks.map((_, c) => c), range: looks.map((look) => look.color) },
      marks: [
        ruleY([0], { stroke: 'var(--ink)' }),
        looks.map((look, c) =>
          line(
            curves[c].map((point) => ({ c, ...point })),
            {
              ...place,
              // No threshold lies between two recalls: precision holds until the next recall.
              curve: 'step-before',
              stroke: 'c',
              strokeWidth: 2,
              strokeDasharray: look.dash,
              clip: true,
            },
          ),
        ),
        looks.map((look, c) => {
          const own = inUse.filter((point) => point.c === c);
          return [
            dot(own, {
              ...place,
              symbol: look.symbol,
              r: 6,
              fill: 'var(--paper)',
              stroke: 'c',
              strokeWidth: 2.2,
              title: 'label',
            }),
            text(own, {
              ...place,
              text: 'label',
              textAnchor: 'end',
              dx: -11,
              dy: 13,
              fill: 'var(--ink)',
              ...HALO,
            }),
          ];
        }),
        text(labels, {
          ...place,
          text: 'name',
          // The space above a falling curve is free.
          textAnchor: 'start',
          dx: 6,
          dy: -10,
          fill: 'c',
          fontWeight: 600,
          ...HALO,
        }),
      ],
    },
  );
  const most = Math.max(2, Math.floor(MOST_DATA / chart.curves.length));
  const rows = chart.curves.flatMap(({ name, points }) =>
    evenlySpaced(points, most).map((point) => [name, point.recall, point.precision, point.threshold]),
  );
  const all = chart.curves.reduce((sum, curve) => sum + curve.points.length, 0);
  return figure(
    chart,
    drawing,
    {
      headings: ['curve', 'recall', 'precision', 'threshold'],
      rows,
      ...(rows.length < all
        ? { part: `${formatNumber(rows.length)} of ${formatNumber(all)} points, evenly spaced.` }
        : {}),
    },
    {
      key: key(
        chart.curves.map(({ name, summary }, c) => ({
          sample: lineSample(c),
          label: [name, summary !== undefined && `: ${summary}`],
        })),
      ),
    },
  );
}

function fromZero(points: readonly CurvePoint[]): Point[] {
  return points.length === 0 ? [] : [{ recall: 0, precision: points[0].precision }, ...points];
}

/** Drops points that fall on the same half pixel as the point before. */
function thin(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  let before = '';
  for (const [i, point] of points.entries()) {
    const cell = `${Math.round(point.recall * WIDTH * 2)},${Math.round(point.precision * HEIGHT * 2)}`;
    if (cell !== before || i === points.length - 1) kept.push(point);
    before = cell;
  }
  return kept;
}

function evenlySpaced<T>(list: readonly T[], most: number): readonly T[] {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);
}

/** For each curve the place where it is farthest from all other curves and from the labels before it. */
function placeLabels(curves: readonly (readonly Point[])[]): Point[] {
  const steps = 40;
  const grids = curves.map((points) => levels(points, steps));
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
    return { recall: best.at / steps, precision: own[best.at] };
  });
}

/** The precision of a curve at evenly spaced recalls. */
function levels(points: readonly Point[], steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, at) => {
    const next = points.find((point) => point.recall >= at / steps);
    const before = points.findLast((point) => point.recall <= at / steps);
    return (next ?? before)?.precision ?? 0;
  });
}

function describe(chart: PrecisionRecallChart): string {
  const each = chart.curves.map(({ name, summary, inUse }) => {
    const threshold =
      inUse === undefined
        ? ''
        : `, threshold in use at recall ${formatNumber(inUse.recall)}, precision ${formatNumber(inUse.precision)}`;
    return `${name}${summary === undefined ? '' : ` (${summary})`}${threshold}`;
  });
  return `Precision against recall for ${each.join('; ')}.`;
}
