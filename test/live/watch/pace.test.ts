import { describe, expect, it } from 'vitest';
import { Pace } from '../../../src/live/watch/pace.js';

describe('the pace of work', () => {
  it('lets the first work begin at once', () => {
    expect(new Pace().isTime(0, 0.2, 30_000)).toBe(true);
  });

  it('leaves a share of the time to others, the more the longer the work took', () => {
    const pace = new Pace();
    pace.note(1000, 100);
    expect(pace.isTime(1399, 0.2)).toBe(false);
    expect(pace.isTime(1400, 0.2)).toBe(true);
    expect(pace.isTime(2899, 0.05)).toBe(false);
    expect(pace.isTime(2900, 0.05)).toBe(true);
  });

  it('keeps the pause also after short work', () => {
    const pace = new Pace();
    pace.note(1000, 1);
    expect(pace.isTime(30_999, 0.2, 30_000)).toBe(false);
    expect(pace.isTime(31_000, 0.2, 30_000)).toBe(true);
  });
});
