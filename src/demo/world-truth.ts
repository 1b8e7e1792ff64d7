import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Incident } from '../detect/alerts/alert.js';
import type { ScenarioManifest } from '../simulate/manifest.js';

/** Who is who in a simulated world. The detector never sees this. */
export interface WorldTruth {
  /** What the intruder made or controlled, and the attack, by identifier. */
  readonly core: ReadonlyMap<string, string>;
  /** What was there before and the attack used. */
  readonly touched: ReadonlyMap<string, string>;
  /** Flows of an attack's port scan: many, and no more telling than one. */
  readonly scan: ReadonlySet<string>;
  /** Harmless work that nobody had done before. */
  readonly unusual: ReadonlyMap<string, string>;
}

/** What an incident really is. */
export interface IncidentTruth {
  readonly rank: number;
  /** Distinct entities with an alert. */
  readonly entities: number;
  /** How many of them an intruder made or controlled, by attack. */
  readonly attacks: Readonly<Record<string, number>>;
  readonly touched: number;
  readonly scan: number;
  /** How many belong to harmless work that training never saw, by what it was. */
  readonly unusual: Readonly<Record<string, number>>;
}

/** How an attack fared. */
export interface AttackTruth {
  readonly attack: string;
  readonly from: string;
  readonly until: string;
  /** Entities that the intruder made or controlled, and those of them with an alert. */
  readonly core: number;
  readonly found: number;
  /** Of the first incident that holds one of them; null where none does. */
  readonly rank: number | null;
}

/** Reads the labels that the simulator wrote beside its logs. */
export async function readWorldTruth(folder: string): Promise<WorldTruth> {
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
  { rank, alerts }: Incident,
  { core, touched, scan, unusual }: WorldTruth,
): IncidentTruth {
  const ids = new Set(alerts.map(({ entity }) => entity.id));
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
  { core }: WorldTruth,
): AttackTruth[] {
  return hosts.flatMap(({ attacks }) =>
    attacks.map(({ id, from, until }) => {
      const own = new Set([...core].flatMap(([entity, attack]) => (attack === id ? [entity] : [])));
      const found = new Set<string>();
      let rank: number | null = null;
      for (const incident of incidents) {
        for (const { entity } of incident.alerts) {
          if (!own.has(entity.id)) continue;
          found.add(entity.id);
          rank ??= incident.rank;
        }
      }
      return { attack: id, from, until, rank, core: own.size, found: found.size };
    }),
  );
}

/** Rows of a CSV file of the simulator's, by heading. Names may hold commas and quotes; line ends they hold none. */
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
