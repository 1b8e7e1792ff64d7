/**
 * False discovery rate by Benjamini and Hochberg, over all scored nodes of a host and a day (method §9). It is nominal:
 * nodes that share neighbours and load have dependent p-values, and test data are not exchangeable with calibration data.
 */

/** One row per scored node and day. Nodes that score 0 have p = 1. */
export interface DailyP {
  readonly hosts: ArrayLike<number>;
  /** Days since a fixed day. */
  readonly days: ArrayLike<number>;
  readonly p: ArrayLike<number>;
}

export interface DayDiscoveries {
  readonly host: number;
  readonly day: number;
  /** Scored nodes. */
  readonly nodes: number;
  readonly alarms: number;
  /** Nodes with at most this p alarm; 0 if none does. */
  readonly level: number;
  /** How many nodes must have the smallest possible p before any alarms. If it is above `nodes`, none can. */
  readonly needed: number;
}

export interface Discoveries {
  /** By row: 1 for an alarm. */
  readonly alarms: Uint8Array;
  /** By host, then day. */
  readonly days: readonly DayDiscoveries[];
}

export interface FdrOptions {
  /** q, the share of false alarms among alarms. */
  readonly level: number;
  /** The smallest possible p: 1 / (|B| + 1). */
  readonly floor: number;
}

export function discoverByDay({ hosts, days, p }: DailyP, { level, floor }: FdrOptions): Discoveries {
  if (!(level > 0 && level < 1))
    throw new RangeError(`the false discovery rate ${level} is not between 0 and 1`);
  const order = Uint32Array.from({ length: p.length }, (_, i) => i).sort(
    (a, b) => hosts[a] - hosts[b] || days[a] - days[b] || p[a] - p[b] || a - b,
  );
  const alarms = new Uint8Array(p.length);
  const found: DayDiscoveries[] = [];
  for (let start = 0; start < order.length; ) {
    const [host, day] = [hosts[order[start]], days[order[start]]];
    let end = start;
    while (end < order.length && hosts[order[end]] === host && days[order[end]] === day) end++;
    const rows = order.subarray(start, end);
    const count = countDiscoveries(rows, p, level);
    for (const row of rows.subarray(0, count)) alarms[row] = 1;

    found.push({
      host,
      day,
      nodes: rows.length,
      alarms: count,
      level: count === 0 ? 0 : p[rows[count - 1]],
      needed: neededAtFloor(rows.length, floor, level),
    });
    start = end;
  }
  return { alarms, days: found };
}

/** The largest j whose j-th smallest p is at most j·q/m; `rows` ascend by p. */
function countDiscoveries(rows: Uint32Array, p: ArrayLike<number>, level: number): number {
  for (let j = rows.length; j > 0; j--) if (p[rows[j - 1]] <= (j * level) / rows.length) return j;
  return 0;
}

/** How many of m nodes must have the smallest possible p before one alarms: the least j with floor ≤ j·q/m. */
function neededAtFloor(nodes: number, floor: number, level: number): number {
  let j = Math.max(1, Math.floor((nodes * floor) / level) - 1);
  while (floor > (j * level) / nodes) j++;
  return j;
}
