/** Durations in nanoseconds. Simulated time counts nanoseconds from the start, which a double holds exactly for 104 days. */
export const MILLISECOND = 1e6;
export const SECOND = 1e9;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The wall clock of the host. It has a fixed offset and ignores the time zone of the machine that runs the simulator. */
export interface LocalTime {
  /** Hour of the day with fraction, 0 ≤ h < 24. */
  hour(at: number): number;
  /** 0 = Sunday … 6 = Saturday. */
  weekday(at: number): number;
  /** The next time after `at` at this hour of the day. */
  next(at: number, hour: number): number;
}

export function localTime(startSeconds: number, utcOffsetHours: number): LocalTime {
  const localStart = startSeconds + utcOffsetHours * 3600;
  // Days and the rest are separate, because a double does not hold nanoseconds since 1970 exactly.
  const startOfDay = Math.floor(localStart / 86_400);
  const intoDay = localStart - startOfDay * 86_400;
  const dayOf = (at: number) => Math.floor((at + intoDay * SECOND) / DAY);
  const hour = (at: number) => (at + intoDay * SECOND - dayOf(at) * DAY) / HOUR;
  return {
    hour,
    // 1970-01-01 was a Thursday.
    weekday: (at) => (((startOfDay + dayOf(at) + 4) % 7) + 7) % 7,
    next(at, target) {
      const ahead = (target - hour(at) + 24) % 24;
      return at + (ahead === 0 ? 24 : ahead) * HOUR;
    },
  };
}

/** The daily rhythm of a workload. */
export type Rhythm = 'machine' | 'office' | 'visitors' | 'night';

// One value per hour of the day, never zero.
const HOURS: Readonly<Record<Rhythm, readonly number[]>> = {
  machine: new Array<number>(24).fill(1),
  office: [2, 1, 1, 1, 1, 2, 5, 20, 60, 95, 100, 95, 60, 80, 100, 95, 85, 60, 30, 15, 10, 8, 5, 3].map(
    (v) => v / 100,
  ),
  visitors: [
    30, 22, 18, 15, 15, 18, 28, 45, 65, 80, 88, 92, 95, 92, 90, 90, 92, 95, 100, 98, 90, 75, 55, 40,
  ].map((v) => v / 100),
  night: [60, 90, 100, 100, 80, 50, 20, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 8, 10, 20, 40].map(
    (v) => v / 100,
  ),
};

const WEEKEND: Readonly<Record<Rhythm, number>> = { machine: 1, office: 0.08, visitors: 0.7, night: 1 };

/** The intensity of a rhythm at a time, from 0 to 1. */
export function intensity(rhythm: Rhythm, at: number, local: LocalTime): number {
  const hour = local.hour(at);
  const low = Math.floor(hour);
  const values = HOURS[rhythm];
  const here = values[low] as number;
  const level = here + (hour - low) * ((values[(low + 1) % 24] as number) - here);
  const weekday = local.weekday(at);
  return weekday === 0 || weekday === 6 ? level * WEEKEND[rhythm] : level;
}

/** Simulated time as ISO 8601 with microseconds, which `Date` does not have. */
export function offsetToIsoTime(startSeconds: number, at: number): string {
  const seconds = Math.floor(at / 1e9);
  const micros = Math.floor((at - seconds * 1e9) / 1e3);
  const date = new Date((startSeconds + seconds) * 1000).toISOString().slice(0, 19);
  return `${date}.${String(1e6 + micros).slice(1)}Z`;
}
