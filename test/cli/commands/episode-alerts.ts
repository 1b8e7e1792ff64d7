import { join } from 'node:path';
import type { Incident } from '../../../src/detect/alerts/alert.js';
import { stableId } from '../../../src/detect/alerts/alert.js';
import { writeAlertFiles } from '../../../src/report/detection/alert-files.js';
import { HOSTILE, MODEL, makeSmallAlerts, type SmallAlerts } from '../../detect/alerts/small-alerts.js';
import { sharedFolder } from '../../folders.js';
import { runHere } from '../run-here.js';

/** Changes to the incident of a folder. */
export interface IncidentChanges {
  readonly name: string;
  readonly host?: string;
  readonly severity?: Incident['severity'];
  /** Novelty and learned scores give 10 of it. */
  readonly score?: number;
  readonly keys?: readonly string[];
  readonly days?: readonly string[];
  readonly newAddress?: boolean;
  readonly sure?: NonNullable<Incident['episode']>['sure'];
}

const place = sharedFolder();
let made: Promise<SmallAlerts> | undefined;
/** Incidents and alerts with hostile names, made once. */
function small(): Promise<SmallAlerts> {
  made ??= makeSmallAlerts(place, { nginx: HOSTILE.formula, shell: HOSTILE.terminal });
  return made;
}

export const keyOf = (text: string) => stableId('key', text);

/** Writes an alerts folder with one incident for each change, below hostile names. */
export async function writeEpisodeAlerts(
  folder: string,
  changes: readonly IncidentChanges[],
  { name = 'alerts', store = null }: { name?: string; store?: string | null } = {},
): Promise<{ alerts: string; incidents: Incident[] }> {
  const made = await small();
  const [first] = made.incidents;
  const incidents = changes.map(
    ({ name: which, host = 'web1', severity = 'high', score = 10, ...rest }, i): Incident => ({
      ...first,
      id: stableId('incident', which),
      rank: i + 1,
      host,
      severity,
      score,
      root: { id: which, type: 'process', name: `/opt/${which}` },
      sentence: `\`/opt/${which}\` ran ${HOSTILE.terminal}`,
      episode: {
        count: 1,
        novelty: 5,
        learned: 5,
        falsePerDay: 1,
        sure: rest.sure ?? 'resolved',
        change: null,
        acts: [],
        processes: [],
        processCount: 3,
        behaviours: {
          keys: [...(rest.keys ?? [keyOf(which)])],
          keyCount: rest.keys?.length ?? 1,
          trees: [{ root: keyOf('root'), programs: [keyOf('root')], learned: 5 }],
          newAddress: rest.newAddress ?? false,
          days: [...(rest.days ?? ['2026-11-16'])],
        },
      },
    }),
  );
  const alerts = join(folder, name);
  await writeAlertFiles(alerts, {
    alerts: made.alerts,
    incidents,
    run: {
      model: MODEL,
      threshold: { value: 5, rule: 'top:10/day', note: null },
      selection: { split: null, host: null, from: null, to: null },
      store,
      hosts: ['web1'],
      counts: {},
    },
  });
  return { alerts, incidents };
}

/** Runs a command line in this process. */
export const here = (words: readonly string[]) => runHere(words, { cwd: place, env: { LANG: 'C.UTF-8' } });
