import { areaY, lineY, ruleY, text } from '@observablehq/plot';
import { type ChartText, figure } from '../page/figure.js';
import { formatNumber } from '../page/format.js';
import { type Element, h } from '../page/html.js';
import { shortenMiddle } from '../page/shorten.js';
import { axisLabel, drawPlot, FULL_WIDTH } from './plot.js';
import { seriesLook, textureDefs, textureFill } from './series.js';

export interface Sample {
  readonly name: string;
  readonly values: ArrayLike<number>;
}

/** Samples on one axis, each in a row of its own: overlaid outlines cannot be told apart on paper. */
export interface HistogramPanel {
  readonly title: string;
  /** What the values are. */
  readonly measure: string;
  readonly samples: readonly Sample[];
  /** The lowest and highest value shown; values outside are counted in the caption. By default all finite ones. */
  readonly domain?: readonly [number, number];
  /** A share per bin to compare with, for example that of a uniform distribution. */
  readonly level?: { readonly share: number; readonly label: string };
}

export interface HistogramChart extends ChartText {
  /** Side by side, for example before and after calibration. */
  readonly panels: readonly HistogramPanel[];
  readonly bins?: number;
}

interface Binned {
  readonly name: string;
  readonly counts: readonly number[];
  readonly total: number;
  readonly outside: number;
}

const ROW = 70;

/** Shares per bin, rows of samples in panels. */
export function histogram(chart: HistogramChart): Element {
  const { bins = 24 } = chart;
  const rows: (string | number)[][] = [];
  const notes: string[] = [];
  const several = chart.panels.length > 1;
  const drawings = chart.panels.map((panel, p) => {
    const domain = panel.domain ?? extent(panel.samples);
    const binned = panel.samples.map((sample) => count(sample, domain, bins));
    for (const each of binned) {
      if (each.outside > 0) {
        notes.push(
          `${each.name}, ${panel.title}: ${formatNumber(each.outside)} of ${formatNumber(each.total)} values lie outside the axis.`,
        );
      }
      for (const [i, n] of each.counts.entries()) {
        rows.push([panel.title, each.name, edge(domain, bins, i), edge(domain, bins, i + 1), n, each.total]);
      }
    }
    const id = several ? `${chart.id}-${p + 1}` : `${chart.id}-panel`;
    const svg = drawPanel(
      { ...chart, id },
      panel,
      binned,
      domain,
      several ? (FULL_WIDTH - 32) / 2 : FULL_WIDTH,
    );
    return h('div', {}, h('h4', {}, panel.title), svg);
  });
  return figure(
    chart,
    h('div', { class: several ? 'panels' : undefined }, drawings),
    { headings: ['panel', 'sample', 'from', 'to', 'count', 'of'], rows },
    { notes },
  );
}

function drawPanel(
  chart: ChartText,
  panel: HistogramPanel,
  binned: readonly Binned[],
  domain: readonly [number, number],
  width: number,
): Element {
  const outline = binned.flatMap((sample, s) =>
    sample.counts.flatMap((n, i) =>
      [i, i + 1].map((at) => ({
        s,
        x: edge(domain, sample.counts.length, at),
        share: sample.total === 0 ? 0 : n / sample.total,
      })),
    ),
  );
  const highest = outline.reduce((most, point) => Math.max(most, point.share), panel.level?.share ?? 0) || 1;
  const { level } = panel;
  return drawPlot(
    {
      ...chart,
      description: `${panel.title}: shares of ${panel.measure} per bin for ${binned.map((each) => each.name).join(', ')}.`,
    },
    {
      width,
      height: binned.length * ROW + 44,
      marginLeft: 8,
      marginRight: level === undefined ? 16 : 20 + shortenMiddle(level.label, 16).length * 7,
      marginTop: 4,
      marginBottom: 36,
      x: { domain: [...domain], ...axisLabel(panel.measure), ticks: 5 },
      y: { domain: [0, highest * 1.42], axis: null },
      fy: { domain: binned.map((_, s) => s), axis: null, padding: 0.12 },
      marks: [
        binned.map((_, s) =>
          areaY(
            outline.filter((point) => point.s === s),
            {
              x: 'x',
              y1: 0,
              y2: 'share',
              fy: 's',
              fill: textureFill(chart.id, s),
            },
          ),
        ),
        lineY(outline, { x: 'x', y: 'share', fy: 's', z: 's', stroke: 's', strokeWidth: 1.3 }),
        ruleY([0], { stroke: 'var(--rule-strong)' }),
        level === undefined ? null : ruleY([level.share], { stroke: 'var(--ink)', strokeDasharray: '5 3' }),
        level === undefined
          ? null
          : text([level], {
              fy: () => 0,
              x: () => domain[1],
              y: 'share',
              text: (each: { label: string }) => shortenMiddle(each.label, 16),
              textAnchor: 'start',
              dx: 5,
              fill: 'var(--ink)',
            }),
        text(binned, {
          fy: (_: Binned, s: number) => s,
          frameAnchor: 'top-right',
          dy: 2,
          text: (sample: Binned) => `${shortenMiddle(sample.name, 28)}  n = ${formatNumber(sample.total)}`,
          fill: 'var(--ink)',
          fontWeight: 600,
          ...HALO,
        }),
      ],
      color: {
        type: 'ordinal',
        domain: binned.map((_, s) => s),
        range: binned.map((_, s) => seriesLook(s).color),
      },
    },
    textureDefs(chart.id, binned.length),
  );
}

const HALO = { stroke: 'var(--paper)', strokeWidth: 4 } as const;

function edge(domain: readonly [number, number], bins: number, i: number): number {
  return domain[0] + ((domain[1] - domain[0]) * i) / bins;
}

function count(sample: Sample, domain: readonly [number, number], bins: number): Binned {
  const counts = new Array<number>(bins).fill(0);
  const [low, high] = domain;
  let outside = 0;
  for (let i = 0; i < sample.values.length; i++) {
    const value = sample.values[i];
    // The last bin holds its upper edge too; NaN is outside everything.
    if (value >= low && value <= high)
      counts[Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins))]++;
    else outside++;
  }
  return { name: sample.name, counts, total: sample.values.length, outside };
}

function extent(samples: readonly Sample[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { values } of samples) {
    for (let i = 0; i < values.length; i++) {
      if (!Number.isFinite(values[i])) continue;
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}
