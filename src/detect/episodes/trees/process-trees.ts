import { GAP } from '../named-events.js';
import type { Novelty } from '../novelty/novelty.js';
import { joinSessions } from './sessions.js';

const MOST_STEPS = 100;
/** A server that runs this much longer than the process that started it is a service, in nanoseconds. */
const DETACHED = 60_000_000_000n;

/** Process trees by root. Members are in order of appearance. */
export type ProcessTrees = ReadonlyMap<number, readonly number[]>;

/** Cuts the processes of a part into trees below a session, a service or a job (docs/concepts/episodes.md). */
export function plantTrees(novelty: Novelty): ProcessTrees {
  const { actors, parents } = novelty.activity;
  const daemons = findDaemons(novelty);
  const isCut = cutter(novelty, daemons);
  const rootOf = (process: number): number => {
    let root = process;
    for (let step = 0; step < MOST_STEPS; step++) {
      const parent = parents.get(root);
      if (parent === undefined || parent === root || isCut(root, parent)) return root;
      root = parent;
    }
    return root;
  };
  const trees = new Map<number, number[]>();
  const processes = [...new Set(actors.firsts)];
  const sessionOf = joinSessions(processes, { activity: novelty.activity, daemons, rootOf });
  for (const process of processes) {
    const root = sessionOf(rootOf(process));
    const members = trees.get(root);
    if (members === undefined) trees.set(root, [process]);
    else members.push(process);
  }
  return trees;
}

/** Decides whether a process starts a tree of its own, apart from its parent. */
function cutter(
  novelty: Novelty,
  daemons: ReadonlySet<number>,
): (process: number, parent: number) => boolean {
  const { activity } = novelty;
  const { actors, catalogue, started, lastPrograms } = activity;
  const unknown = new Set<number>();
  actors.firsts.forEach((process, i) => {
    if (!novelty.knows(actors.secondAt(i))) unknown.add(process);
  });
  return (process, parent) => {
    // A restarted service is not part of the session that restarted it.
    if (daemons.has(process) && !unknown.has(process)) return true;
    // An implant keeps its later children.
    if (unknown.has(parent)) return false;
    // What ran before the log and runs a known program is a service or a desktop: it does not join its requests.
    const program = lastPrograms.get(parent);
    if (!started.has(parent) && program !== undefined && novelty.knows(program)) return true;
    return catalogue.begun(process) - catalogue.begun(parent) > GAP;
  };
}

/**
 * The processes that were detached to serve: they or their workers accept connections, and they outlive the process that
 * started them.
 */
function findDaemons({ activity }: Novelty): Set<number> {
  const { parents, exits, serves, lastPrograms } = activity;
  const daemons = new Set<number>();
  for (const server of serves) {
    let process = server;
    for (let step = 0; step < MOST_STEPS; step++) {
      const parent = parents.get(process);
      if (parent === undefined || parent === process) break;
      const [ended, own] = [exits.get(parent), exits.get(process)];
      if (ended !== undefined && (own === undefined || own - ended > DETACHED)) {
        daemons.add(process);
        break;
      }
      if (lastPrograms.get(parent) !== lastPrograms.get(server)) break;
      process = parent;
    }
  }
  return daemons;
}
