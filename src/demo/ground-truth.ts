import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Incident } from '../detect/alerts/alert.js';
import type { ScenarioManifest } from '../simulate/manifest.js';

/** The labels of a simulation. The detector never reads them. */
export interface GroundTruth {
  /** Entities that the attacker created or controlled: the attack by id. */
  readonly core: ReadonlyMap<string, string>;
  /** Entities that existed before and that the attack used: the attack by id. */
  readonly touched: ReadonlyMap<string, string>;
  /** Flows of port scans, listed separately because there are thousands. */
  readonly scan: ReadonlySet<string>;
  /** Entities of benign work that does not occur before the test: the activity by id. */
  readonly unusual: ReadonlyMap<string, string>;
}

/** The labels of the entities of an incident. */
export interface IncidentTruth {
  readonly rank: number;
  /** Distinct entities with an alert. */
  readonly entities: number;
  /** Number of core entities by attack. */
  readonly attacks: Readonly<Record<string, number>>;
  readonly touched: number;
  readonly scan: number;
  /** Number of entities of unusual benign work, by activity. */
  readonly unusual: Readonly<Record<string, number>>;
}

/** How much of an attack was found. */
export interface AttackTruth {
  readonly attack: string;
  readonly from: string;
  readonly until: string;
  /** Number of core entities. */
  readonly core: number;
  /** Number of core entities with an alert. */
  readonly found: number;
  /** Rank of the first incident with a core entity; null if there is none. */
  readonly rank: number | null;
}

/** Reads the label files of a simulation. */
export async function readGroundTruth(folder: string): Promise<GroundTruth> {
  const labels = await readRows(join(folder, 'labels.csv'));
  const tier = (wanted: string) =>
    new Map(labels.filter((row) => row.tier === wanted).map(({ uuid, attack }) => [uuid, attack]));
  const unusual = await readRows(join(folder, 'unusual.csv'));
  const known = new Set(labels.map(({ uuid }) => uuid));
  const all = (await readFile(join(folder, 'labels.scan.txt'), 'utf8')).split('\n');
  return {
    core: tier('core'),
    touched: tier('touched'),
    scan: new Set(all.filter((uuid) => uuid !== '' && !known.has(uuid))),
    unusual: new Map(unusual.map(({ uuid, activity }) => [uuid, activity])),
  };
}

export function judgeIncident(
  { rank, alerts, episode }: Incident,
  { core, touched, scan, unusual }: GroundTruth,
): IncidentTruth {
  const ids = new Set([...alerts, ...(episode?.processes ?? [])].map(({ entity }) => entity.id));
  const count = (names: ReadonlyMap<string, string>): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const id of ids) {
      const name = names.get(id);
      if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
  return {
    rank,
    entities: ids.size,
    attacks: count(core),
    unusual: count(unusual),
    touched: [...ids].filter((id) => touched.has(id)).length,
    scan: [...ids].filter((id) => scan.has(id)).length,
  };
}

export function judgeAttacks(
  { hosts }: ScenarioManifest,
  incidents: readonly Incident[],
  { core }: GroundTruth,
): AttackTruth[] {
  return hosts.flatMap(({ attacks }) =>
    attacks.map(({ id, from, until }) => {
      const own = new Set([...core].flatMap(([entity, attack]) => (attack === id ? [entity] : [])));
      const found = new Set<string>();
      let rank: number | null = null;
      for (const incident of incidents) {
        for (const { entity } of [...incident.alerts, ...(incident.episode?.processes ?? [])]) {
          if (!own.has(entity.id)) continue;
          found.add(entity.id);
          rank ??= incident.rank;
        }
      }
      return { attack: id, from, until, rank, core: own.size, found: found.size };
    }),
  );
}

/** The rows of a CSV file by heading. The simulator writes no line ends inside cells. */
async function readRows(path: string): Promise<Record<string, string>[]> {
  const [head, ...lines] = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const headings = splitRecord(head);
  return lines.map((line) => {
    const cells = splitRecord(line);
    return Object.fromEntries(headings.map((heading, i) => [heading, cells[i] ?? '']));
  });
}

function splitRecord(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  );
}
