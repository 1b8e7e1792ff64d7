import type { LoadedEvents } from '../../../store/load.js';

const DAY = 86_400_000_000_000;

/** The sum over hosts of the days from the first event to the last. */
export function hostDaysOf({ table, keys, hosts }: LoadedEvents): number {
  const first: (bigint | undefined)[] = hosts.map(() => undefined);
  const last = [...first];
  for (let row = 0; row < table.length; row++) {
    const node = Math.max(table.subject[row], table.object[row], table.object2[row]);
    const host = node < 0 ? 0 : keys.hostAt(node);
    first[host] ??= table.ts[row];
    last[host] = table.ts[row];
  }
  return first.reduce<number>(
    (sum, start, host) => sum + (start === undefined ? 0 : Number((last[host] as bigint) - start) / DAY),
    0,
  );
}
