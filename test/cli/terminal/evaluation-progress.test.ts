import { afterEach, expect, test, vi } from 'vitest';
import type { CommandContext } from '../../../src/cli/command.js';
import { EvaluationProgress } from '../../../src/cli/terminal/evaluation-progress.js';

afterEach(() => vi.restoreAllMocks());

test('the time left is estimated from the current trial only', () => {
  const printed: string[] = [];
  const bar = { update: () => {}, finish: () => {} };
  const context = { out: { info: (line: string) => printed.push(line) }, progress: () => bar };
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const progress = new EvaluationProgress(context as unknown as CommandContext, 2);
  const run = { seed: 0, names: ['paper'] };
  progress.stage(run, 'train', 0);
  now = 60_000;
  progress.finished({ ...run, seconds: 60 }, 0.5);
  expect(printed.at(-1)).toBe('seed 0: paper done in 1m 00s  (about 1m 00s left)');

  now = 600_000;
  progress.trial();
  progress.stage(run, 'train', 0);
  now = 610_000;
  progress.finished({ ...run, seconds: 10 }, 0.5);
  expect(printed.at(-1)).toBe('seed 0: paper done in 10 s  (about 10 s left in this trial)');
});
