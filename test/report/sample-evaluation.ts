import { Random } from '../../src/base/random.js';
import { type CurvePoint, curveChart } from '../../src/report/charts/curve-chart.js';
import { histogram } from '../../src/report/charts/histogram.js';
import { scorePlot } from '../../src/report/charts/score-plot.js';
import { seedDots } from '../../src/report/charts/seed-dots.js';
import { stageBars } from '../../src/report/charts/stage-bars.js';
import { sweepChart } from '../../src/report/charts/sweep-chart.js';
import { formatFixed } from '../../src/report/page/format.js';
import { code, h } from '../../src/report/page/html.js';
import { renderPage } from '../../src/report/page/page.js';
import { dataTable, sparkline } from '../../src/report/page/tables.js';
import { sampleScores } from './detection/sample-detection.js';

// How the pieces are used in a report of an evaluation, with made-up numbers.

const random = new Random('sample evaluation');

function prCurve(strength: number, name: string): CurvePoint[] {
  const draws = random.stream(`curve ${name}`);
  const points: CurvePoint[] = [];
  let hits = 0;
  for (let i = 1; hits < 41; i++) {
    if (draws.chance(strength * Math.exp(-hits / 22))) hits++;
    points.push({ x: hits / 41, y: hits / i, threshold: 30 - i / 40 });
    if (i > 4000) break;
  }
  return points;
}

function runs(name: string, mean: number, spread: number): number[] {
  const draws = random.stream(`runs ${name}`);
  return Array.from({ length: 5 }, () => mean + (draws.float() + draws.float() - 1) * spread);
}

function sampleErrors(name: string, scale: number): { name: string; raw: number[]; calibrated: number[] } {
  const draws = random.stream(`errors ${name}`);
  const raw = Array.from({ length: 1500 }, () => Math.min(8, draws.exponential(scale) + scale));
  return { name, raw, calibrated: raw.map(() => draws.float()) };
}

