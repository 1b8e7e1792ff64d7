import { dot, ruleY, scale, text } from '@observablehq/plot';
import { type ChartText, type FigureData, figure } from '../page/figure.js';
import { formatNumber, formatTime } from '../page/format.js';
import { type Element, h } from '../page/html.js';
import { type NamedPlace, placeNames } from '../page/place-names.js';
import { axisLabel, drawPlot, FULL_WIDTH } from './plot.js';
import { type CollectedScores, collectScores, millisecondsOf, type ScorePoint } from './score-points.js';
import { key, shapeSample } from './series.js';

export interface ScorePlot extends ChartText {
  /** Read once, so that millions of points need no array of objects. */
  readonly points: Iterable<ScorePoint>;
  readonly threshold: number;
}

const HEIGHT = 360;
const MARGIN = { top: 24, right: 24, bottom: 56, left: 60 };
const CELL = 2.5; // pixels: dots in the same cell are drawn once
const MOST_ALERTS = 2000;
const MOST_NAMES = 8;
const MOST_ROWS = 1000;

/** Scores over time. Alerts are named triangles, so that they stand out without colour. */
export function scorePlot(chart: ScorePlot): Element {
  const { threshold } = chart;
  const scores = collectScores(chart.points, MOST_ROWS);
  const xOptions = {
    type: 'utc' as const,
    domain: scores.span.map((time) => new Date(time)),
    range: [MARGIN.left + 8, FULL_WIDTH - MARGIN.right - 8],
  };
  const yOptions = {
    type: 'linear' as const,
    domain: [scores.lowest, Math.max(threshold * 1.2, scores.highest * 1.06) || 1],
    range: [HEIGHT - MARGIN.bottom, MARGIN.top],
  };
  const xScale = scale({ x: xOptions });
  const yScale = scale({ y: yOptions });
  const toX = (time: number): number => Number(xScale.apply(new Date(time)));
  const toY = (score: number): number => Number(yScale.apply(score));

  const alerts = scores.alerts.slice(0, MOST_ALERTS);
  const marks = alerts.map((point) => ({
    x: toX(millisecondsOf(point)),
    y: toY(point.score),
    text: point.name,
  }));
  const bounds = { left: MARGIN.left, right: FULL_WIDTH, top: 2, bottom: HEIGHT - MARGIN.bottom - 4 };
  const names = placeNames(marks, bounds, MOST_NAMES);
  const side = thresholdSide(marks.map(({ x, y }) => ({ x, y: y - toY(threshold) })));
  const halo = { fill: 'var(--ink)', stroke: 'var(--paper)', strokeWidth: 4 } as const;
  const drawing = drawPlot(
    { ...chart, description: describe(threshold, scores) },
    {
      height: HEIGHT,
      marginTop: MARGIN.top,
      marginRight: MARGIN.right,
      marginBottom: MARGIN.bottom,
      marginLeft: MARGIN.left,
      x: { ...xOptions, tickFormat: clock(scores.span), ...axisLabel('time (UTC)') },
      y: { ...yOptions, ...axisLabel('score'), grid: true, ticks: 6 },
      marks: [
        ruleY([yOptions.domain[0]], { stroke: 'var(--rule-strong)' }),
        ruleY([threshold], { stroke: 'var(--ink)', strokeDasharray: '6 4', strokeWidth: 1.2 }),
        text([threshold], {
          ...halo,
          y: (y: number) => y,
          frameAnchor: side,
          textAnchor: side === 'left' ? 'start' : 'end',
          lineAnchor: 'bottom',
          dx: side === 'left' ? 4 : -4,
          dy: -4,
          text: (y: number) => `threshold ${formatNumber(y, 3)}`,
        }),
        dot(alerts, {
          x: (point: ScorePoint) => new Date(millisecondsOf(point)),
          y: 'score',
          title: (point: ScorePoint) => `${point.name}: ${formatNumber(point.score)}`,
          symbol: 'triangle',
          r: 5.5,
          fill: 'var(--alert)',
          stroke: 'var(--paper)',
          strokeWidth: 1,
        }),
        // The positions of names are already in pixels.
        text(names, {
          ...halo,
          x: { value: (name: NamedPlace) => name.x, scale: null },
          y: { value: (name: NamedPlace) => name.y, scale: null },
          text: 'text',
          textAnchor: 'start',
        }),
      ],
    },
    drawOthers(scores, toX, toY),
  );
  return figure(chart, drawing, dataOf(scores), {
    key: keyOf(scores),
    notes: notesOf(scores, names.length),
  });
}

