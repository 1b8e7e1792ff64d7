import { dot, line, link, text } from '@observablehq/plot';
import { type ChartText, figure } from '../page/figure.js';
import { formatNumber } from '../page/format.js';
import type { Element } from '../page/html.js';
import { shortenMiddle } from '../page/shorten.js';
import { axisLabel, drawPlot, FULL_WIDTH } from './plot.js';
import { key, lineSample, seriesLook } from './series.js';
import { spreadOf } from './statistics.js';

export interface SweepSeries {
  readonly name: string;
  /** Each point has one value per seed. */
  readonly points: readonly { readonly x: number; readonly values: readonly number[] }[];
}

export interface SweepChart extends ChartText {
  readonly series: readonly SweepSeries[];
  /** The setting that varies. */
  readonly setting: string;
  readonly measure: string;
  readonly log?: boolean;
}

interface SweepPoint {
  readonly s: number;
  readonly x: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const HEIGHT = 320;
/** The ends of a bar of one standard deviation. */
const ENDS = ['low', 'high'] as const;

/** Means over seeds against a setting, with bars of one standard deviation. Each line has its name at its end. */
export function sweepChart(chart: SweepChart): Element {
  const means: SweepPoint[] = [];
  const rows: (string | number | null)[][] = [];
  for (const [s, series] of chart.series.entries()) {
    for (const point of series.points) {
      const { mean, deviation, count } = spreadOf(point.values);
      const reach = Number.isFinite(deviation) ? deviation : 0;
      if (count > 0) means.push({ s, x: point.x, mean, low: mean - reach, high: mean + reach });
      rows.push([
        series.name,
        point.x,
        count,
        count > 0 ? mean : null,
        Number.isFinite(deviation) ? deviation : null,
      ]);
    }
  }
  const looks = chart.series.map((_, s) => seriesLook(s));
  const values = means.flatMap((point) => [point.low, point.high]);
  const domain = padded(values);
  const ends = spreadLabels(
    chart.series.flatMap((series, s) => {
      const last = means.findLast((point) => point.s === s);
      return last === undefined ? [] : [{ s, y: last.mean, name: shortenMiddle(series.name, 22) }];
    }),
    ((domain[1] - domain[0]) * 16) / (HEIGHT - 66),
  );
  const xs = [...new Set(means.map((point) => point.x))].sort((a, b) => a - b);
  const drawing = drawPlot(
    { ...chart, description: describe(chart, means) },
    {
      width: FULL_WIDTH,
      height: HEIGHT,
      marginLeft: 60,
      marginRight: 160,
      marginTop: 22,
      marginBottom: 44,
      x: {
        type: chart.log === true ? 'log' : 'linear',
        ...axisLabel(chart.setting),
        ticks: xs.length <= 10 ? xs : 8,
        tickFormat: (x: number) => formatNumber(x),
        inset: 10,
      },
      y: {
        domain: [...domain],
        ...axisLabel(chart.measure),
        grid: true,
        ticks: 5,
      },
      color: { type: 'ordinal', domain: looks.map((_, s) => s), range: looks.map((look) => look.color) },
      marks: [
        link(means, { x1: 'x', x2: 'x', y1: 'low', y2: 'high', stroke: 's', strokeWidth: 1.4 }),
        ENDS.map((end) =>
          dot(
            means.filter((point) => point.high > point.low),
            {
              x: 'x',
              y: end,
              stroke: 's',
              symbol: {
                draw: (context: { rect: (x: number, y: number, w: number, h: number) => void }) =>
                  context.rect(-4, 0, 8, 0.01),
              },
            },
          ),
        ),
        looks.map((look, s) => [
          line(
            means.filter((point) => point.s === s),
            { x: 'x', y: 'mean', stroke: 's', strokeWidth: 2, strokeDasharray: look.dash },
          ),
          dot(
            means.filter((point) => point.s === s),
            {
              x: 'x',
              y: 'mean',
              symbol: look.symbol,
              r: 4.5,
              stroke: 's',
              strokeWidth: 1.8,
              fill: 'var(--paper)',
            },
          ),
        ]),
        text(ends, {
          frameAnchor: 'right',
          y: 'y',
          dx: 12,
          textAnchor: 'start',
          text: 'name',
          fill: 's',
          fontWeight: 600,
        }),
      ],
    },
  );
  return figure(
    chart,
    drawing,
    { headings: ['series', chart.setting, 'seeds', 'mean', 'standard deviation'], rows },
    chart.series.length < 2
      ? {}
      : { key: key(chart.series.map((series, s) => ({ sample: lineSample(s), label: series.name }))) },
  );
}

function padded(values: readonly number[]): [number, number] {
  const low = values.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  if (low > high) return [0, 1];
  const pad = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  return [low - pad, high + pad];
}

/** Moves labels apart until no two are closer than `gap`, in their order. */
function spreadLabels<T extends { y: number }>(labels: readonly T[], gap: number): T[] {
  const sorted = labels.map((label) => ({ ...label })).sort((a, b) => a.y - b.y);
  for (let i = 1; i < sorted.length; i++) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + gap);
  return sorted;
}

function describe(chart: SweepChart, means: readonly SweepPoint[]): string {
  const each = chart.series.map((series, s) => {
    const own = means.filter((point) => point.s === s);
    if (own.length === 0) return `${series.name}: no runs`;
    const best = own.reduce((most, point) => (point.mean > most.mean ? point : most));
    return `${series.name}: highest ${formatNumber(best.mean)} at ${formatNumber(best.x)}`;
  });
  return `${chart.measure} against ${chart.setting}. ${each.join('; ')}.`;
}
