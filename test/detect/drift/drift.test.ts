import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveDetectionConfig } from '../../../src/detect/detection-config.js';
import { Detector } from '../../../src/detect/detector.js';
import { type DriftReport, measureDrift } from '../../../src/detect/drift/drift.js';
import { EVIDENCE_KINDS } from '../../../src/detect/evidence/evidence.js';
import { SplitGraphs } from '../../../src/detect/split-graphs.js';
import { trainModel } from '../../../src/model/training/train.js';
import { resolveTrainingConfig } from '../../../src/model/training/training-config.js';
import type { Store } from '../../../src/store/store.js';
import { sharedFolder } from '../../folders.js';
import { driftingWorld } from './drifting-world.js';

const folder = sharedFolder();
const reports = new Map<string, DriftReport>();
let store: Store;
let detector: Detector;

beforeAll(async () => {
  store = await driftingWorld(folder);
  const config = resolveTrainingConfig({ epochs: 4, textEpochs: 2, textDimension: 4, window: 30 });
  const selection = { split: 'train' };
  const { model } = await trainModel({ store, config, selection });
  const evidence = [...EVIDENCE_KINDS];
  const graphs = await SplitGraphs.open(store, selection, model);
  detector = await Detector.fit(model, graphs, { reference: 5000, evidence, unit: 'episode' });
  await detector.calibrate(
    await detector.graphsOf(store, { split: 'calibrate' }),
    resolveDetectionConfig('recal', { evidence, tables: 'type' }),
  );
  for (const split of ['same', 'moved', 'attacked']) {
    reports.set(split, await measureDrift(detector, await detector.graphsOf(store, { split })));
  }
});

afterAll(() => detector.close());

const reportOf = (split: string) => reports.get(split) as DriftReport;
const unusual = ({ rows }: DriftReport) =>
  rows.filter(({ verdict }) => verdict === 'more-unusual').map(({ kind, relation }) => `${kind} ${relation}`);

test('without change, no relation moves', () => {
  const report = reportOf('same');
  expect(report.verdict).toBe('steady');
  expect(unusual(report)).toEqual([]);
  expect(report.counts.compared).toBeGreaterThan(3);
  expect(report.counts.graphs).toBe(report.change.windows);
  expect(report.change.reached).toBeNull();
  expect(report.novelty).toMatchObject({ newRelation: 0, relations: [] });
  expect(report.novelty.names.every(({ unknown }) => unknown === 0)).toBe(true);
});

test('a relation that was rare and is now common becomes more unusual', () => {
  const report = reportOf('moved');
  expect(['recalibrate', 'retrain']).toContain(report.verdict);
  expect(unusual(report)).toContain('reconstruction EVENT_READ');
  const [first] = report.rows;
  expect(first.rate).toBeLessThanOrEqual(0.01);
  expect(first.direction).toBe('up');
  expect(first.above.p90).toBeGreaterThan(0.2);
});

test('an attack is kept out and does not count as drift', () => {
  const [attacked, same] = [reportOf('attacked'), reportOf('same')];
  expect(attacked.verdict).toBe('steady');
  expect(unusual(attacked)).toEqual([]);
  const { high, inherited, expected } = attacked.quarantine;
  expect(high + inherited - same.quarantine.high - same.quarantine.inherited).toBeGreaterThanOrEqual(4);
  expect(high).toBeGreaterThan(2 * expected);
  // Neither its files nor its actions count as new.
  const files = attacked.novelty.names.find(({ type }) => type === 'file');
  expect(files).toMatchObject({ unknown: 0, examples: [] });
  expect(attacked.novelty.newRelation).toBe(0);
  // Kept-out instances do not change the values of others.
  const surprise = ({ rows }: DriftReport) => rows.filter(({ kind }) => kind === 'name');
  expect(surprise(attacked)).toEqual(surprise(same));
});

describe('the report', () => {
  test('is plain data', () => {
    for (const report of reports.values()) expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('an empty selection gives too-little', async () => {
    const none = await SplitGraphs.open(store, { to: 1n }, detector.model);
    const report = await measureDrift(detector, none);
    expect(report).toMatchObject({ verdict: 'too-little' });
    expect(report.rows).toEqual([]);
    expect(report.counts).toMatchObject({ graphs: 0, instances: 0, compared: 0 });
  });

  test('with a gate, evidence that the gate leaves out is not compared', async () => {
    const { config } = detector.calibration;
    await detector.calibrate(await detector.graphsOf(store, { split: 'calibrate' }), {
      ...config,
      gate: 'knn',
    });
    const report = await measureDrift(detector, await detector.graphsOf(store, { split: 'same' }));
    expect(report.leftOut.map(({ kind }) => kind)).toEqual(['reconstruction', 'distance']);
    expect(new Set(report.rows.map(({ kind }) => kind))).toEqual(new Set(['name', 'relation']));
  });

  test('the level must be between 0 and 1; the work can be aborted', async () => {
    const graphs = await detector.graphsOf(store, { split: 'same' });
    await expect(measureDrift(detector, graphs, { level: 0 })).rejects.toThrow(RangeError);
    await expect(measureDrift(detector, graphs, { signal: AbortSignal.abort() })).rejects.toThrow();
  });
});
