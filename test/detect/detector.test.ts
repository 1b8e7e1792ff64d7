import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HoldOut, holdOut } from '../../src/detect/calibration/hold-out.js';
import { type DetectionConfig, resolveDetectionConfig } from '../../src/detect/detection-config.js';
import { Detector } from '../../src/detect/detector.js';
import { decodeDetector, encodeDetector } from '../../src/detect/detector-part.js';
import { EVIDENCE_KINDS } from '../../src/detect/evidence/evidence.js';
import { type Detection, findIncidents } from '../../src/detect/find-incidents.js';
import type { ScoredGraph } from '../../src/detect/fusion/scored-graph.js';
import { SplitGraphs } from '../../src/detect/split-graphs.js';
import { applyThreshold } from '../../src/detect/threshold/apply-threshold.js';
import { parseThreshold } from '../../src/detect/threshold/threshold.js';
import { readModelFile, writeModelFile } from '../../src/model/file/model-file.js';
import type { TrainedModel } from '../../src/model/file/trained-model.js';
import { trainModel } from '../../src/model/training/train.js';
import { resolveTrainingConfig } from '../../src/model/training/training-config.js';
import { ingestFiles } from '../../src/store/ingest.js';
import { Store } from '../../src/store/store.js';
import { ROOT } from '../built.js';
import { sharedFolder } from '../folders.js';
import { bruteForceScores } from './knn/brute-force.js';

const folder = sharedFolder();
const training = resolveTrainingConfig({ epochs: 2, textEpochs: 1, window: 10 });
let store: Store;
let model: TrainedModel;
let trainGraphs: SplitGraphs;
let detector: Detector;

beforeAll(async () => {
  const log = join(ROOT, 'examples/small-host.json.gz');
  await ingestFiles([log], { store: join(folder, 'store'), threads: 0 });
  store = await Store.open(join(folder, 'store'));
  const { train } = await parts();
  ({ model } = await trainModel({ store, config: training, selection: train }));
  trainGraphs = await SplitGraphs.open(store, train, model);
  detector = await Detector.fit(model, trainGraphs, {
    reference: 5000,
    evidence: [...EVIDENCE_KINDS],
    unit: 'episode',
  });
});

afterAll(() => detector.close());

const parts = async () => (await holdOut(store, {}, training)) as HoldOut;
const benign = async () => detector.graphsOf(store, (await parts()).calibrate);

async function calibrated(given: Partial<DetectionConfig> = {}, profile: 'recal' | 'paper' = 'recal') {
  return detector.calibrate(await benign(), resolveDetectionConfig(profile, given));
}

async function scores(): Promise<ScoredGraph[]> {
  return [...detector.score(await benign())];
}

describe('hold-out', () => {
  test('the calibrate split begins at a window, after the train split', async () => {
    const { train, calibrate, boundary } = await parts();
    expect(train.to).toBe(boundary);
    expect(calibrate.from).toBe(boundary);
    expect(boundary % 600_000_000_000n).toBe(0n);
  });

  test('an empty selection cannot be divided', async () => {
    expect(await holdOut(store, { to: 1n }, training)).toBeUndefined();
  });
});

