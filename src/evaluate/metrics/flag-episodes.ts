import { raiseBesideFloods } from '../../detect/episodes/fold-floods.js';
import { raiseIncidents } from '../../detect/episodes/raise-incidents.js';
import { hostDaysOf } from '../../detect/episodes/trees/host-days.js';
import { formatThreshold, type ThresholdSpec } from '../../detect/threshold/threshold.js';
import type { LoadedEvents } from '../../store/load.js';
import type { JudgedRun } from '../protocol/judged-run.js';
import type { Flagged } from './flagging.js';

/** Flags the processes of the incidents that `recal detect` raises, through the same functions. */
export function flagEpisodes(
  spec: Exclude<ThresholdSpec, { kind: 'oracle' }>,
  { incidents, loud, benign }: JudgedRun,
  events: LoadedEvents,
): Flagged {
  const hostDays = hostDaysOf(events);
  const raised = raiseBesideFloods(incidents, loud, (quiet) =>
    raiseIncidents(spec, quiet, { benign, hostDays }),
  );
  const nodes = new Uint8Array(events.keys.size);
  const members = raised.incidents.map(({ episodes }) => ({
    nodes: [...new Set(episodes.flatMap(({ processes }) => Array.from(processes)))],
  }));
  for (const incident of members) for (const node of incident.nodes) nodes[node] = 1;
  const asked = formatThreshold(spec);
  const { status } = raised.threshold;
  const mark = status === 'resolved' ? null : status;
  const value = raised.tau === Number.MAX_VALUE ? null : raised.tau;
  return {
    nodes,
    incidents: members,
    threshold: { kind: spec.kind, asked, value, oracle: false, mark },
    note: raised.note === null ? null : `${asked}: ${raised.note}`,
  };
}
