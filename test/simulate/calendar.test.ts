import { describe, expect, it } from 'vitest';
import { DAY, HOUR, intensity, localTime, offsetToIsoTime } from '../../src/simulate/calendar.js';

describe('localTime', () => {
  // 2018-04-02T04:00:00Z is midnight of a Monday in New York.
  const local = localTime(Date.parse('2018-04-02T04:00:00Z') / 1000, -4);

  it('derives hour and weekday from the fixed offset', () => {
    expect(local.hour(0)).toBe(0);
    expect(local.hour(13.5 * HOUR)).toBeCloseTo(13.5);
    expect([0, 1, 5, 6, 7].map((day) => local.weekday(day * DAY))).toEqual([1, 2, 6, 0, 1]);
    const utc = localTime(Date.parse('2018-04-02T04:00:00Z') / 1000, 0);
    expect(utc.hour(0)).toBe(4);
    expect(utc.weekday(21 * HOUR)).toBe(2);
  });

  it('finds the next time of day', () => {
    expect(local.next(0, 3)).toBe(3 * HOUR);
    expect(local.next(3 * HOUR, 3)).toBe(27 * HOUR);
    expect(local.next(4 * HOUR, 3)).toBe(27 * HOUR);
  });
});

describe('intensity', () => {
  const local = localTime(Date.parse('2018-04-02T00:00:00Z') / 1000, 0);

  it('depends on the hour and the weekday', () => {
    expect(intensity('office', 10 * HOUR, local)).toBeGreaterThan(20 * intensity('office', 3 * HOUR, local));
    expect(intensity('office', 10 * HOUR, local)).toBeGreaterThan(
      8 * intensity('office', 5 * DAY + 10 * HOUR, local),
    );
    expect(intensity('night', 3 * HOUR, local)).toBeGreaterThan(intensity('night', 12 * HOUR, local));
    expect(intensity('machine', 3 * HOUR, local)).toBe(intensity('machine', 5 * DAY, local));
  });

  it('stays above zero and at most one', () => {
    for (let at = 0; at < 7 * DAY; at += HOUR / 4) {
      for (const rhythm of ['machine', 'office', 'visitors', 'night'] as const) {
        const level = intensity(rhythm, at, local);
        expect(level > 0 && level <= 1).toBe(true);
      }
    }
  });
});

describe('offsetToIsoTime', () => {
  it('keeps microseconds', () => {
    expect(offsetToIsoTime(1_522_641_600, 1_500_000_000)).toBe('2018-04-02T04:00:01.500000Z');
    expect(offsetToIsoTime(1_522_641_600, 86_400e9 + 1_000)).toBe('2018-04-03T04:00:00.000001Z');
  });
});
