import { DAY, HOUR, localTime } from './calendar.js';
import { type E3Scenario, makeE3Timeline } from './e3-layout.js';
import type { Days, Layout, Scenario } from './options.js';
import type { Timeline, TimeSpan } from './timeline.js';

export function makeTimeline(
  scenario: Scenario,
  layout: Layout,
  events: number,
  extension: string,
  days?: Days,
): Timeline {
  return layout === 'e3'
    ? makeE3Timeline(scenario as E3Scenario, extension)
    : makePartsTimeline(events, extension, days);
}

/** The days of layout parts. Small simulations span fewer days, so that no hour is empty. The test is on weekdays. */
const PARTS = [
  { below: 200_000, start: '2025-03-03', train: 2, calibrate: 1, test: 1 },
  { below: 2_000_000, start: '2025-03-07', train: 5, calibrate: 1, test: 2 },
  { below: Number.POSITIVE_INFINITY, start: '2025-03-03', train: 7, calibrate: 2, test: 3 },
] as const;

/** Start for days that the user sets. */
const MONDAY = '2025-03-03';

function makePartsTimeline(events: number, extension: string, days?: Days): Timeline {
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
    attackSpans: spread(working.length > 0 ? working : testDays),
  };
}

/** At least three spans: one per day, or several per day if the test has one or two days. */
function spread(days: readonly TimeSpan[]): TimeSpan[] {
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
