import type { Incident } from '../detect/alerts/alert.js';

/** Incidents are the same change if this share of their keys is common. */
const ALIKE = 0.5;

/**
 * The incidents whose behaviours were seen on at least `least` days or hosts. Leaves out incidents that contacted an
 * address which was never used before, because an implant contacts its address every day.
 */
export function findAged(incidents: readonly Incident[], least: number): Incident[] {
  const groups: { keys: Set<string>; days: Set<string>; hosts: Set<string>; members: Incident[] }[] = [];
  for (const incident of incidents) {
    const { episode, host } = incident;
    if (episode === null || episode.behaviours.newAddress || episode.behaviours.keys.length === 0) continue;
    const { keys, days } = episode.behaviours;
    const group = groups.find((each) => areAlike(each.keys, keys));
    if (group === undefined) {
      groups.push({
        keys: new Set(keys),
        days: new Set(days),
        hosts: new Set([host]),
        members: [incident],
      });
      continue;
    }
    for (const day of days) group.days.add(day);
    group.hosts.add(host);
    group.members.push(incident);
  }
  return groups
    .filter(({ days, hosts }) => days.size >= least || hosts.size >= least)
    .flatMap(({ members }) => members);
}

function areAlike(known: ReadonlySet<string>, keys: readonly string[]): boolean {
  const both = keys.filter((key) => known.has(key)).length;
  return both >= ALIKE * (known.size + keys.length - both);
}
