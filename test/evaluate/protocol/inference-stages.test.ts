import { beforeAll, describe, expect, test } from 'vitest';
import { Detector } from '../../../src/detect/detector.js';
import type { SplitGraphs } from '../../../src/detect/split-graphs.js';
import { graphsOfSplit } from '../../../src/evaluate/protocol/graphs-of-split.js';
import { INFERENCE_STAGES } from '../../../src/evaluate/protocol/inference-stages.js';
import type { Splits } from '../../../src/evaluate/protocol/splits.js';
import { VariantRunner } from '../../../src/evaluate/protocol/variant-runner.js';
import { inferenceTimes } from '../../../src/evaluate/report/inference-times.js';
import type { VariantResult } from '../../../src/evaluate/result-schema.js';
import { trainModel } from '../../../src/model/training/train.js';
import { quickVariant, smallWorld } from '../small-world.js';

let splits: Splits;
beforeAll(async () => {
  ({ splits } = await smallWorld());
});

describe('inference', () => {
  test('has the stages that a variant needs, beside training, graph building and calibration', async () => {
    const names = ['paper', 'wo-cd', 'recal', 'velox'];
    const runner = new VariantRunner({ splits, variants: names.map(quickVariant), seeds: [0], threads: 1 });
    const stages: Record<string, string[]> = {};
    for await (const { variant, seconds } of runner.runs()) {
      stages[variant] = Object.keys(seconds).filter((stage) => stage in INFERENCE_STAGES);
      const seeds = [{ timings: seconds }] as unknown as VariantResult['seeds'];
      const { inference, train } = inferenceTimes({ seeds }) ?? {};
      const sum = stages[variant].reduce((total, stage) => total + seconds[stage], 0);
      expect(inference, variant).toBeCloseTo(sum, 9);
      expect(train).toBe(seconds.train);
      if (variant !== 'velox')
        expect(seconds).toMatchObject({ graphs: expect.any(Number), calibrate: expect.any(Number) });
      for (const stage of stages[variant]) expect(seconds[stage], `${variant}: ${stage}`).toBeGreaterThan(0);
    }
    const sorted = (given: string[]) => [...given].sort();
    expect(sorted(stages.paper)).toEqual(['embed', 'fusion', 'index', 'knn', 'lineage', 'lookup', 'masked']);
    expect(sorted(stages['wo-cd'])).toEqual(['embed', 'fusion', 'index', 'knn', 'lineage', 'lookup']);
    expect(sorted(stages.recal)).toEqual(sorted([...stages.paper, 'surprise']));
    expect(stages.velox).toEqual(['score']);
    expect(Object.keys(runner.seconds)).toContain('paper+wo-cd: index');
  });

  test('does not include graph building or calibration', async () => {
    const { training, detection } = quickVariant('paper');
    const { model } = await trainModel({ ...splits.train, config: training });
    const detector = await Detector.fit(model, await graphsOfSplit(splits.train, model), detection);
    try {
      const shared = detector.share([detection]);
      const benign = await graphsOfSplit(splits.calibrate, model, { keep: true });
      const calibration = await shared.calibrate(detection, benign, {});
      expect(shared.measuring.seconds).toEqual({});
      const graphs = await graphsOfSplit(splits.test, model);
      const slow = {
        ...graphs,
        *views() {
          const until = performance.now() + 300;
          while (performance.now() < until);
          yield* graphs.views();
        },
      } as unknown as SplitGraphs;
      const started = performance.now();
      for (const { of } of shared.score(slow, [calibration])) expect(of).toHaveLength(1);
      const passed = (performance.now() - started) / 1000;
      const { graphs: building, ...measured } = shared.measuring.seconds;
      expect(building).toBeGreaterThanOrEqual(0.3);
      const inference = [measured, shared.judging[0].seconds].flatMap((each) => Object.values(each));
      expect(inference.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(passed - 0.3);
      expect(detector.indexSeconds).toBeGreaterThan(0);
    } finally {
      await detector.close();
    }
  });
});