/**
 * Draws one dot for every cell that holds an instance without an alert: the same picture from far fewer dots. The dots
 * are one path of zero-length lines, which takes a tenth of the bytes of circles.
 */
function drawOthers(
  { others }: CollectedScores,
  toX: (x: number) => number,
  toY: (y: number) => number,
): Element {
  const columns = Math.ceil(FULL_WIDTH / CELL);
  const filled = new Uint8Array(columns * Math.ceil(HEIGHT / CELL));
  let d = '';
  for (let i = 0; i < others.scores.length; i++) {
    const x = toX(others.times[i]);
    const y = toY(others.scores[i]);
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

/** Formats ticks: days for a long span, else hours and minutes, with the date at the first tick and at midnight. */
function clock(span: readonly [number, number]): (time: Date, i: number) => string {
  const length = span[1] - span[0];
  return (time, i) => {
    const [day, rest] = time.toISOString().split('T');
    if (length > 4 * 86_400_000) return day;
    const hour = rest.slice(0, length < 300_000 ? 8 : 5);
    return i === 0 || rest.startsWith('00:00:00') ? `${hour}\n${day}` : hour;
  };
}

function dataOf(scores: CollectedScores): FigureData {
  const rows = [...scores.alerts, ...scores.nextHighest].slice(0, MOST_ROWS);
  return {
    headings: ['entity', 'score', 'alert', 'incident', 'time'],
    rows: rows.map((row) => [row.name, row.score, row.alert, row.incident, formatTime(row.time)]),
    ...(rows.length < scores.count
      ? {
          part: `${formatNumber(rows.length)} of ${formatNumber(scores.count)} instances: alerts first, then the highest scores.`,
        }
      : {}),
  };
}

function keyOf({ alerts, others }: CollectedScores): Element {
  return key([
    ...(alerts.length === 0
      ? []
      : [
          {
            sample: shapeSample({ d: 'M0,-6L5.5,5H-5.5Z', fill: 'var(--alert)' }),
            label: `alert (${formatNumber(alerts.length)})`,
          },
        ]),
    {
      sample: shapeSample({ d: 'M1.7,0A1.7,1.7 0 1 1 -1.7,0A1.7,1.7 0 1 1 1.7,0Z', fill: 'var(--quiet)' }),
      label: `other instance (${formatNumber(others.scores.length)}; dots at the same place are drawn once)`,
    },
  ]);
}

function notesOf({ alerts, notFinite }: CollectedScores, named: number): string[] {
  const notes: string[] = [];
  if (named > 0 && named < alerts.length)
    notes.push(`${formatNumber(named)} of ${formatNumber(alerts.length)} alerts are labelled.`);
  if (alerts.length > MOST_ALERTS)
    notes.push(`Only the ${formatNumber(MOST_ALERTS)} highest alerts are drawn.`);
  if (notFinite > 0) notes.push(`Not drawn, because the score is not finite: ${formatNumber(notFinite)}.`);
  return notes;
}

/** The end of the threshold line where no alert covers the label. `y` is the distance below the line. */
function thresholdSide(alerts: readonly { x: number; y: number }[]): 'left' | 'right' {
  const width = 110;
  const isFree = (side: 'left' | 'right') =>
    alerts.every(({ x, y }) => {
      const inside = side === 'left' ? x - MARGIN.left : FULL_WIDTH - MARGIN.right - x;
      return inside > width || y < -24 || y > 4;
    });
  return isFree('left') || !isFree('right') ? 'left' : 'right';
}

function describe(threshold: number, { count, alerts }: CollectedScores): string {
  const [top] = alerts;
  const highest = top === undefined ? '' : ` The highest is ${top.name} with ${formatNumber(top.score)}.`;
  return `${formatNumber(count)} instances, ${formatNumber(alerts.length)} alerts; the threshold is ${formatNumber(threshold)}.${highest}`;
}
