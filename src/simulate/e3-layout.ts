import { DAY, HOUR, localTime } from './calendar.js';
import type { Scenario } from './options.js';
import type { LogFile, Role, Timeline, TimeSpan } from './timeline.js';

export type E3Scenario = Exclude<Scenario, 'demo'>;

/** Midnight of 2 April 2018 in US/Eastern (UTC-4). */
const START = Date.parse('2018-04-02T04:00:00Z') / 1000;

/** Simulated time of a date in April 2018, US/Eastern. */
const april = (day: number, hour: number, minute = 0) => (day - 2) * DAY + hour * HOUR + (minute / 60) * HOUR;

/** Consecutive parts of one DARPA topic with the same role. */
interface PartRange {
  readonly topic: string;
  readonly parts: number;
  /** Number of the first part. Default 0. */
  readonly firstPart?: number;
  readonly from: number;
  readonly until: number;
  readonly share: number;
  /** Absent for parts that the published lists do not use. */
  readonly role?: Role;
}

// The roles are MAGIC's. The time spans of the parts are chosen here so that the published attack times are in the
// published test file.
const PART_RANGES: Readonly<Record<E3Scenario, readonly PartRange[]>> = {
  'freebsd-server': [
    {
      topic: 'ta1-cadets-e3-official',
      parts: 3,
      from: april(2, 0),
      until: april(6, 0),
      share: 0.4,
      role: 'train',
    },
    { topic: 'ta1-cadets-e3-official-1', parts: 5, from: april(6, 0), until: april(11, 20), share: 0.35 },
    {
      topic: 'ta1-cadets-e3-official-2',
      parts: 1,
      from: april(11, 20),
      until: april(13, 11),
      share: 0.2,
      role: 'test',
    },
    {
      topic: 'ta1-cadets-e3-official-2',
      firstPart: 1,
      parts: 1,
      from: april(13, 11),
      until: april(14, 0),
      share: 0.05,
      role: 'train',
    },
  ],
  'linux-desktop': [
    { topic: 'ta1-theia-e3-official-1r', parts: 10, from: april(2, 0), until: april(10, 0), share: 0.4 },
    { topic: 'ta1-theia-e3-official-3', parts: 1, from: april(10, 0), until: april(11, 0), share: 0.05 },
    { topic: 'ta1-theia-e3-official-5m', parts: 1, from: april(11, 0), until: april(11, 6), share: 0.02 },
    {
      topic: 'ta1-theia-e3-official-6r',
      parts: 4,
      from: april(11, 6),
      until: april(11, 20),
      share: 0.15,
      role: 'train',
    },
    {
      topic: 'ta1-theia-e3-official-6r',
      firstPart: 4,
      parts: 4,
      from: april(11, 20),
      until: april(12, 10),
      share: 0.15,
    },
    {
      topic: 'ta1-theia-e3-official-6r',
      firstPart: 8,
      parts: 1,
      from: april(12, 10),
      until: april(12, 18),
      share: 0.15,
      role: 'test',
    },
    {
      topic: 'ta1-theia-e3-official-6r',
      firstPart: 9,
      parts: 4,
      from: april(12, 18),
      until: april(14, 0),
      share: 0.08,
    },
  ],
  'linux-workstation': [
    { topic: 'ta1-trace-e3-official', parts: 1, from: april(2, 0), until: april(13, 9, 56), share: 0.4 },
    {
      topic: 'ta1-trace-e3-official-1',
      parts: 4,
      from: april(13, 9, 56),
      until: april(13, 12, 30),
      share: 0.4,
      role: 'train',
    },
    {
      topic: 'ta1-trace-e3-official-1',
      firstPart: 4,
      parts: 1,
      from: april(13, 12, 30),
      until: april(13, 15, 30),
      share: 0.15,
      role: 'test',
    },
    {
      topic: 'ta1-trace-e3-official-1',
      firstPart: 5,
      parts: 2,
      from: april(13, 15, 30),
      until: april(14, 0),
      share: 0.05,
    },
  ],
};

/** The attack times of DARPA's ground truth for each performer, and a later one in the same file. */
const ATTACK_SPANS: Readonly<Record<E3Scenario, readonly TimeSpan[]>> = {
  'freebsd-server': [
    { from: april(12, 13, 59), until: april(12, 14, 39) },
    { from: april(12, 16, 10), until: april(13, 8, 30) },
    { from: april(13, 9, 3), until: april(13, 10, 50) },
  ],
  'linux-desktop': [
    { from: april(12, 12, 40), until: april(12, 13, 30) },
    { from: april(12, 14, 5), until: april(12, 15, 20) },
    { from: april(12, 15, 40), until: april(12, 17, 40) },
  ],
  'linux-workstation': [
    { from: april(13, 12, 42), until: april(13, 12, 54) },
    { from: april(13, 13, 0), until: april(13, 14, 5) },
    { from: april(13, 14, 14), until: april(13, 15, 20) },
  ],
};

/** The file names and dates of DARPA's Engagement 3 release. */
export function makeE3Timeline(scenario: E3Scenario, extension: string): Timeline {
  const files: LogFile[] = [];
  for (const { topic, parts, firstPart = 0, from, until, share, role = 'other' } of PART_RANGES[scenario]) {
    const width = (until - from) / parts;
    for (let part = 0; part < parts; part++) {
      const number = firstPart + part;
      files.push({
        // DARPA's archives name the first part without a number.
        name: number === 0 ? `${topic}.${extension}` : `${topic}.${extension}.${number}`,
        role,
        from: from + part * width,
        until: from + (part + 1) * width,
        share: share / parts,
      });
    }
  }
  return { startSeconds: START, local: localTime(START, -4), files, attackSpans: ATTACK_SPANS[scenario] };
}
