/** The units in which logs count time since 1970. */
export const TIME_UNITS = ['s', 'ms', 'us', 'ns'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** The number of digits of a time from 2001 to 2286. */
const DIGITS: Readonly<Record<TimeUnit, number>> = { s: 10, ms: 13, us: 16, ns: 19 };
const NANOSECONDS: Readonly<Record<TimeUnit, bigint>> = {
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};

export function digitsOf(unit: TimeUnit): number {
  return DIGITS[unit];
}

export function nanosecondsIn(unit: TimeUnit): bigint {
  return NANOSECONDS[unit];
}

/** Returns the unit of most times, given their counts by number of digits, or undefined if no time fits a unit. */
export function majorityUnit(countByDigits: ArrayLike<number>): TimeUnit | undefined {
  let best: TimeUnit | undefined;
  let most = 0;
  for (const unit of TIME_UNITS) {
    const count = countByDigits[DIGITS[unit]] ?? 0;
    if (count >= most && count > 0) {
      best = unit;
      most = count;
    }
  }
  return best;
}

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;

/**
 * Parses an RFC 3339 time to nanoseconds. Returns undefined if the text is not a time, or the time does not fit 64 bits
 * (1677 to 2262). Further digits are cut off.
 */
export function parseRfc3339(text: string): bigint | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = match;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number);
  if (mo < 1 || mo > 12 || d < 1 || h > 23 || mi > 59 || s > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  if (date.getUTCMonth() !== mo - 1) return undefined; // 30 February
  date.setUTCHours(h, mi, s);
  const [oh, om] = [Number(offsetHour), Number(offsetMinute)];
  if (oh > 23 || om > 59) return undefined;
  const offset = (oh * 60 + om) * (sign === '-' ? -1 : 1);
  const time = BigInt(date.getTime() - offset * 60_000) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
  return BigInt.asIntN(64, time) === time ? time : undefined;
}
