import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { barChart } from '../../../src/report/charts/bar-chart.js';
import { histogram } from '../../../src/report/charts/histogram.js';
import { precisionRecallChart } from '../../../src/report/charts/precision-recall-chart.js';
import { scorePlot } from '../../../src/report/charts/score-plot.js';
import { seedDots } from '../../../src/report/charts/seed-dots.js';
import { stageBars } from '../../../src/report/charts/stage-bars.js';
import { sweepChart } from '../../../src/report/charts/sweep-chart.js';
import { type Content, type Element, render } from '../../../src/report/page/html.js';
import { HOSTILE } from '../hostile.js';

const read = (content: Content) => parseHTML(`<html><body>${render(content)}</body></html>`).document;
const names = Object.values(HOSTILE);

/** Every chart, with one row or series per name. */
const CHARTS: Readonly<Record<string, (id: string, names: readonly string[]) => Element>> = {
  'bar chart': (id, all) =>
    barChart({
      id,
      title: all[0],
      measure: 'n',
      bars: all.map((label, i) => ({ label, value: 10 ** (i % 6) })),
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
    precisionRecallChart({
      id,
      title: all[0],
      curves: all.map((name, i) => ({
        name,
        summary: name,
        points: [
          { recall: 0.5, precision: 1, threshold: 3 },
          { recall: 1, precision: 1 / (i + 2), threshold: 2 },
        ],
        inUse: { recall: 0.5, precision: 1, label: name },
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
      setting: all[0],
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
      threshold: 5,
      points: all.map((name, i) => ({
        name,
        score: i,
        alert: i > 5,
        time: BigInt(i) * 10n ** 12n,
        incident: i,
      })),
    }),
};

describe.each(Object.entries(CHARTS))('%s', (_, draw) => {
  test('does not depend on earlier drawings', () => {
    const first = render(draw('chart', ['a', 'b', 'c']));
    for (const other of Object.values(CHARTS)) other('other', ['x', 'y']);
    expect(render(draw('chart', ['a', 'b', 'c']))).toBe(first);
  });

  test('has a name, a description, a caption, its data and a CSV file', () => {
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
    // A name of 64 KB is shortened in labels and titles.
    expect(written.length).toBeLessThan(3_000_000);
  });

  test('draws an empty chart', () => {
    expect(render(draw('chart', []))).not.toMatch(/NaN|Infinity/);
  });
});

test('bars: 0 has no bar, and every number is shown', () => {
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

test('histogram: counts values per bin and mentions values that are not finite', () => {
  const values = [0, 0.2, 0.5, 24, Number.NaN, Number.POSITIVE_INFINITY];
  const document = read(
    histogram({
      id: 'h',
      title: 'H',
      panels: [{ title: 'p', measure: 'x', samples: [{ name: 's', values }] }],
    }),
  );
  const counts = [...document.querySelectorAll('tbody tr')].map((row) => row.children[4].textContent);
  expect(counts).toEqual(['3', ...new Array(22).fill('0'), '1']);
  expect(document.querySelector('figcaption').textContent).toContain('2 of 6 values are not finite');
});

test('seeds: mean and sample deviation', () => {
  const document = read(
    seedDots({ id: 's', title: 'S', measure: 'x', groups: [{ name: 'g', values: [1, 2, 3] }] }),
  );
  const texts = [...document.querySelectorAll('svg text')].map((text) => text.textContent);
  expect(texts).toContain('2 ± 1');
});

test('scores: draws dots at the same place once, all alerts, and mentions scores that are not finite', () => {
  const points = [
    ...Array.from({ length: 5000 }, () => ({ name: 'low', score: 0, alert: false, time: 0n })),
    { name: 'late', score: 1, alert: false, time: 10n ** 13n },
    { name: 'high', score: 9, alert: true, time: 5n * 10n ** 12n },
    { name: 'void', score: Number.NaN, alert: false, time: 0n },
  ];
  const document = read(scorePlot({ id: 'p', title: 'P', threshold: 5, points }));
  const dots = [...document.querySelectorAll('svg path')]
    .map((path) => path.getAttribute('d'))
    .find((d) => d.includes('h0'));
  expect(dots.match(/h0/g)).toHaveLength(2);
  expect(document.querySelector('figcaption').textContent).toContain('the score is not finite: 1.');
  expect([...document.querySelectorAll('svg text')].map((text) => text.textContent)).toContain('high');
  expect(document.querySelector('.key').textContent).toContain('alert (1)');
  expect(document.querySelector('.key').textContent).toContain('5,001');
});

test('scores: the label of the threshold is at the end where no alert covers it', () => {
  const hour = 3_600_000_000_000n;
  const labelAt = (...hours: bigint[]) => {
    const others = [0n, 10n].map((at) => ({ name: 'low', score: 0, alert: false, time: at * hour }));
    const alerts = hours.map((at) => ({ name: 'high', score: 5.2, alert: true, time: at * hour }));
    const document = read(scorePlot({ id: 'p', title: 'P', threshold: 5, points: [...others, ...alerts] }));
    const label = [...document.querySelectorAll('svg text')].find(
      (text) => text.textContent === 'threshold 5',
    );
    return label.closest('[text-anchor]').getAttribute('text-anchor');
  };
  expect(labelAt(5n)).toBe('start');
  expect(labelAt(0n)).toBe('end');
  expect(labelAt(0n, 10n)).toBe('start'); // both ends are covered
});
