import { barX, ruleX, text } from '@observablehq/plot';
import { type ChartText, figure } from '../page/figure.js';
import { formatPercent, formatSeconds } from '../page/format.js';
import type { Element } from '../page/html.js';
import { axisLabel, drawPlot } from './plot.js';
import { rowAxis } from './row-axis.js';
import { key, seriesLook, textureDefs, textureFill, textureSample } from './series.js';

export interface StageBar {
  readonly name: string;
  /** In the order in which they run. Stages with the same name share a fill. */
  readonly stages: readonly { readonly stage: string; readonly seconds: number }[];
}

export interface StageBars extends ChartText {
  readonly bars: readonly StageBar[];
}

interface Part {
  readonly b: number;
  readonly stage: string;
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
}

const ROW = 42;

/** The time of each stage: one bar per run, one fill per stage. */
export function stageBars(chart: StageBars): Element {
  const stages = [...new Set(chart.bars.flatMap((bar) => bar.stages.map((each) => each.stage)))];
  const totals = chart.bars.map((bar) => bar.stages.reduce((sum, each) => sum + each.seconds, 0));
  const parts = chart.bars.flatMap((bar, b) => {
    let at = 0;
    return bar.stages.map(({ stage, seconds }): Part => {
      at += seconds;
      return { b, stage, seconds, from: at - seconds, to: at };
    });
  });
  const longestTotal = totals.reduce((most, each) => Math.max(most, each), 0) || 1;
  const unit = longestTotal < 120 ? 1 : longestTotal < 7200 ? 60 : 3600;
  const drawing = drawPlot(
    { ...chart, description: describe(chart, totals) },
    {
      height: chart.bars.length * ROW + 48,
      ...rowAxis(
        chart.bars.map((bar) => bar.name),
        26,
        0.3,
      ),
      marginRight: 84,
      marginTop: 6,
      marginBottom: 40,
      x: {
        domain: [0, longestTotal / unit],
        ...axisLabel(unit === 1 ? 'seconds' : unit === 60 ? 'minutes' : 'hours'),
        grid: true,
        ticks: 6,
      },
      marks: [
        stages.map((stage, s) =>
          barX(
            parts.filter((part) => part.stage === stage),
            {
              x1: (part: Part) => part.from / unit,
              x2: (part: Part) => part.to / unit,
              y: 'b',
              fill: textureFill(chart.id, s),
              stroke: seriesLook(s).color,
              strokeWidth: 1.2,
              title: (part: Part) =>
                `${part.stage}: ${formatSeconds(part.seconds)}, ${formatPercent(part.seconds / (totals[part.b] || 1))}`,
            },
          ),
        ),
        // Only a long part has room for its name; the key has all names.
        text(
          parts.filter((part) => (part.to - part.from) / longestTotal > (part.stage.length + 3) / 85),
          {
            x: (part: Part) => (part.from + part.to) / 2 / unit,
            y: 'b',
            text: 'stage',
            fill: 'var(--ink)',
            fontWeight: 600,
            stroke: 'var(--paper)',
            strokeWidth: 5,
          },
        ),
        text(totals, {
          x: (total: number) => total / unit,
          y: (_: number, b: number) => b,
          text: (total: number) => formatSeconds(total),
          textAnchor: 'start',
          dx: 7,
          fill: 'var(--ink)',
        }),
        ruleX([0], { stroke: 'var(--ink)' }),
      ],
    },
    textureDefs(chart.id, stages.length),
  );
  return figure(
    chart,
    drawing,
    {
      headings: ['run', 'stage', 'seconds', 'share'],
      rows: parts.map((part) => [
        chart.bars[part.b].name,
        part.stage,
        part.seconds,
        totals[part.b] > 0 ? part.seconds / totals[part.b] : null,
      ]),
    },
    { key: key(stages.map((stage, s) => ({ sample: textureSample(chart.id, s), label: stage }))) },
  );
}

function describe(chart: StageBars, totals: readonly number[]): string {
  return chart.bars
    .map((bar, b) => {
      const most = bar.stages.reduce((best, each) => (each.seconds > best.seconds ? each : best), {
        stage: 'none',
        seconds: 0,
      });
      return `${bar.name}: ${formatSeconds(totals[b])}, longest stage ${most.stage} (${formatSeconds(most.seconds)})`;
    })
    .join('; ');
}
