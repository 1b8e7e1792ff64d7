import type { EvaluationCurves } from '../../../src/evaluate/evaluation.js';
import type { Study } from '../../../src/evaluate/report/study.js';
import { resultOf } from './sample-result.js';

export const CURVES: EvaluationCurves = {
  paper: [
    {
      seed: 0,
      precisionRecall: {
        thresholds: Float64Array.of(9, 8, 7, 6, 5),
        precision: Float64Array.of(0, 0.5, 1 / 3, 0.5, 0.4),
        recall: Float64Array.of(0, 0.5, 0.5, 1, 1),
      },
      roc: null,
      adp: null,
    },
  ],
};

export const PAPER_RESULT = resultOf({
  paper: [0.9, 0.92],
  'wo-bl': [0.7, 0.8],
  'wo-cd': [0.95, 0.97],
  max: [0.5, 0.5],
});

/** One protocol of CADETS; `more` replaces parts of it. */
export function smallStudy(more: Partial<Study> = {}): Study {
  return {
    title: 'CADETS',
    host: 'cadets',
    runs: [{ name: 'paper', result: PAPER_RESULT, curves: CURVES }],
    ...more,
  };
}

/** Two protocols and a sweep: a page with every section. */
export function sampleStudy(): Study {
  return smallStudy({
    extras: {
      relations: [
        { name: 'EVENT_READ', events: 1_400_000 },
        { name: 'EVENT_LINK', events: 10 },
      ],
    },
    runs: [
      {
        name: 'paper',
        result: PAPER_RESULT,
        curves: CURVES,
        scores: {
          errors: {
            variant: 'paper',
            seed: 0,
            others: 2,
            samples: [false, true].map((labelled) => ({
              relation: 'EVENT_READ',
              labelled,
              errors: Float64Array.of(0.1, labelled ? 1.5 : 0.2),
              calibrated: Float64Array.of(0.3, labelled ? 3 : 0.1),
            })),
          },
          fused: {
            variant: 'paper',
            seed: 0,
            benign: Float64Array.of(1, 2),
            attack: Float64Array.of(90),
            zeros: { benign: 1, attack: 3 },
          },
        },
      },
      {
        name: 'honest',
        result: resultOf({ paper: [0.1, 0.3] }, { oracle: false, attacks: ['ssh <b>', 'web'] }),
      },
    ],
    sweeps: {
      run: 'paper',
      complete: true,
      axes: [{ key: 'gamma', values: [0, 1] }],
      trials: [0, 1].map((gamma) => ({
        assignment: { gamma },
        id: String(gamma),
        result: resultOf({ paper: [0.3 + gamma / 2, 0.4] }),
      })),
    },
  });
}
