import type { Attack } from './attacks/attack.js';
import type { FileCounts } from './audit/recorder.js';
import type { Label } from './labels.js';
import type { Days, Settings } from './options.js';
import type { LogFile, Role } from './timeline.js';

export interface FileSummary extends FileCounts {
  name: string;
  role: Role;
  /** ISO 8601 with the span the file was planned for. */
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
  /** Touched entities that occur before the test: they were part of the host all along. */
  touchedSeenBefore: number;
  scan: number;
}

export interface HostSummary {
  name: string;
  uuid: string;
  directory: string;
  events: number;
  relations: Record<string, number>;
  processes: number;
  pidsReused: number;
  files: FileSummary[];
  attacks: AttackSummary[];
  labels: LabelSummary;
}

/** What `scenario.json` holds: enough to make the same world again, and to check that a reader saw all of it. */
export interface ScenarioManifest {
  version: 1;
  scenario: string;
  seed: number;
  eventsAsked: number;
  events: number;
  stealth: number;
  format: string;
  layout: string;
  /** These four only where they were asked for. */
  attacks?: string;
  unusual?: string;
  drift?: number;
  days?: Days;
  hosts: HostSummary[];
}

export function manifestOf(settings: Settings, hosts: HostSummary[]): ScenarioManifest {
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

/** Offsets become ISO 8601 text, to the microsecond: more digits than a double of milliseconds could keep. */
export function offsetToIsoTime(startSeconds: number, at: number): string {
  const seconds = Math.floor(at / 1e9);
  const micros = Math.floor((at - seconds * 1e9) / 1e3);
  const date = new Date((startSeconds + seconds) * 1000).toISOString().slice(0, 19);
  return `${date}.${String(1e6 + micros).slice(1)}Z`;
}

export function summariseFiles(
  files: readonly LogFile[],
  counts: readonly (FileCounts | undefined)[],
  startSeconds: number,
): FileSummary[] {
  return files.flatMap((file, index) => {
    const held = counts[index];
    if (!held) return [];
    return [
      {
        name: file.name,
        role: file.role,
        from: offsetToIsoTime(startSeconds, file.from),
        until: offsetToIsoTime(startSeconds, file.until),
        ...held,
        relations: sorted(held.relations),
        records: sorted(held.records),
      },
    ];
  });
}

export function totalRelations(files: readonly FileSummary[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const { relations } of files) {
    for (const [name, count] of Object.entries(relations)) total[name] = (total[name] ?? 0) + count;
  }
  return sorted(total);
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

export function summariseLabels(
  labels: readonly Label[],
  scanFlows: number,
  files: readonly LogFile[],
): LabelSummary {
  const touched = labels.filter((label) => label.tier === 'touched');
  return {
    core: labels.length - touched.length,
    touched: touched.length,
    touchedSeenBefore: touched.filter((label) => files[label.entity.firstSeenIn]?.role !== 'test').length,
    scan: scanFlows,
  };
}

/** Largest first; ties by name, so that the order never depends on which came up first. */
function sorted(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).sort(
      ([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : nameA > nameB ? 1 : 0),
    ),
  );
}
