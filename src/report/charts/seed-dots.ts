import { dot, link, text } from '@observablehq/plot';
import { type ChartText, figure } from '../page/figure.js';
import { formatNumber } from '../page/format.js';
import type { Element } from '../page/html.js';
import { axisLabel, drawPlot } from './plot.js';
import { rowAxis } from './row-axis.js';
import { key, shapeSample } from './series.js';
import { type Spread, spreadOf } from './statistics.js';

export interface SeedGroup {
  readonly name: string;
  /** One value per seed. */
  readonly values: readonly number[];
  /** The published value. */
  readonly published?: number;
}

export interface SeedDots extends ChartText {
  readonly groups: readonly SeedGroup[];
  readonly measure: string;
  readonly domain?: readonly [number, number];
}

const ROW = 34;

/** Draws each seed as a ring and each mean as a bar, so that the mean does not hide the spread. */
export function seedDots(chart: SeedDots): Element {
  const rows = chart.groups.map((group, g) => ({ g, ...group, ...spreadOf(group.values) }));
  const seeds = rows.flatMap((row) => row.values.map((value, seed) => ({ g: row.g, value, seed })));
  const published = rows.filter((row) => row.published !== undefined);
  const spread = rows.filter((row) => Number.isFinite(row.deviation));
  const drawing = drawPlot(
    { ...chart, description: rows.map((row) => `${row.name}: ${meanText(row)}`).join('; ') },
    {
      height: rows.length * ROW + 56,
      ...rowAxis(
        rows.map((row) => row.name),
        30,
      ),
      marginRight: 150,
      marginTop: 8,
      marginBottom: 42,
      x: {
        ...(chart.domain === undefined ? { nice: true } : { domain: [...chart.domain] }),
        ...axisLabel(chart.measure),
        grid: true,
        ticks: 6,
      },
      marks: [
        link(spread, {
          x1: (row: Spread) => row.mean - row.deviation,
          x2: (row: Spread) => row.mean + row.deviation,
          y1: 'g',
          y2: 'g',
          stroke: 'var(--rule-strong)',
          strokeWidth: 2,
        }),
        dot(published, {
          x: 'published',
          y: 'g',
          symbol: 'diamond',
          r: 5.5,
          fill: 'var(--ink)',
          title: (row: SeedGroup) => `published: ${formatNumber(row.published as number)}`,
        }),
        dot(seeds, {
          x: 'value',
          y: 'g',
          r: 4.5,
          stroke: 'var(--series-1)',
          strokeWidth: 1.6,
          fill: 'var(--paper)',
          fillOpacity: 0.55,
          title: (seed: { seed: number; value: number }) => `seed ${seed.seed}: ${formatNumber(seed.value)}`,
        }),
        dot(
          rows.filter((row) => row.count > 0),
          {
            x: 'mean',
            y: 'g',
            symbol: {
              draw: (context: { rect: (x: number, y: number, w: number, h: number) => void }) =>
                context.rect(-1.75, -10, 3.5, 20),
            },
            fill: 'var(--ink)',
          },
        ),
        text(rows, {
          frameAnchor: 'right',
          y: 'g',
          dx: 12,
          textAnchor: 'start',
          text: (row: Spread) => meanText(row),
          fill: 'var(--ink)',
        }),
      ],
    },
  );
  const data = rows.map((row) => [
    row.name,
    row.count,
    orNull(row.mean),
    orNull(row.deviation),
    row.published,
    row.values.map((value) => formatNumber(value, 6)).join(' '),
  ]);
  return figure(
    chart,
    drawing,
    { headings: ['group', 'seeds', 'mean', 'standard deviation', 'published', 'values'], rows: data },
    {
      key: key([
        {
          sample: shapeSample({
            d: 'M4.5,0A4.5,4.5 0 1 1 -4.5,0A4.5,4.5 0 1 1 4.5,0Z',
            fill: 'none',
            stroke: 'var(--series-1)',
            'stroke-width': 1.6,
          }),
          label: 'one seed',
        },
        {
          sample: shapeSample({ d: 'M-1.75,-7H1.75V7H-1.75Z', fill: 'var(--ink)' }),
          label: 'mean; the line shows one standard deviation on each side',
        },
        ...(published.length === 0
          ? []
          : [{ sample: shapeSample({ d: 'M0,-6L5,0L0,6L-5,0Z', fill: 'var(--ink)' }), label: 'published' }]),
      ]),
    },
  );
}

function meanText(row: Spread): string {
  if (row.count === 0) return 'no runs';
  const mean = formatNumber(row.mean, 3);
  return row.count < 2 ? `${mean} (one run)` : `${mean} ± ${formatNumber(row.deviation, 2)}`;
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
