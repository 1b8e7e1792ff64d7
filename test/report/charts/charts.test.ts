import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { barChart } from '../../../src/report/charts/bar-chart.js';
import { curveChart } from '../../../src/report/charts/curve-chart.js';
import { histogram } from '../../../src/report/charts/histogram.js';
import { scorePlot } from '../../../src/report/charts/score-plot.js';
import { seedDots } from '../../../src/report/charts/seed-dots.js';
import { stageBars } from '../../../src/report/charts/stage-bars.js';
import { sweepChart } from '../../../src/report/charts/sweep-chart.js';
import { type Content, type Element, render } from '../../../src/report/page/html.js';
import { HOSTILE } from '../hostile.js';

const read = (content: Content) => parseHTML(`<html><body>${render(content)}</body></html>`).document;
const names = Object.values(HOSTILE);

/** Every chart, with one row or series a name. */
const CHARTS: Readonly<Record<string, (id: string, names: readonly string[]) => Element>> = {
  'bar chart': (id, all) =>
    barChart({
      id,
      title: all[0],
      measure: 'n',
      bars: all.map((label, i) => ({ label, value: 10 ** (i % 6), note: label })),
    }),
  histogram: (id, all) =>
    histogram({
      id,
      title: all[0],
      panels: [
        { title: all[0], measure: all[0], samples: all.map((name, i) => ({ name, values: [i, i + 1, 2] })) },
      ],
    }),
  'precision and recall': (id, all) =>
    curveChart({
      id,
      title: all[0],
      kind: 'pr',
      curves: all.map((name, i) => ({
        name,
        figure: name,
        points: [
          { x: 0.5, y: 1 },
          { x: 1, y: 1 / (i + 2) },
        ],
        operating: { x: 0.5, y: 1, label: name },
      })),
    }),
  'false positives': (id, all) =>
    curveChart({
      id,
      title: all[0],
      kind: 'roc',
      logFrom: 1e-3,
      curves: all.map((name) => ({
        name,
        points: [
          { x: 0, y: 0 },
          { x: 1, y: 1 },
        ],
      })),
    }),
  seeds: (id, all) =>
    seedDots({
      id,
      title: all[0],
      measure: all[0],
      groups: all.map((name, i) => ({ name, values: [i, i + 1], published: 3 })),
    }),
  sweep: (id, all) =>
    sweepChart({
      id,
      title: all[0],
      parameter: all[0],
      measure: all[0],
      series: all.map((name, i) => ({
        name,
        points: [
          { x: 0, values: [i] },
          { x: 1, values: [i, 2] },
        ],
      })),
    }),
  stages: (id, all) =>
    stageBars({
      id,
      title: all[0],
      bars: all.map((name) => ({ name, stages: all.slice(0, 3).map((stage) => ({ stage, seconds: 5 })) })),
    }),
  scores: (id, all) =>
    scorePlot({
      id,
      title: all[0],
      over: 'time',
      threshold: 5,
      measure: all[0],
      points: all.map((name, i) => ({
        name,
        score: i,
        alert: i > 5,
        time: BigInt(i) * 10n ** 12n,
        malicious: i % 2 === 0,
        group: name,
      })),
    }),
};

