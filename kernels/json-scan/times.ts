// Reads the times of records: `2024-10-18T22:12:37.123Z`, which a reader would otherwise parse as text in every record.

import { SLOT_START, SLOT_STOP, SLOT_TAG, SLOT_WORDS, slotAt, TAG_STRING } from './row';

/** What `readTime` found: another form, which the host reads by itself, or a time with or without `Z`. */
const OTHER: i32 = 0;
const UTC: i32 = 1;
const NO_ZONE: i32 = 2;

/** The length of `2024-10-18T22:12:37`. */
const SECONDS_LENGTH: usize = 19;
const SECOND: i64 = 1_000_000_000;
/** The years whose times certainly fit 64 bits of nanoseconds. */
const FIRST_YEAR: u32 = 1700;
const LAST_YEAR: u32 = 2200;
/** A value above every digit. */
const NO_NUMBER: u32 = 1000;

/** Puts the nanoseconds since 1970 of the time in a slot into the words of the slot. */
export function readTime(number: i32): i32 {
  const slot = slotAt(number);
  if (load<u32>(slot, SLOT_TAG) != TAG_STRING) return OTHER;
  const start = load<u32>(slot, SLOT_START) as usize;
  const stop = load<u32>(slot, SLOT_STOP) as usize;
  if (stop - start < SECONDS_LENGTH) return OTHER;
  const between = load<u8>(start, 10);
  const marks =
    (load<u8>(start, 4) ^ 0x2d) | (load<u8>(start, 7) ^ 0x2d) | (load<u8>(start, 13) ^ 0x3a) | (load<u8>(start, 16) ^ 0x3a);
  if (marks != 0 || (between != 0x54 && between != 0x20)) return OTHER;
  const year = pair(start) * 100 + pair(start + 2);
  const month = pair(start + 5);
  const day = pair(start + 8);
  const hour = pair(start + 11);
  const minute = pair(start + 14);
  const second = pair(start + 17);
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12) return OTHER;
  if (day < 1 || day > daysOf(year, month) || hour > 23 || minute > 59 || second > 59) return OTHER;
  let p = start + SECONDS_LENGTH;
  let fraction: u32 = 0;
  if (p < stop && load<u8>(p) == 0x2e) {
    const first = ++p;
    while (p < stop && p < first + 9) {
      const digit = (load<u8>(p) as u32) - 0x30;
      if (digit > 9) break;
      fraction = fraction * 10 + digit;
      p++;
    }
    if (p == first) return OTHER;
    for (let digits = p - first; digits < 9; digits++) fraction *= 10;
  }
  const isUtc = p + 1 == stop && load<u8>(p) == 0x5a;
  if (!isUtc && p != stop) return OTHER;
  const seconds = (daysBefore(year, month) + (day as i64) - 1) * 86_400 + (((hour * 60 + minute) * 60 + second) as i64);
  store<i64>(slot, seconds * SECOND + (fraction as i64), SLOT_WORDS);
  return isUtc ? UTC : NO_ZONE;
}

/** The number that two digits form, or one that is too large for every part of a time. */
// @ts-ignore: decorator
@inline
function pair(p: usize): u32 {
  const tens = (load<u8>(p) as u32) - 0x30;
  const ones = (load<u8>(p, 1) as u32) - 0x30;
  return tens > 9 || ones > 9 ? NO_NUMBER * 100 : tens * 10 + ones;
}

function daysOf(year: u32, month: u32): u32 {
  if (month == 2) return isLeap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// @ts-ignore: decorator
@inline
function isLeap(year: u32): bool {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/** The days from 1970 to the first of a month. */
function daysBefore(year: u32, month: u32): i64 {
  // Years that start in March have their leap day at the end, and months of 153 days in five.
  const y = (month > 2 ? year : year - 1) as i64;
  const m = (month > 2 ? month - 3 : month + 9) as i64;
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 - 719_468;
}
