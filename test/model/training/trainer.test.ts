import { describe, expect, test } from 'vitest';
import type { StepResult } from '../../../src/model/model.js';
import type { ModelGraph } from '../../../src/model/model-input.js';
import { MASK_DEFAULTS } from '../../../src/model/training/masking.js';
import { type EpochReport, Trainer, type TrainerState } from '../../../src/model/training/trainer.js';

const NODES = 40;

/** Graphs whose nodes all have both relations. Their sizes differ, so the test can tell them apart. */
const graphs = [0, 1, 2, 3].map((more): ModelGraph => {
  const nodeCount = NODES + more;
  const nodes = Int32Array.from({ length: 2 * nodeCount }, (_, i) => i % nodeCount);
  return {
    nodeCount,
    relationCount: 2,
    neighbours: {
      relationCount: 2,
      nodes,
      nodeOffsets: Uint32Array.of(0, nodeCount, 2 * nodeCount),
      offsets: new Uint32Array(nodes.length + 1),
      neighbours: new Int32Array(0),
    },
  } as unknown as ModelGraph;
});

/** A model that only records its steps. */
class Recorder {
  readonly seen: string[] = [];
  step = (graph: ModelGraph, mask: Uint8Array): StepResult => {
    this.seen.push(`${graph.nodeCount}:${mask.join('')}`);
    const masked = mask.reduce((sum, byte) => sum + byte, 0);
    const losses = Float64Array.of(graph.nodeCount, Number.NaN);
    return { loss: graph.nodeCount, losses, counts: Uint32Array.of(masked, 0) };
  };
}

function run(seed: number, steps: number, from?: TrainerState) {
  const model = new Recorder();
  const frequencies = Uint32Array.of(10, 1000);
  const trainer = new Trainer(model, graphs, { seed, mask: MASK_DEFAULTS, frequencies, from });
  const reports: EpochReport[] = [];
  while (trainer.steps < steps) {
    const report = trainer.step();
    if (report !== undefined) reports.push(report);
  }
  return { seen: model.seen, reports, state: trainer.state(), trainer };
}

test('every epoch uses every graph once, in a new order and with new masks', () => {
  const { seen } = run(0, 40);
  const epochs = Array.from({ length: 10 }, (_, epoch) => seen.slice(epoch * 4, epoch * 4 + 4));
  const order = epochs.map((epoch) => epoch.map((step) => Number(step.slice(0, 2))).join());
  for (const epoch of order) expect(epoch.split(',').sort()).toEqual(['40', '41', '42', '43']);
  expect(new Set(order).size).toBeGreaterThan(3);
  expect(new Set(seen).size).toBe(seen.length);
});

test('the same seed gives the same steps, and another seed gives others', () => {
  expect(run(3, 12).seen).toEqual(run(3, 12).seen);
  expect(run(4, 12).seen).not.toEqual(run(3, 12).seen);
});

describe('resuming', () => {
  test.each([0, 1, 4, 6, 11])('after %d steps equals an uninterrupted run', (stop) => {
    const whole = run(7, 12);
    const first = run(7, stop);
    // Through JSON, as in a checkpoint.
    const rest = run(7, 12, JSON.parse(JSON.stringify(first.state)));
    expect([...first.seen, ...rest.seen]).toEqual(whole.seen);
    expect([...first.reports, ...rest.reports]).toEqual(whole.reports);
    expect(rest.state).toEqual(whole.state);
  });
});

test('a report weights graphs by their masked nodes and excludes relations without any', () => {
  const { seen, reports, trainer } = run(0, 4);
  const masked = seen.map((step) => step.slice(3).replaceAll('0', '').length);
  const sizes = seen.map((step) => Number(step.slice(0, 2)));
  const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
  const [report] = reports;
  expect(report.epoch).toBe(1);
  expect(report.loss).toBeCloseTo(sum(masked.map((m, i) => m * sizes[i])) / sum(masked), 12);
  expect([report.losses[0], report.losses[1]]).toEqual([report.loss, Number.NaN]);
  expect(report.masked).toBeCloseTo(sum(masked) / sum(sizes), 12);
  expect(trainer.epochs).toBe(1);
});
