import { nameTemplate } from '../../features/name-template.js';
import type { LoadedEvents } from '../../store/load.js';
import { type FoldedFloods, foldFloods } from '../alerts/floods.js';
import type { EpisodeIncident, JudgedEpisodes } from './episode-detector.js';
import type { Novelty } from './novelty/novelty.js';
import type { RaisedIncidents } from './raise-incidents.js';

/** More incidents of one kind than this are a flood. */
const MOST_OF_KIND = 12;

/**
 * What an incident looks like: its host, the program of its root, and what is new in it and how much. Names of new
 * programs do not count: an intruder can choose as many as they like.
 */
function episodeKind(
  { episodes: [highest] }: EpisodeIncident,
  novelty: Novelty,
  hostOf: (process: number) => string,
): string {
  const { catalogue, parents, lastPrograms } = novelty.activity;
  const nameOf = (program: number | undefined) => {
    if (program === undefined) return null;
    return novelty.knows(program) ? nameTemplate(catalogue.programName(program)) : 'a new program';
  };
  const parent = parents.get(highest.root);
  return JSON.stringify([
    hostOf(highest.processes[0]),
    nameOf(highest.program),
    nameOf(parent === undefined ? undefined : lastPrograms.get(parent)),
    highest.newPrograms.length > 0,
    highest.newPlaces.length > 0,
    Array.from(highest.surprises, Math.round),
  ]);
}

/** Folds incidents of which there are too many of a kind. */
export function withoutFloods(
  { incidents, novelty }: JudgedEpisodes,
  events: LoadedEvents,
): FoldedFloods<EpisodeIncident> {
  const { nodes } = novelty.activity;
  const hostOf = (process: number) => events.hosts[events.keys.hostAt(nodes.get(process) as number)];
  const kindOf = (incident: EpisodeIncident) => episodeKind(incident, novelty, hostOf);
  return foldFloods(incidents, kindOf, { most: MOST_OF_KIND, fold: joinIncidents });
}

/** One incident that stands for many of a kind. The first scores highest. */
function joinIncidents(folded: readonly EpisodeIncident[]): EpisodeIncident {
  return { ...folded[0], episodes: folded.flatMap(({ episodes }) => episodes) };
}

/** Raises incidents. Floods are raised beside the others, not instead of them. */
export function raiseBesideFloods<Incident extends { readonly score: number }>(
  ranked: readonly Incident[],
  loud: ReadonlySet<Incident>,
  raise: (incidents: readonly Incident[]) => RaisedIncidents<Incident>,
): RaisedIncidents<Incident> {
  const raised = raise(ranked.filter((incident) => !loud.has(incident)));
  const quiet = new Set(raised.incidents);
  const isRaised = (incident: Incident) =>
    quiet.has(incident) || (loud.has(incident) && incident.score >= raised.tau);
  return { ...raised, incidents: ranked.filter(isRaised) };
}
