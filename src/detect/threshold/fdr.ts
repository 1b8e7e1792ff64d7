/**
 * False discovery rate by Benjamini and Hochberg, over all scored nodes of a host and a closed day (method §9). It is
 * nominal: p-values of nodes that share neighbours and load depend on each other, and test is not exchangeable with
 * what was calibrated on.
 */

/** One row a scored node, host and day, also for nodes that score nothing: they count as p = 1. */
export interface DailyP {
  readonly hosts: ArrayLike<number>;
  /** Whole days since any fixed one. */
  readonly days: ArrayLike<number>;
  readonly p: ArrayLike<number>;
}

export interface DayDiscoveries {
  readonly host: number;
  readonly day: number;
  /** Nodes scored. */
  readonly nodes: number;
  readonly alarms: number;
  /** Nodes alarm at this p and below; 0 where none does. */
  readonly level: number;
  /** Nodes whose p is as small as p can get. */
  readonly atFloor: number;
  /** How many must be, before any can alarm; more than `nodes`: none ever can. */
  readonly needed: number;
}

export interface Discoveries {
  /** 1 by row where it alarms. */
  readonly alarms: Uint8Array;
  /** By host, then day. */
  readonly days: readonly DayDiscoveries[];
  /** Rows of days that are not over yet: nothing is said of them. */
  readonly pending: number;
}

export interface FdrOptions {
  /** q, the share of false alarms among alarms. */
  readonly level: number;
  /** The smallest p there can be: 1 / (|B| + 1). */
  readonly floor: number;
  /** Days before this one are closed. */
  readonly openDay: number;
}

export function discoverByDay(
  { hosts, days, p }: DailyP,
  { level, floor, openDay }: FdrOptions,
): Discoveries {
  if (!(level > 0 && level < 1)) throw new RangeError(`a false discovery rate of ${level}`);
  const order = Uint32Array.from({ length: p.length }, (_, i) => i)
    .filter((i) => days[i] < openDay)
    .sort((a, b) => hosts[a] - hosts[b] || days[a] - days[b] || p[a] - p[b] || a - b);
  const alarms = new Uint8Array(p.length);
  const found: DayDiscoveries[] = [];
  for (let start = 0; start < order.length; ) {
    const [host, day] = [hosts[order[start]], days[order[start]]];
    let end = start;
    while (end < order.length && hosts[order[end]] === host && days[order[end]] === day) end++;
    const rows = order.subarray(start, end);
    const count = countDiscoveries(rows, p, level);
    for (const row of rows.subarray(0, count)) alarms[row] = 1;
    let atFloor = 0;
    while (atFloor < rows.length && p[rows[atFloor]] <= floor) atFloor++;
    found.push({
      host,
      day,
      nodes: rows.length,
      alarms: count,
      atFloor,
      level: count === 0 ? 0 : p[rows[count - 1]],
      needed: neededAtFloor(rows.length, floor, level),
    });
    start = end;
  }
  return { alarms, days: found, pending: p.length - order.length };
}

/** The largest j whose j-th smallest p is at most j·q/m; `rows` ascend by p. */
function countDiscoveries(rows: Uint32Array, p: ArrayLike<number>, level: number): number {
  for (let j = rows.length; j > 0; j--) if (p[rows[j - 1]] <= (j * level) / rows.length) return j;
  return 0;
}

/** How many of m nodes must have the smallest p there is before one of them alarms: the least j with floor ≤ j·q/m. */
export function neededAtFloor(nodes: number, floor: number, level: number): number {
  let j = Math.max(1, Math.floor((nodes * floor) / level) - 1);
  while (floor > (j * level) / nodes) j++;
  return j;
}
