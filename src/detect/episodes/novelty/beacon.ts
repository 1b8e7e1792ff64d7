import type { ScoredEpisode } from '../score-episodes.js';
import { addressKey } from '../trees/activity.js';
import type { Novelty } from './novelty.js';
import { FEWEST_CONTACTS, rhythmSurprise } from './rhythm.js';

/** The rhythm of the episodes that contact a remote address which no one used before. */
export function beaconSurprise(episodes: readonly ScoredEpisode[], { activity, hasKey }: Novelty): number {
  if (episodes.length < FEWEST_CONTACTS) return 0;
  const rootOf = new Map(
    episodes.flatMap(({ root, processes }) => processes.map((process) => [process, root])),
  );
  let most = 0;
  for (const [address, users] of activity.addresses) {
    const roots = new Set([...users.keys()].flatMap((process) => rootOf.get(process) ?? []));
    if (roots.size < FEWEST_CONTACTS || hasKey(addressKey(address))) continue;
    most = Math.max(most, rhythmSurprise([...roots].map((root) => activity.catalogue.begun(root))));
  }
  return most;
}
