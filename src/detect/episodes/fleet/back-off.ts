import type { HostCount } from './known-hosts.js';

/** A host is as likely to share what the fleet does as not, before any other host is seen (Jeffreys). */
const PRIOR = 0.5;
/** The fleet counts as much as this many hosts of the role. */
const FLEET_WEIGHT = 1;

/**
 * How surprising it is that a host does for the first time what other hosts do, as a share of the surprise of what no host
 * does: 1 if no host knows it, near 0 if all do. The chance is estimated from the hosts of its role, shrunk to the fleet.
 */
export function backOffWeight(knowing: HostCount, all: HostCount): number {
  if (knowing.fleet === 0 || all.fleet === 0) return 1;
  return Math.min(1, Math.log(chanceOf(knowing, all)) / Math.log(chanceOf({ role: 0, fleet: 0 }, all)));
}

function chanceOf(knowing: HostCount, all: HostCount): number {
  const fleet = (knowing.fleet + PRIOR) / (all.fleet + 2 * PRIOR);
  return (knowing.role + FLEET_WEIGHT * fleet) / (all.role + FLEET_WEIGHT);
}
