import type { HostPart } from '../manifest.js';
import { groupHosts } from '../segments/group-hosts.js';
import type { SegmentPart } from '../segments/segment-parts.js';

/**
 * Divides parts into those of each new segment: first those of one host, ordered by kind, host and day, then those that
 * hosts share, ordered by kind and day.
 */
export function regroupParts(parts: readonly SegmentPart[]): SegmentPart[][] {
  const own = new Map<string, SegmentPart[]>();
  const shared: SegmentPart[][] = [];
  const days = byKey(parts, ({ kind, day }) => JSON.stringify([kind, day]));
  for (const [, ofDay] of [...days].sort(byName)) {
    const hosts = byKey(ofDay, ({ host }) => host);
    for (const group of groupHosts(mergeHosts(ofDay))) {
      const chosen = group.flatMap(({ host }) => hosts.get(host) ?? []);
      const [{ kind, host, day }] = chosen;
      if (group.length > 1) shared.push(chosen);
      else own.set(JSON.stringify([kind, host, day]), chosen);
    }
  }
  return [...[...own].sort(byName).map(([, chosen]) => chosen), ...shared];
}

/** The rows of each host in several parts together. */
export function mergeHosts(parts: readonly SegmentPart[]): HostPart[] {
  return [...byKey(parts, ({ host }) => host)].map(([host, own]) => {
    const times = own.flatMap(({ firstTs, lastTs }) => [firstTs, lastTs].map((time) => BigInt(time ?? 0)));
    const sorted = BigInt64Array.from(times).sort();
    return {
      host,
      rows: own.reduce((sum, { rows }) => sum + rows, 0),
      firstTs: String(sorted[0]),
      lastTs: String(sorted[sorted.length - 1]),
    };
  });
}

function byKey<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
