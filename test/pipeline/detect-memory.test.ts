import { expect, test } from 'vitest';
import type { SplitGraphs } from '../../src/detect/split-graphs.js';
import { checkEventMemory, checkGraphMemory, memoryLimit } from '../../src/pipeline/detect-memory.js';
import type { Store } from '../../src/store/store.js';

const GIBIBYTE = 2 ** 30;

/** Two graphs: one of two nodes, and one of as many nodes as it has events. */
function graphsOf(events: number): SplitGraphs {
  const none = new Int32Array(events).fill(-1);
  const subject = Int32Array.from(none, (_, row) => (row < 2 ? 0 : row));
  const object = none.map((_, row) => (row < 2 ? 1 : -1));
  const table = { length: events, nodeCount: events, subject, object, object2: none };
  const graphOf = Int32Array.from(none, (_, row) => (row < 2 ? 0 : 1));
  return {
    events: { table, keys: { size: events } },
    plan: { graphOf, titles: ['a quiet hour', 'a loud hour'] },
  } as unknown as SplitGraphs;
}

const storeOf = (...rows: number[]) =>
  ({ segments: () => rows.map((each) => ({ rows: each })) }) as unknown as Store;

test('the largest graph decides, and is named', () => {
  const graphs = graphsOf(500_000);
  expect(() => checkGraphMemory(graphs, GIBIBYTE)).toThrow(
    expect.objectContaining({
      code: 'memory-budget',
      message: expect.stringMatching(/^judging graph a loud hour \(499998 nodes\) needs about \d+ MiB/),
      hint: expect.stringContaining('--memory'),
    }),
  );
  expect(() => checkGraphMemory(graphs, 4 * GIBIBYTE)).not.toThrow();
  expect(() => checkGraphMemory(graphsOf(1000), GIBIBYTE)).not.toThrow();
});

test('events alone can be too many, before they are read', () => {
  expect(() => checkEventMemory(storeOf(5_000_000, 5_000_000), {}, GIBIBYTE)).toThrow(
    expect.objectContaining({ code: 'memory-budget', message: expect.stringContaining('10000000 events') }),
  );
  expect(() => checkEventMemory(storeOf(5_000_000), {}, GIBIBYTE)).not.toThrow();
});

test('the limit is given in MiB, or a share of the memory of the machine', () => {
  expect(memoryLimit(512)).toBe(GIBIBYTE / 2);
  expect(memoryLimit(undefined)).toBeGreaterThan(0);
});