export function sampleEvaluationReport(): string {
  const variants = [
    { name: 'RECAL', ap: runs('recal', 0.47, 0.06), found: 41, fp: 9 },
    { name: 'without balanced learning', ap: runs('bl', 0.31, 0.09), found: 36, fp: 31 },
    { name: 'without calibrated detection', ap: runs('cd', 0.22, 0.05), found: 33, fp: 58 },
    { name: 'z-score', ap: runs('z', 0.36, 0.05), found: 37, fp: 24 },
    { name: 'max fusion', ap: runs('max', 0.44, 0.1), found: 40, fp: 12 },
    { name: 'rarity (baseline)', ap: [0.19], found: 30, fp: 77 },
  ];
  const errors = [sampleErrors('READ', 0.3), sampleErrors('WRITE', 0.7), sampleErrors('EXECUTE', 1.4)];
  const losses = variants.map((variant) => {
    const draws = random.stream(`loss ${variant.name}`);
    return Array.from({ length: 40 }, (_, epoch) => 3 * Math.exp(-epoch / 9) + 0.4 + draws.float() * 0.15);
  });
  return renderPage({
    kind: 'Evaluation report',
    title: 'CADETS E1, honest protocol',
    lead: 'Forty-one expert labels among 11,569 nodes. The threshold comes from calibration, never from the labels.',
    facts: [
      ['average precision', '0.47 ± 0.03'],
      ['attacks found', '2 of 2'],
      ['false alarms', '9'],
      ['seeds', '5'],
    ],
    generator: 'recal 0.1.0',
    provenance: ['Made with ', code('recal evaluate'), ', seeds 0–4.'],
    sections: [
      {
        id: 'variants',
        title: 'Variants',
        content: [
          dataTable({
            id: 'variant-table',
            title: 'Detection at the calibrated threshold',
            caption: 'Counts of one seed, because a rate of one node in a hundred thousand says little.',
            columns: [
              { heading: 'variant', value: (row) => row.variant.name },
              { heading: 'TP', value: (row) => row.variant.found },
              { heading: 'FN', value: (row) => 41 - row.variant.found },
              { heading: 'FP', value: (row) => row.variant.fp, as: 'bar' },
              {
                heading: 'precision',
                value: (row) => row.variant.found / (row.variant.found + row.variant.fp),
                show: (row) => formatFixed(row.variant.found / (row.variant.found + row.variant.fp), 3),
              },
              {
                heading: 'loss',
                value: (row) => row.loss.at(-1),
                show: (row) =>
                  sparkline(
                    row.loss,
                    `loss falls from ${formatFixed(row.loss[0], 2)} to ${formatFixed(row.loss.at(-1) ?? 0, 2)}`,
                  ),
                as: 'text',
              },
            ],
            rows: variants.map((variant, i) => ({ variant, loss: losses[i] })),
            mark: { rows: (row) => row.variant.name === 'RECAL', meaning: 'the method as published' },
            download: true,
          }),
          seedDots({
            id: 'seeds',
            title: 'Average precision by seed',
            measure: 'average precision',
            groups: variants.map((variant, i) => ({
              name: variant.name,
              values: variant.ap,
              ...(i === 0 ? { published: 0.53 } : {}),
            })),
            domain: [0, 0.6],
          }),
        ],
      },
      {
        id: 'curves',
        title: 'Curves',
        content: [
          curveChart({
            id: 'pr',
            title: 'Precision and recall',
            caption:
              'Each curve steps where one more malicious node is found. The mark is the threshold in use.',
            kind: 'pr',
            curves: [
              {
                name: 'RECAL',
                points: prCurve(0.96, 'a'),
                figure: 'AP 0.47',
                operating: { x: 0.76, y: 0.42, label: 'budget 5/day' },
              },
              { name: 'z-score', points: prCurve(0.6, 'b'), figure: 'AP 0.36' },
              { name: 'rarity', points: prCurve(0.25, 'c'), figure: 'AP 0.19' },
            ],
          }),
          curveChart({
            id: 'roc',
            title: 'False positives on a logarithmic axis',
            kind: 'roc',
            logFrom: 1e-4,
            curves: [
              { name: 'RECAL', points: rocCurve(0.09), figure: 'AUROC 0.98' },
              { name: 'z-score', points: rocCurve(0.18), figure: 'AUROC 0.94' },
            ],
          }),
        ],
      },
      {
        id: 'calibration',
        title: 'Calibration',
        content: histogram({
          id: 'errors',
          title: 'Errors before and tail probabilities after calibration',
          caption: 'Errors of different relations cannot be compared; their tail probabilities can.',
          panels: [
            {
              title: 'before: reconstruction error',
              measure: 'error',
              domain: [0, 6],
              samples: errors.map((each) => ({ name: each.name, values: each.raw })),
            },
            {
              title: 'after: tail probability',
              measure: 'p',
              domain: [0, 1],
              samples: errors.map((each) => ({ name: each.name, values: each.calibrated })),
              level: { share: 1 / 24, label: 'uniform' },
            },
          ],
        }),
      },
      {
        id: 'sweeps',
        title: 'Sweeps',
        content: sweepChart({
          id: 'gamma',
          title: 'Exponent of the mask rate',
          parameter: 'γ',
          measure: 'average precision',
          inUse: 0.5,
          series: ['CADETS', 'THEIA'].map((name, s) => ({
            name,
            points: [0, 0.25, 0.5, 0.75, 1].map((x) => ({
              x,
              values: runs(`${name} ${x}`, 0.48 - (x - 0.55 + s / 5) ** 2 / 2 - s / 12, 0.05),
            })),
          })),
        }),
      },
      {
        id: 'efficiency',
        title: 'Efficiency',
        content: [
          stageBars({
            id: 'stages',
            title: 'Inference time by stage',
            bars: [
              {
                name: 'CADETS',
                stages: [
                  ['encode', 3.1],
                  ['kNN', 41],
                  ['errors', 7.4],
                  ['calibrate and fuse', 1.2],
                  ['incidents', 0.4],
                ],
              },
              {
                name: 'THEIA',
                stages: [
                  ['encode', 2.2],
                  ['kNN', 22],
                  ['errors', 9.9],
                  ['calibrate and fuse', 0.9],
                  ['incidents', 0.2],
                ],
              },
            ].map((bar) => ({
              name: bar.name,
              stages: bar.stages.map(([stage, seconds]) => ({
                stage: String(stage),
                seconds: Number(seconds),
              })),
            })),
          }),
          h(
            'p',
            { class: 'note' },
            'Loading, preprocessing and the one-time calibration are not counted, as in the paper.',
          ),
        ],
      },
      {
        id: 'ranks',
        title: 'Where the labels lie',
        content: scorePlot({
          id: 'rank-plot',
          title: 'Scores by rank',
          points: [...sampleScores()].map((point, i) => ({
            ...point,
            malicious: i % 400 === 7 || (point.alert && !point.name.includes('pkg')),
          })),
          threshold: 10.2,
          over: 'rank',
          measure: 'score (−ln tail probability)',
          names: 5,
        }),
      },
    ],
  });
}

function rocCurve(rate: number): CurvePoint[] {
  return Array.from({ length: 200 }, (_, i) => {
    const x = 10 ** (-4 + (4 * i) / 199);
    return { x, y: x ** rate };
  });
}
