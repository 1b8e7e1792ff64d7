const NANOSECONDS = 1_000_000_000n;

/** Formats nanoseconds since 1970 as ISO 8601 in UTC with nine digits, or as a number if Date cannot hold them. */
export function isoTime(nanoseconds: bigint): string {
  let seconds = nanoseconds / NANOSECONDS;
  let rest = nanoseconds % NANOSECONDS;
  if (rest < 0n) {
    seconds -= 1n;
    rest += NANOSECONDS;
  }
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return `${nanoseconds} ns`;
  return date.toISOString().replace(/\.\d{3}Z$/, `.${String(rest).padStart(9, '0')}Z`);
}

/** Formats nanoseconds since 1970 as ISO 8601 in UTC, to the millisecond. */
export function isoMilliseconds(nanoseconds: bigint): string {
  const date = new Date(Number(nanoseconds / 1_000_000n));
  return Number.isNaN(date.getTime()) ? `${nanoseconds} ns` : date.toISOString();
}
