import type { Manifest } from '../../store/manifest.js';

/** The time of the last event of a store in milliseconds since 1970; undefined without events. */
export function latestEvent(manifest: Manifest | undefined): number | undefined {
  return latest((manifest?.segments ?? []).flatMap(({ lastTs }) => (lastTs === null ? [] : [lastTs])));
}

/** The latest of times in nanoseconds, in milliseconds. */
export function latest(times: readonly string[]): number | undefined {
  let found: bigint | undefined;
  for (const time of times.map(BigInt)) if (found === undefined || time > found) found = time;
  return found === undefined ? undefined : Number(found / 1_000_000n);
}
