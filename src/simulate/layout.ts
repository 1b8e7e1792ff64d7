import { DAY, HOUR, localTime } from './calendar.js';
import { type E3Scenario, e3Timeline } from './e3-files.js';
import type { Days, Layout, Scenario } from './options.js';
import type { Slot, Timeline } from './timeline.js';

export function timelineOf(
  scenario: Scenario,
  layout: Layout,
  events: number,
  extension: string,
  days?: Days,
): Timeline {
  return layout === 'e3'
    ? e3Timeline(scenario as E3Scenario, extension)
    : partsTimeline(events, extension, days);
}

// --- parts: train, calibrate, test

/** Small worlds span fewer days, so that an hour of them still has something in it. All test on weekdays. */
const PARTS = [
  { below: 200_000, start: '2025-03-03', train: 2, calibrate: 1, test: 1 },
  { below: 2_000_000, start: '2025-03-07', train: 5, calibrate: 1, test: 2 },
  { below: Number.POSITIVE_INFINITY, start: '2025-03-03', train: 7, calibrate: 2, test: 3 },
] as const;

/** Days of one's own begin on a Monday. */
const MONDAY = '2025-03-03';

function partsTimeline(events: number, extension: string, days?: Days): Timeline {
  const plan =
    days === undefined
      ? (PARTS.find((candidate) => events < candidate.below) ?? PARTS[2])
      : { start: MONDAY, train: days[0], calibrate: days[1], test: days[2] };
  const startSeconds = Date.parse(`${plan.start}T00:00:00Z`) / 1000;
  const calibrateAt = plan.train * DAY;
  const testAt = calibrateAt + plan.calibrate * DAY;
  const end = testAt + plan.test * DAY;
  const total = end / DAY;
  const local = localTime(startSeconds, 0);
  const testDays = Array.from({ length: plan.test }, (_, day) => ({
    from: testAt + day * DAY + 9.5 * HOUR,
    until: testAt + day * DAY + 17 * HOUR,
  }));
  const working = testDays.filter(({ from }) => local.weekday(from) % 6 !== 0);
  return {
    startSeconds,
    local,
    files: [
      { name: `train.${extension}`, role: 'train', from: 0, until: calibrateAt, share: plan.train / total },
      {
        name: `calibrate.${extension}`,
        role: 'calibrate',
        from: calibrateAt,
        until: testAt,
        share: plan.calibrate / total,
      },
      { name: `test.${extension}`, role: 'test', from: testAt, until: end, share: plan.test / total },
    ],
    attackSlots: spread(working.length > 0 ? working : testDays),
  };
}

/** Three or more slots: one a day where the test has enough days, else the days cut into pieces. */
function spread(days: readonly Slot[]): Slot[] {
  if (days.length >= 3) return [...days];
  return days.flatMap(({ from, until }) => {
    const pieces = days.length === 1 ? 3 : 2;
    const width = (until - from) / pieces;
    return Array.from({ length: pieces }, (_, i) => ({
      from: from + i * width,
      until: from + (i + 0.8) * width,
    }));
  });
}