describe.each(Object.entries(CHARTS))('%s', (_, draw) => {
  test('is the same whatever was drawn before', () => {
    const first = render(draw('chart', ['a', 'b', 'c']));
    for (const other of Object.values(CHARTS)) other('other', ['x', 'y']);
    expect(render(draw('chart', ['a', 'b', 'c']))).toBe(first);
  });

  test('has a name, a description, a caption, its numbers and their file', () => {
    const document = read(draw('chart', ['a', 'b', 'c']));
    const svg = document.querySelector('.drawing svg');
    expect(svg.getAttribute('role')).toBe('img');
    for (const attribute of ['aria-labelledby', 'aria-describedby']) {
      const target = document.getElementById(svg.getAttribute(attribute));
      expect(target.textContent.length).toBeGreaterThan(0);
    }
    expect(document.querySelector('figcaption').textContent).toMatch(/^a/);
    expect(document.querySelectorAll('figure details tbody tr').length).toBeGreaterThan(2);
    expect(document.querySelector('a[download]').getAttribute('href')).toMatch(/^data:text\/csv/);
  });

  test('writes hostile names as text', () => {
    const written = render(draw('chart', names));
    expect(written).not.toMatch(/[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[^\n\P{Cc}]/u);
    expect(written).not.toMatch(/NaN|undefined|Infinity/);
    const tags = new Set([...read(draw('chart', names)).querySelectorAll('*')].map((each) => each.localName));
    for (const tag of ['script', 'img', 'style']) expect(tags).not.toContain(tag);
    // A name of 64 KB is not repeated whole in every label and title.
    expect(written.length).toBeLessThan(3_000_000);
  });

  test('survives having nothing to show', () => {
    expect(render(draw('chart', []))).not.toMatch(/NaN|Infinity/);
  });
});

test('bars: a zero has no bar and says 0, each number stands beside its bar', () => {
  const document = read(
    barChart({
      id: 'b',
      title: 'B',
      measure: 'n',
      bars: [
        { label: 'a', value: 100 },
        { label: 'b', value: 0 },
      ],
    }),
  );
  expect(document.querySelectorAll('svg rect').length).toBe(1);
  const texts = [...document.querySelectorAll('svg text')].map((text) => text.textContent);
  expect(texts).toContain('0');
  expect(texts).toContain('100');
});

test('histogram: counts by direct evaluation, values outside are told', () => {
  const document = read(
    histogram({
      id: 'h',
      title: 'H',
      bins: 2,
      panels: [
        {
          title: 'p',
          measure: 'x',
          domain: [0, 1],
          samples: [{ name: 's', values: [0, 0.2, 0.5, 1, 1.1, Number.NaN] }],
        },
      ],
    }),
  );
  const counts = [...document.querySelectorAll('tbody tr')].map((row) => row.children[4].textContent);
  expect(counts).toEqual(['2', '2']);
  expect(document.querySelector('figcaption').textContent).toContain('2 of 6 values lie outside the axis');
});

test('seeds: mean and sample deviation', () => {
  const document = read(
    seedDots({ id: 's', title: 'S', measure: 'x', groups: [{ name: 'g', values: [1, 2, 3] }] }),
  );
  const texts = [...document.querySelectorAll('svg text')].map((text) => text.textContent);
  expect(texts).toContain('2 ± 1');
});

test('scores: dots at one place are one, alerts are all there, and the unplaced are told', () => {
  const points = [
    ...Array.from({ length: 5000 }, () => ({ name: 'quiet', score: 0, alert: false, time: 0n })),
    { name: 'late', score: 1, alert: false, time: 10n ** 13n },
    { name: 'loud', score: 9, alert: true, time: 5n * 10n ** 12n },
    { name: 'lost', score: 9, alert: true },
    { name: 'void', score: Number.NaN, alert: false, time: 0n },
  ];
  const document = read(scorePlot({ id: 'p', title: 'P', over: 'time', threshold: 5, measure: 's', points }));
  const dots = [...document.querySelectorAll('svg path')]
    .map((path) => path.getAttribute('d'))
    .find((d) => d.includes('h0'));
  expect(dots.match(/h0/g)).toHaveLength(2);
  expect(document.querySelector('figcaption').textContent).toContain('2 nodes without a score or time');
  expect([...document.querySelectorAll('svg text')].map((text) => text.textContent)).toContain('loud');
  expect(document.querySelector('.key').textContent).toContain('alert (1)');
  expect(document.querySelector('.key').textContent).toContain('5,001');
});

test('scores: the label of the threshold stands at the end where no alert covers it', () => {
  const hour = 3_600_000_000_000n;
  const labelAt = (...hours: bigint[]) => {
    const quiet = [0n, 10n].map((at) => ({ name: 'quiet', score: 0, alert: false, time: at * hour }));
    const loud = hours.map((at) => ({ name: 'loud', score: 5.2, alert: true, time: at * hour }));
    const points = [...quiet, ...loud];
    const document = read(
      scorePlot({ id: 'p', title: 'P', over: 'time', threshold: 5, measure: 's', points }),
    );
    const label = [...document.querySelectorAll('svg text')].find(
      (text) => text.textContent === 'threshold 5',
    );
    return label.closest('[text-anchor]').getAttribute('text-anchor');
  };
  expect(labelAt(5n)).toBe('start');
  expect(labelAt(0n)).toBe('end');
  expect(labelAt(0n, 10n)).toBe('start'); // no better there
});