describe('scores', () => {
  const cases: [string, Partial<DetectionConfig>, ('recal' | 'paper')?][] = [
    ['recal', {}],
    ['paper', {}, 'paper'],
    ['every kind', { evidence: [...EVIDENCE_KINDS], gate: 'none' }],
    ['each kind fused first', { combine: 'kinds', gate: 'none' }],
    ['brown', { fusion: 'brown', gate: 'none' }],
    ['cauchy', { fusion: 'cauchy' }],
    ['z-scores', { calibration: 'zscore' }, 'paper'],
    ['distance alone', { evidence: ['distance'], calibration: 'none', fusion: 'max', gate: 'none' }],
  ];
  test.each(cases)(
    '%s: scores are finite, 0 for screened-out nodes, and have shares that sum to 1',
    async (_, given, profile) => {
      await calibrated(given, profile);
      for (const { scores: found, candidates, evidence, lineage } of await scores()) {
        for (let v = 0; v < found.length; v++) {
          expect(found[v]).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(found[v])).toBe(true);
          if (candidates[v] === 0 && lineage === undefined) expect(found[v]).toBe(0);
          const rows = evidence.shares.subarray(evidence.offsets[v], evidence.offsets[v + 1]);
          const sum = rows.reduce((total, share) => total + share, 0);
          if (rows.length > 0 && sum > 0) expect(sum).toBeCloseTo(1, 9);
        }
      }
    },
  );

  test('the gate passes exactly the nodes that brute force finds above it', async () => {
    const { gate, config } = await calibrated({ gate: 'knn' });
    for (const graph of await scores()) {
      const points = detector.search.reference.standardise(detector.embeddings(graph));
      const exact = bruteForceScores(detector.search.reference.points, points, config.neighbours);
      const expected = Array.from(points.pointOf, (point) => (exact[point] > gate ? 1 : 0));
      expect([...graph.candidates]).toEqual(expected);
    }
  });

  test('benign scores use the tables of the other half, or their own', async () => {
    const cross = await calibrated({ lineage: 'none' });
    const split = await calibrated({ lineage: 'none', halves: 'split' });
    const whole = await calibrated({ lineage: 'none', halves: 'none' });
    expect([cross, split, whole].map(({ benign: { inSample } }) => inSample)).toEqual([false, false, true]);
    expect(cross.benign.instances).toBe(cross.instances);
    expect(split.benign.instances).toBeLessThan(split.instances);
    expect(split.benign.graphs).toBe(Math.floor(split.graphs / 2));
    // A table that contains a value gives it a larger p.
    expect(whole.benign.scores[0]).toBeLessThan(cross.benign.scores[0]);
  });
});

describe('a model file', () => {
  test('gives the same scores when read', async () => {
    await calibrated({ fusion: 'brown' });
    const before = await scores();
    const path = join(folder, 'model');
    await writeModelFile(path, model, encodeDetector(detector.state));
    const again = await Detector.open(await readModelFile(path));
    try {
      const after = [...again.score(await again.graphsOf(store, (await parts()).calibrate))];
      expect(after.map((graph) => graph.scores)).toEqual(before.map((graph) => graph.scores));
      expect(again.calibration.benign).toEqual(detector.calibration.benign);
      expect(again.model.id).toBe(model.id);
    } finally {
      await again.close();
    }
  });

  test('stores relation counts only if they were fitted, and refuses to calibrate without them', async () => {
    const usual = resolveDetectionConfig('recal');
    const path = join(folder, 'usual');
    const fitted = await Detector.fit(model, trainGraphs, {
      reference: 5000,
      evidence: usual.evidence,
      unit: 'episode',
    });
    await fitted.calibrate(await benign(), usual);
    await writeModelFile(path, model, encodeDetector(fitted.state));
    await fitted.close();
    const read = await readModelFile(path);
    const names = read.detector?.tensors.map(({ name }) => name) ?? [];
    expect(names.filter((name) => name.startsWith('relation.'))).toEqual([]);
    const again = await Detector.open(read);
    try {
      expect(again.fitted.levels.toArrays()).toEqual(detector.fitted.levels.toArrays());
      const config = resolveDetectionConfig('recal', { evidence: ['relation'] });
      await expect(again.calibrate(await benign(), config)).rejects.toMatchObject({
        code: 'evidence-not-fitted',
      });
    } finally {
      await again.close();
    }
  });

  test('knows that too few pairs co-occur for a covariance', async () => {
    await calibrated({ fusion: 'brown', evidence: ['distance'] });
    const path = join(folder, 'brown');
    await writeModelFile(path, model, encodeDetector(detector.state));
    const again = await Detector.open(await readModelFile(path));
    try {
      expect(again.calibration.covariance?.pairs.known).toBe(0);
      const { note } = await applyThreshold(parseThreshold('fpr:0.05'), again, await benign());
      expect(note).toContain('using Fisher');
    } finally {
      await again.close();
    }
  });

  test('without calibration is refused', async () => {
    const path = join(folder, 'plain');
    await writeModelFile(path, model, encodeDetector({ ...detector.state, calibration: undefined }));
    const plain = await Detector.open(await readModelFile(path));
    expect(() => plain.calibration).toThrow(expect.objectContaining({ code: 'not-calibrated' }));
    await plain.close();
    await writeModelFile(path, model);
    await expect(readModelFile(path).then((read) => Detector.open(read))).rejects.toMatchObject({
      code: 'not-calibrated',
    });
  });
});

