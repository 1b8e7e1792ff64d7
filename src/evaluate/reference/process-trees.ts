import type { Catalogue } from './catalogue.js';

/** A child belongs to its parent's tree if the parent started at most this long before it. */
const GAP = 30n * 60n * 1_000_000_000n;
const MOST_STEPS = 100;

export interface TreeContext {
  /** The process that started each process. */
  readonly parents: ReadonlyMap<number, number>;
  readonly catalogue: Catalogue;
  /** True for a process that runs a program never seen before: an implant keeps its later children. */
  runsNewProgram(process: number): boolean;
}

/**
 * The process at the root of a process's tree. Parents are followed while they started shortly before their child, or
 * run a new program: a login shell keeps its session, and a daemon does not join its requests.
 */
export function rootOf(process: number, { parents, catalogue, runsNewProgram }: TreeContext): number {
  let root = process;
  for (let step = 0; step < MOST_STEPS; step++) {
    const parent = parents.get(root);
    if (parent === undefined || parent === root) return root;
    if (catalogue.begun(root) - catalogue.begun(parent) > GAP && !runsNewProgram(parent)) return root;
    root = parent;
  }
  return root;
}
