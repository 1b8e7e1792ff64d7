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

/** Samples on one axis, one row each, because overlaid outlines are hard to distinguish. */
export interface HistogramPanel {
  readonly title: string;
  /** What the values measure. */
  readonly measure: string;
  readonly samples: readonly Sample[];
}

export interface HistogramChart extends ChartText {
  /** Side by side, for example before and after calibration. */
  readonly panels: readonly HistogramPanel[];
}

interface Binned {
  readonly name: string;
  readonly counts: readonly number[];
  readonly total: number;
  readonly notFinite: number;
}

const ROW = 70;
const BINS = 24;

/** Shares per bin: one row per sample, panels side by side. */
export function histogram(chart: HistogramChart): Element {
  const rows: (string | number)[][] = [];
  const notes: string[] = [];
  const several = chart.panels.length > 1;
  const drawings = chart.panels.map((panel, p) => {
    const domain = extent(panel.samples);
    const binned = panel.samples.map((sample) => count(sample, domain));
    for (const each of binned) {
      if (each.notFinite > 0) {
        notes.push(
          `${each.name}, ${panel.title}: ${formatNumber(each.notFinite)} of ${formatNumber(each.total)} values are not finite and not drawn.`,
        );
      }
      for (const [i, n] of each.counts.entries()) {
        rows.push([panel.title, each.name, edge(domain, i), edge(domain, i + 1), n, each.total]);
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
        x: edge(domain, at),
        share: sample.total === 0 ? 0 : n / sample.total,
      })),
    ),
  );
  const highest = outline.reduce((most, point) => Math.max(most, point.share), 0) || 1;
  return drawPlot(
    {
      ...chart,
      description: `${panel.title}: shares of ${panel.measure} per bin for ${binned.map((each) => each.name).join(', ')}.`,
    },
    {
      width,
      height: binned.length * ROW + 44,
      marginLeft: 8,
      marginRight: 16,
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

function edge([low, high]: readonly [number, number], i: number): number {
  return low + ((high - low) * i) / BINS;
}

function count(sample: Sample, [low, high]: readonly [number, number]): Binned {
  const counts = new Array<number>(BINS).fill(0);
  let notFinite = 0;
  for (let i = 0; i < sample.values.length; i++) {
    const value = sample.values[i];
    // The last bin includes its upper edge.
    if (Number.isFinite(value))
      counts[Math.min(BINS - 1, Math.floor(((value - low) / (high - low)) * BINS))]++;
    else notFinite++;
  }
  return { name: sample.name, counts, total: sample.values.length, notFinite };
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
