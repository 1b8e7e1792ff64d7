import type { Attack } from './attacks/attack.js';
import type { FileCounts } from './audit/host-log.js';
import { offsetToIsoTime } from './calendar.js';
import type { LabelCollector } from './labels.js';
import type { Days, SimulationSettings } from './options.js';
import type { LogFile, Role } from './timeline.js';

export interface FileSummary extends FileCounts {
  name: string;
  role: Role;
  /** Planned span of the file, in ISO 8601. */
  from: string;
  until: string;
}

export interface AttackSummary {
  id: string;
  name: string;
  livingOffTheLand: boolean;
  from: string;
  until: string;
  events: number;
  scanFlows: number;
  droppedPrograms: string[];
  steps: string[];
}

export interface LabelSummary {
  core: number;
  touched: number;
  /** Touched entities that also occur before the test. */
  touchedSeenBefore: number;
  scan: number;
  /** Labelled entities that the log does not name, because its format cannot express them. Absent in CDM and NDJSON. */
  unseen?: number;
}

export interface HostSummary {
  name: string;
  uuid: string;
  directory: string;
  events: number;
  relations: Record<string, number>;
  /** Calls that the collector does not record, by call. Absent in CDM and NDJSON. */
  unrecorded?: Record<string, number>;
  processes: number;
  pidsReused: number;
  files: FileSummary[];
  attacks: AttackSummary[];
  labels: LabelSummary;
}

/** The content of `scenario.json`: the options to repeat the simulation, and counts to check a reader against. */
export interface ScenarioManifest {
  version: 1;
  scenario: string;
  seed: number;
  eventsAsked: number;
  events: number;
  stealth: number;
  format: string;
  layout: string;
  /** These four are absent at their defaults. */
  attacks?: string;
  unusual?: string;
  drift?: number;
  days?: Days;
  hosts: HostSummary[];
}

export function makeManifest(settings: SimulationSettings, hosts: HostSummary[]): ScenarioManifest {
  return {
    version: 1,
    scenario: settings.scenario,
    seed: settings.seed,
    eventsAsked: settings.events * settings.hosts,
    events: hosts.reduce((sum, host) => sum + host.events, 0),
    stealth: settings.stealth,
    format: settings.format,
    layout: settings.layout,
    ...(settings.attacks === 'test' ? {} : { attacks: settings.attacks }),
    ...(settings.unusual === 'test' ? {} : { unusual: settings.unusual }),
    ...(settings.drift === 0 ? {} : { drift: settings.drift }),
    ...(settings.days === undefined ? {} : { days: settings.days }),
    hosts,
  };
}

export function summariseFiles(
  files: readonly LogFile[],
  counts: readonly (FileCounts | undefined)[],
  startSeconds: number,
): FileSummary[] {
  return files.flatMap((file, index) => {
    const own = counts[index];
    if (!own) return [];
    return [
      {
        name: file.name,
        role: file.role,
        from: offsetToIsoTime(startSeconds, file.from),
        until: offsetToIsoTime(startSeconds, file.until),
        ...own,
        relations: sortCounts(own.relations),
        records: sortCounts(own.records),
        ...(own.unrecorded === undefined ? {} : { unrecorded: sortCounts(own.unrecorded) }),
      },
    ];
  });
}

export function totalCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
  }
  return sortCounts(total);
}

export function summariseAttack(attack: Attack, startSeconds: number): AttackSummary {
  return {
    id: attack.id,
    name: attack.plan.name,
    livingOffTheLand: attack.plan.livingOffTheLand === true,
    from: offsetToIsoTime(startSeconds, attack.first),
    until: offsetToIsoTime(startSeconds, attack.last),
    events: attack.events,
    scanFlows: attack.scanFlows,
    droppedPrograms: attack.droppedPrograms,
    steps: attack.journal,
  };
}

export function summariseLabels(collector: LabelCollector, files: readonly LogFile[]): LabelSummary {
  const labels = collector.seen;
  const touched = labels.filter((label) => label.tier === 'touched');
  return {
    core: labels.length - touched.length,
    touched: touched.length,
    touchedSeenBefore: touched.filter((label) => files[label.entity.firstSeenIn]?.role !== 'test').length,
    scan: collector.scanFlows,
    ...(collector.hasNaturalKeys ? { unseen: collector.unseen } : {}),
  };
}

/** Largest first, ties by name. */
function sortCounts(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).sort(
      ([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0),
    ),
  );
}
