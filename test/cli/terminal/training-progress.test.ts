import { expect, test } from 'vitest';
import type { CommandContext } from '../../../src/cli/command.js';
import { TrainingProgress } from '../../../src/cli/terminal/training-progress.js';
import type { TrainPlan } from '../../../src/model/training/train.js';
import { randomGraph } from '../../model/random-graph.js';

/** The lines that the start of a training prints. */
function linesOf(plan: Pick<TrainPlan, 'blocks'> & { graphs: readonly object[] }): string[] {
  const printed: string[] = [];
  const bar = { update: () => {}, finish: () => {} };
  const context = { out: { info: (line: string) => printed.push(line) }, progress: () => bar };
  const progress = new TrainingProgress(context as unknown as CommandContext, 10);
  const rest = { relations: [], features: 2, memory: 1, steps: { done: 0, all: 10 } };
  progress.started({ ...rest, ...plan } as unknown as TrainPlan);
  return printed;
}

test('prints which graphs are processed in parts, without control characters', () => {
  const graphs = ['whole', 'host\u001b[2J'].map((title) => ({
    title,
    graph: randomGraph({ nodes: 1200, edges: 20, relations: 2, features: 2 }),
  }));
  const order = new Uint32Array(1200);
  const blocks = new Map([[graphs[1].graph, { order, bounds: [0, 500, 900, 1200], hops: 3 }]]);
  const [overview, ...parts] = linesOf({ graphs, blocks });
  expect(overview).toMatch(/^2 graphs, 2,400 nodes, /);
  expect(parts).toEqual([expect.stringMatching(/^host\\e\[2J \(1,200 nodes\) .* 3 parts/)]);
  expect(linesOf({ graphs, blocks: new Map() })).toEqual([overview]);
});