describe('detection', () => {
  const run = async (rule: string): Promise<Detection> => {
    const graphs = await benign();
    return findIncidents(detector, graphs, {
      threshold: await applyThreshold(parseThreshold(rule), detector, graphs),
    });
  };

  test('alerts score at least the threshold, and each is in one incident', async () => {
    await calibrated({ halves: 'none' });
    const { alerts, incidents, counts } = await run('fpr:0.05');
    expect(alerts.length).toBeGreaterThan(0);
    expect(counts.alerts).toBe(alerts.length);
    for (const { score, threshold } of alerts) expect(score).toBeGreaterThanOrEqual(threshold);
    const members = incidents.flatMap((incident) => incident.alerts.map(({ id }) => id));
    expect([...members].sort()).toEqual(alerts.map(({ id }) => id).sort());
    expect(incidents.map(({ rank }) => rank)).toEqual(incidents.map((_, i) => i + 1));
  });

  test('detection is reproducible', async () => {
    await calibrated({ halves: 'none' });
    expect(await run('fpr:0.05')).toEqual(await run('fpr:0.05'));
  });

  test('an alert has a sentence, evidence and look-alikes', async () => {
    await calibrated({ halves: 'none', gate: 'knn' });
    const [alert] = (await run('fpr:0.05')).alerts;
    expect(alert.sentence).not.toBe('');
    expect(alert.evidence.length).toBeGreaterThan(0);
    expect(alert.lookAlikes).toHaveLength(3);
    expect(alert.knn.distance).toBeGreaterThan(alert.knn.threshold as number);
    const shares = alert.evidence.reduce((sum, { share }) => sum + share, 0);
    expect(shares).toBeCloseTo(1, 6);
  });

  test('a false discovery rate that cannot alarm notes how many nodes it would take', async () => {
    await calibrated({ halves: 'none' });
    const graphs = await benign();
    const applied = await applyThreshold(parseThreshold('fdr:0.000001'), detector, graphs);
    expect(applied.note).toMatch(/would take \d+ nodes per day/);
    expect((await findIncidents(detector, graphs, { threshold: applied })).alerts).toEqual([]);
  });
});

describe('metadata of calibration that make no sense are refused', () => {
  type Meta = { calibration: Record<string, never> };
  // biome-ignore lint/suspicious/noExplicitAny: forged metadata have no type
  type Any = any;
  test.each<[string, (meta: Any) => void]>([
    ['ends before it begins', (meta) => Object.assign(meta, { firstTs: meta.lastTs, lastTs: meta.firstTs })],
    ['a time beyond 64 bits', (meta) => Object.assign(meta, { lastTs: '99999999999999999999' })],
    ['no graphs', (meta) => Object.assign(meta, { graphs: 0 })],
    ['no instances', (meta) => Object.assign(meta, { instances: 0 })],
    ['no hosts', (meta) => Object.assign(meta, { hosts: [] })],
    ['one host twice', (meta) => Object.assign(meta, { hosts: [meta.hosts[0], meta.hosts[0]] })],
    ['a table of no evidence', (meta) => Object.assign(meta.tables, { other: {} })],
    ['a table less', (meta) => delete meta.tables.name],
    ['a negative gate', (meta) => Object.assign(meta, { gate: -1 })],
    [
      'more benign graphs than halves of graphs',
      (meta) => Object.assign(meta.benign, { graphs: 2 * meta.graphs + 1 }),
    ],
    ['a setting out of range', (meta) => Object.assign(meta.config, { rounds: 1000 })],
    ['text for a number', (meta) => Object.assign(meta.benign, { hostDays: 'many' })],
  ])('%s', async (_what, change) => {
    await calibrated();
    const part = encodeDetector(detector.state);
    expect(decodeDetector(model, part).calibration).toBeDefined();
    const forged = JSON.parse(JSON.stringify(part.meta)) as Meta;
    change(forged.calibration);
    expect(() => decodeDetector(model, { ...part, meta: forged })).toThrow(
      expect.objectContaining({ code: 'model-damaged' }),
    );
  });
});

test('a model that was calibrated on one graph is read back', async () => {
  const { boundary } = await parts();
  const one = await detector.graphsOf(store, { from: boundary, to: boundary + 600_000_000_000n });
  await detector.calibrate(one, resolveDetectionConfig('recal', {}));
  expect(detector.calibration.graphs).toBe(1);
  const back = decodeDetector(model, encodeDetector(detector.state));
  expect(back.calibration?.benign).toEqual(detector.calibration.benign);
});
