import { nameTemplate } from '../../../features/name-template.js';
import { ENTITY_TYPES } from '../../../ingest/event.js';
import type { Novelty } from '../novelty/novelty.js';
import { type Activity, placeOf } from '../trees/activity.js';
import { isPackageManager, isTemporaryPlace } from './package-managers.js';

const MOST_STEPS = 100;
const FILE = ENTITY_TYPES.indexOf('file');

/** The runs of package managers in an activity, and what they brought. Processes have the catalogue's numbers. */
export interface SoftwareChanges {
  /** The processes of package managers that no other one started. */
  readonly runs: readonly number[];
  /** The run that a process belongs to: the package manager or a process that it started, directly or not. */
  readonly runOf: ReadonlyMap<number, number>;
  /** New programs that a run installed. */
  readonly installed: ReadonlyMap<number, number>;
  /** Processes that ran a new script which a run installed. Their program is the interpreter. */
  readonly scripts: ReadonlyMap<number, number>;
  /** Templates of the files that runs wrote. */
  readonly files: ReadonlyMap<string, number>;
}

/**
 * Finds the runs of package managers. A process from a temporary directory, or that does something which software never
 * does while it is installed, is not part of a run, and neither is what it starts.
 */
export function findSoftwareChanges(
  novelty: Novelty,
  isTelling: (process: number) => boolean,
): SoftwareChanges {
  const { activity } = novelty;
  const managers = findManagers(activity);
  const runOf = new Map<number, number>();
  if (managers.size > 0) {
    const outside = findOutside(activity, managers, isTelling);
    for (const process of new Set(activity.actors.firsts)) {
      const run = topManager(process, activity, managers, outside);
      if (run !== undefined) runOf.set(process, run);
    }
  }
  const runs = [...new Set(runOf.values())];
  return { runs, runOf, ...findInstalled(novelty, runOf) };
}

function findManagers({ actors, catalogue }: Activity): Set<number> {
  const programs = new Map<number, boolean>();
  const found = new Set<number>();
  actors.firsts.forEach((process, actor) => {
    const program = actors.secondAt(actor);
    const known = programs.get(program) ?? isPackageManager(catalogue.programName(program));
    programs.set(program, known);
    if (known) found.add(process);
  });
  return found;
}

/** Processes that cannot be part of a run. */
function findOutside(
  { actors, catalogue, ran }: Activity,
  managers: ReadonlySet<number>,
  isTelling: (process: number) => boolean,
): Set<number> {
  const outside = new Set<number>();
  const see = (process: number, path: string) => {
    const place = placeOf(path);
    if (place !== undefined && isTemporaryPlace(place)) outside.add(process);
  };
  actors.firsts.forEach((process, actor) => {
    see(process, catalogue.programName(actors.secondAt(actor)));
    // A package manager itself may download from a new mirror.
    if (!managers.has(process) && isTelling(process)) outside.add(process);
  });
  for (const { process, file } of ran) see(process, catalogue.nameAt(file));
  return outside;
}

/** The package manager above a process that no other one started. */
function topManager(
  process: number,
  { parents, exits, catalogue }: Activity,
  managers: ReadonlySet<number>,
  outside: ReadonlySet<number>,
): number | undefined {
  let top: number | undefined;
  let at = process;
  for (let step = 0; step < MOST_STEPS; step++) {
    if (outside.has(at)) return undefined;
    if (managers.has(at)) {
      const ended = exits.get(at);
      if (at === process || ended === undefined || catalogue.begun(process) <= ended) top = at;
    }
    const parent = parents.get(at);
    if (parent === undefined || parent === at) break;
    at = parent;
  }
  return top;
}

/** The files that runs wrote, and the new programs among them. */
function findInstalled(
  novelty: Novelty,
  runOf: ReadonlyMap<number, number>,
): Pick<SoftwareChanges, 'files' | 'installed' | 'scripts'> {
  const files = new Map<string, number>();
  const installed = new Map<number, number>();
  const scripts = new Map<number, number>();
  if (runOf.size === 0) return { files, installed, scripts };
  const { wrote, ran, actors, catalogue } = novelty.activity;
  const rows = new Map<number, { run: number; row: number }>();
  for (const file of wrote.files()) {
    const path = catalogue.nameAt(file);
    const place = placeOf(path);
    if (place === undefined || isTemporaryPlace(place)) continue;
    wrote.eachOf(file, (writer, row) => {
      const run = runOf.get(writer);
      if (run === undefined || rows.has(file)) return;
      rows.set(file, { run, row });
      files.set(nameTemplate(path), run);
    });
  }
  const programsOf = new Map<number, number[]>();
  actors.firsts.forEach((process, actor) => {
    const program = actors.secondAt(actor);
    const run = files.get(catalogue.programName(program));
    if (run !== undefined && !novelty.knows(program)) installed.set(program, run);
    programsOf.set(process, [...(programsOf.get(process) ?? []), program]);
  });
  for (const { process, file, row } of ran) {
    const written = rows.get(file);
    if (written === undefined || row < written.row) continue;
    const base = baseOf(catalogue.nameAt(file));
    for (const program of programsOf.get(process) ?? []) {
      if (!novelty.knows(program) && baseOf(catalogue.programName(program)) === base)
        installed.set(program, written.run);
    }
    if (isFirstRun(catalogue.nameAt(file), novelty)) scripts.set(process, written.run);
  }
  return { files, installed, scripts };
}

/** Whether no program executed a file of this name before. */
function isFirstRun(path: string, { hasKey, activity }: Novelty): boolean {
  const { catalogue } = activity;
  const acts = catalogue.behavioursOf(catalogue.act(catalogue.relation('exec'), FILE, catalogue.name(path)));
  return !Array.from(acts).some(
    (act) => catalogue.describe(act)[0] === 'name' && hasKey(catalogue.behaviourKey(act)),
  );
}

function baseOf(path: string): string {
  const template = nameTemplate(path);
  return template.slice(template.lastIndexOf('/') + 1);
}
