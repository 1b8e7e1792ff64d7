import { describe, expect, test } from 'vitest';
import { Output } from '../../../src/cli/terminal/output.js';
import { Progress, type ProgressOptions } from '../../../src/cli/terminal/progress.js';
import { Sink } from './sink.js';

function start(columns: number | undefined, options: ProgressOptions, quiet = false) {
  const stderr = new Sink(columns);
  const clock = { ms: 0 };
  const out = new Output({ stdout: new Sink(), stderr, env: {}, quiet });
  return { stderr, clock, progress: new Progress(out, 'reading \u001bx', options, () => clock.ms) };
}

const MIB = 1 << 20;

describe('on a terminal', () => {
  test('prints amount, rate and ETA in one line', () => {
    const { stderr, clock, progress } = start(120, { total: 100 * MIB });
    clock.ms = 2000;
    progress.update(20 * MIB, 50_000);
    expect(stderr.screen).toEqual([
      'reading \\ex  20.0 MiB / 100.0 MiB  20%  10.0 MiB/s  25,000 events/s  ETA 8.0 s',
    ]);
    progress.finish();
    expect(stderr.screen).toEqual(['']);
  });

  test('redraws at most ten times a second', () => {
    const { stderr, clock, progress } = start(120, {});
    for (clock.ms = 0; clock.ms < 1000; clock.ms++) progress.update(clock.ms);
    expect(stderr.text.split('\r').length - 1).toBe(10);
  });

  test('prints other units, and no ETA without a total', () => {
    const { stderr, clock, progress } = start(120, { unit: 'epochs' });
    clock.ms = 4000;
    progress.update(3);
    expect(stderr.screen).toEqual(['reading \\ex  3 epochs  0.75 epochs/s']);
  });
});

describe('without a terminal', () => {
  test('prints a line every ten seconds', () => {
    const { stderr, clock, progress } = start(undefined, { total: 100 });
    for (clock.ms = 0; clock.ms <= 25_000; clock.ms += 500) progress.update(clock.ms / 500);
    progress.finish();
    expect(stderr.lines).toEqual([
      'reading \\ex  20 B / 100 B  20%  2 B/s  ETA 40 s',
      'reading \\ex  40 B / 100 B  40%  2 B/s  ETA 30 s',
    ]);
  });

  test.each([undefined, 80])('prints nothing with --quiet (columns %s)', (columns) => {
    const { stderr, clock, progress } = start(columns, { total: 100 }, true);
    clock.ms = 60_000;
    progress.update(50);
    progress.finish();
    expect(stderr.text).toBe('');
  });
});
