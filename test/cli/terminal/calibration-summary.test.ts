import { describe, expect, it } from 'vitest';
import { renderThreshold } from '../../../src/cli/terminal/calibration-summary.js';
import type { Threshold } from '../../../src/detect/threshold/threshold.js';

const found: Threshold = {
  tau: 2.43,
  status: 'resolved',
  asked: 10,
  finest: 1,
  realised: 5,
  incidentsPerDay: 5,
  alarmsPerDay: 16,
  graphs: 48,
  range: undefined,
};

describe('a threshold', () => {
  it('gives the rate of false incidents if calibration can measure it', () => {
    const text = [...renderThreshold('top:10/day', found, 1)].join('\n');
    expect(text).toContain('expect about 5.0 false incidents and 16 false alerts per host and day');
  });

  it('gives no rate per day for ranks after seconds of calibration', () => {
    const short = { ...found, finest: 5857, incidentsPerDay: 40_998 };
    const text = [...renderThreshold('top:10/day', short, 1 / 5857)].join('\n');
    expect(text).toContain('calibration covers only 15 s of benign events');
    expect(text).not.toMatch(/40998|5857/);
  });

  it('gives a short calibration in minutes, and high rates with separators', () => {
    const short = { ...found, finest: 56_104, incidentsPerDay: 56_104 };
    const text = [...renderThreshold('budget:5/day', short, 0.0087)].join('\n');
    expect(text).toContain('calibration covers 12m 32s of benign events');
    expect(text).toContain('the lowest rate it can measure is 56,104 false incidents per host and day');
  });

  it('gives no rate for ranks if benign events form too few incidents', () => {
    const few = { ...found, status: 'unresolved' as const, incidentsPerDay: 0.0018 };
    const text = [...renderThreshold('top:10/day', few, 1)].join('\n');
    expect(text).toContain('too few incidents to say how many of the raised ones are false');
    expect(text).not.toContain('0.0018');
  });
});
