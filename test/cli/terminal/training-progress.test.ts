import { expect, test } from 'vitest';
import { Output } from '../../../src/cli/terminal/output.js';
import { Progress } from '../../../src/cli/terminal/progress.js';
import { TrainingProgress } from '../../../src/cli/terminal/training-progress.js';
import { Sink } from './sink.js';

test('names the graphs that are processed in parts, with control characters escaped', () => {
  const [stdout, stderr] = [new Sink(), new Sink()];
  const out = new Output({ stdout, stderr, env: {} });
  const context = {
    out,
    signal: new AbortController().signal,
    progress: (label: string) => new Progress(out, label),
    places: { flags: {}, env: {} },
  };
  const progress = new TrainingProgress(context);
  progress.planned({
    graphs: 2,
    nodes: 2400,
    relations: ['read'],
    features: 2,
    memory: 1,
    steps: { done: 0, all: 2 },
    inParts: [{ title: 'host\u001b[2J', nodes: 1200, parts: 3 }],
  });
  progress.finish();
  const lines = stderr.lines.filter((line) => line.includes('parts'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^host\\e\[2J \(1,200 nodes\) .* 3 parts/);
});
