import { describe, expect, test } from 'vitest';
import type { Detector } from '../../../src/detect/detector.js';
import type { SplitGraphs } from '../../../src/detect/split-graphs.js';
import { applyThreshold } from '../../../src/detect/threshold/apply-threshold.js';
import type { BenignScores } from '../../../src/detect/threshold/benign-scores.js';

const WINDOW = 1_800_000_000_000n;

/** 10,000 benign instances. Half of them score above 0, at most 5. */
const benign: BenignScores = {
  scores: Float32Array.from({ length: 5000 }, (_, i) => 5 - i / 1001),
  instances: 10_000,
  hostDays: 10,
  graphs: 480,
  inSample: false,
  thresholds: new Float32Array(0),
  incidents: new Uint32Array(0),
  without: [],
};

/** A detector with these scores, by window and node, in the windows of one day of one host. */
function scoring(windows: readonly ReadonlyMap<number, number>[]): [Detector, SplitGraphs] {
  const scored = windows.map((window, w) => ({
    scores: Float64Array.from(window.values()),
    view: { planned: { nodes: Int32Array.from(window.keys()), firstTs: BigInt(w) * WINDOW } },
  }));
  const detector = { calibration: { benign }, score: () => scored };
  const graphs = { events: { keys: { hostAt: () => 0 } } };
  return [detector as unknown as Detector, graphs as unknown as SplitGraphs];
}

const day = (extra: (window: number) => [number, number][]) =>
  Array.from({ length: 48 }, (_, w) => {
    const quiet = Array.from({ length: 100 }, (_, node): [number, number] => [node, 0]);
    return new Map([...quiet, ...extra(w)]);
  });

describe('a false discovery rate counts nodes, not windows', () => {
  const spec = { kind: 'fdr', level: 0.1 } as const;

  test('a node in one window has one chance', async () => {
    const [detector, graphs] = scoring(day((w) => (w === 7 ? [[100, 50]] : [])));
    const applied = await applyThreshold(spec, detector, graphs);
    expect(applied).toMatchObject({ tau: 50, note: expect.stringContaining('nominal') });
    expect(applied.alarms(50, 100, 0)).toBe(true);
    expect(applied.alarms(0, 100, 0)).toBe(false);
  });

  test('a node in every window has 48 chances and needs a smaller p', async () => {
    // Nodes 100 and 101 score the same, but node 101 had 48 chances: its p = 48 / 10,001 is no discovery.
    const [detector, graphs] = scoring(
      day((w) => [...(w === 7 ? [[100, 50] as [number, number]] : []), [101, w === 7 ? 50 : 0]]),
    );
    const applied = await applyThreshold(spec, detector, graphs);
    expect(applied.alarms(50, 100, 0)).toBe(true);
    expect(applied.alarms(50, 101, 0)).toBe(false);
  });

  test('a discovered node alarms in every graph where its p is small enough, and τ is the lowest score', async () => {
    const [detector, graphs] = scoring(day((w) => (w === 7 ? [[100, 50]] : w === 8 ? [[100, 30]] : [])));
    const applied = await applyThreshold(spec, detector, graphs);
    expect(applied.tau).toBe(30);
    expect(applied.alarms(30, 100, 0)).toBe(true);
  });

  test('in a graph of several hosts, each node is compared with nodes of its host', async () => {
    const [detector, graphs] = scoring(day((w) => (w === 7 ? [[100, 50]] : [])));
    Object.assign(graphs.events.keys, { hostAt: (node: number) => (node < 100 ? 0 : 1) });
    const applied = await applyThreshold(spec, detector, graphs);
    expect(applied.alarms(50, 100, 0)).toBe(true);
    expect(applied.tau).toBe(50);
    expect(applied.alarms(50, 7, 0)).toBe(false);
  });

  test('a day without discoveries has no alarms', async () => {
    const [detector, graphs] = scoring(day(() => []));
    const applied = await applyThreshold(spec, detector, graphs);
    expect(applied.tau).toBe(Number.MAX_VALUE);
    expect(applied.alarms(50, 3, 0)).toBe(false);
    expect(applied.note).toContain('10000 benign instances');
  });
});
