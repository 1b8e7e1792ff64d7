import { barX, ruleX, text } from '@observablehq/plot';
import { type ChartText, figure } from '../page/figure.js';
import { formatNumber } from '../page/format.js';
import type { Element } from '../page/html.js';
import { axisLabel, drawPlot } from './plot.js';
import { rowAxis } from './row-axis.js';

export interface Bar {
  readonly label: string;
  readonly value: number;
}

export interface BarChart extends ChartText {
  readonly bars: readonly Bar[];
  /** The unit of a bar, for example "events". */
  readonly measure: string;
}

const ROW = 22;
const LONGEST_LABEL = 30;

/** One row per bar, with its number beside it. The axis is logarithmic, so 0 has no bar. */
export function barChart(chart: BarChart): Element {
  const { bars, measure } = chart;
  const positive = bars.filter((bar) => bar.value > 0).map((bar) => bar.value);
  const high = positive.reduce((most, each) => Math.max(most, each), 1);
  const least = positive.reduce((low, each) => Math.min(low, each), high);
  const low = 10 ** Math.floor(Math.log10(Math.min(least, high / 10) / 1.01));
  const drawing = drawPlot(
    { ...chart, description: describe(chart) },
    {
      height: bars.length * ROW + 56,
      ...rowAxis(
        bars.map((bar) => bar.label),
        LONGEST_LABEL,
        0.28,
      ),
      marginRight: 150,
      marginTop: 44,
      marginBottom: 12,
      x: {
        type: 'log',
        domain: [low, high],
        axis: 'top',
        ...axisLabel(`${measure} (logarithmic axis)`),
        grid: true,
        ticks: powersOfTen(low, high),
        tickFormat: (value: number) => formatNumber(value),
      },
      marks: [
        barX(bars, {
          filter: (bar: Bar) => bar.value > 0,
          x1: low,
          x2: 'value',
          y: (_: Bar, i: number) => i,
          fill: 'var(--series-1)',
          title: (bar: Bar) => `${bar.label}: ${formatNumber(bar.value)}`,
        }),
        text(bars, {
          x: (bar: Bar) => (bar.value > 0 ? bar.value : low),
          y: (_: Bar, i: number) => i,
          text: (bar: Bar) => formatNumber(bar.value),
          textAnchor: 'start',
          dx: 6,
          fill: 'var(--ink)',
        }),
        ruleX([low], { stroke: 'var(--ink)' }),
      ],
    },
  );
  return figure(chart, drawing, {
    headings: ['label', measure],
    rows: bars.map((bar) => [bar.label, bar.value]),
  });
}

function powersOfTen(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  return Array.from({ length: Math.floor(Math.log10(high) + 1e-9) - first + 1 }, (_, i) => 10 ** (first + i));
}

function describe({ bars, measure }: BarChart): string {
  if (bars.length === 0) return 'No bars.';
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best));
  const least = bars.reduce((best, bar) => (bar.value < best.value ? bar : best));
  return `${bars.length} bars of ${measure}, from ${formatNumber(least.value)} (${least.label}) to ${formatNumber(most.value)} (${most.label}).`;
}
