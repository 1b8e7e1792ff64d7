import { describe, expect, it } from 'vitest';
import type { WatchState } from '../../../src/live/watch/checkpoint.js';
import { Detection } from '../../../src/live/watch/detection.js';
import { Metrics } from '../../../src/live/watch/metrics.js';
import { WatchFolder } from '../../../src/live/watch/watch-folder.js';

const HOUR = 3_600_000_000_000n;
const STATE = {
  model: { file: 'm.recal', id: 'm', calibratedTo: '0', window: String(HOUR), trained: 0 },
  span: String(24n * HOUR),
  closed: null,
} as unknown as WatchState;
const ASKED = { events: 7, drain: false, isBehind: false };

function detection(): Detection {
  const options = { minSeverity: 'info', span: 24n * HOUR, tellEveryMs: 30_000 } as const;
  return new Detection(options, new WatchFolder('none'), new Metrics(), () => undefined);
}

describe('what is judged next', () => {
  it('is all windows that are over, in one scoring', () => {
    const watermark = 24n * HOUR + 5n * HOUR + 1n;
    const due = detection().due(STATE, { ...ASKED, watermark });
    expect(due).toEqual({ kind: 'score', to: 29n * HOUR, final: false });
  });

  it('is what is new, if no window is over', () => {
    const state = { ...STATE, closed: String(25n * HOUR) };
    const due = detection().due(state, { ...ASKED, watermark: 25n * HOUR + 1n });
    expect(due).toEqual({ kind: 'tell', to: 48n * HOUR, final: false });
  });

  it('is the whole span once it is over', () => {
    const due = detection().due(STATE, { ...ASKED, watermark: 60n * HOUR, isBehind: true });
    expect(due).toEqual({ kind: 'score', to: 48n * HOUR, final: true });
  });

  it('is nothing without a model', () => {
    const state = { ...STATE, model: null };
    expect(detection().due(state, { ...ASKED, watermark: 60n * HOUR })).toBeUndefined();
  });
});

it('counts the windows that wait to be scored', () => {
  const waiting = (watermark: bigint | undefined, closed: bigint | null = null) =>
    detection().unscoredWindows({ ...STATE, closed: closed === null ? null : String(closed) }, watermark);
  expect(waiting(undefined)).toBe(0);
  expect(waiting(23n * HOUR)).toBe(0);
  expect(waiting(24n * HOUR + 1n)).toBe(0);
  expect(waiting(27n * HOUR + 1n)).toBe(3);
  expect(waiting(27n * HOUR + 1n, 26n * HOUR)).toBe(1);
});
