import type { NodeNames } from '../../../graph/node-names.js';
import { ACTIONS } from '../../../ingest/actions.js';
import type { Catalogue } from '../novelty/catalogue.js';

const EXIT = ACTIONS.indexOf('exit');
const EXEC = ACTIONS.indexOf('exec');
const SERVES = new Set([ACTIONS.indexOf('accept'), ACTIONS.indexOf('bind')]);

/** Where processes come from and how they end. */
export interface ProcessOrigins {
  /** The process that started each process, by the first event that says so. */
  readonly parents: ReadonlyMap<number, number>;
  /** The login session of each process that has one. */
  readonly sessions: ReadonlyMap<number, number>;
  /** Processes that were started or that executed a program within these events. Others ran before. */
  readonly started: ReadonlySet<number>;
  readonly exits: ReadonlyMap<number, bigint>;
  /** Processes that accept connections or bind an address. */
  readonly serves: ReadonlySet<number>;
  /** The program that each process ran last. */
  readonly lastPrograms: ReadonlyMap<number, number>;
  readonly catalogue: Catalogue;
}

/** An event, as the origins of processes need it. Processes and programs have the catalogue's numbers. */
export interface SeenAct {
  readonly row: number;
  readonly subject: number;
  /** -1 for an event without an object. */
  readonly object: number;
  readonly program: number;
  readonly actionOf: number;
  /** The program that the object runs, if the event starts it; else -1. */
  readonly starts: number;
}

/** Collects the origins of processes, event by event. */
export class OriginCollector {
  readonly #catalogue: Catalogue;
  readonly #parents = new Map<number, number>();
  readonly #sessions = new Map<number, number>();
  readonly #started = new Set<number>();
  readonly #exits = new Map<number, bigint>();
  readonly #serves = new Set<number>();
  readonly #lastPrograms = new Map<number, number>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** `ts` has the time of each row. A time is a bigint, so that it is read only where it is needed. */
  see({ row, subject, object, program, actionOf, starts }: SeenAct, ts: BigInt64Array): void {
    this.#lastPrograms.set(subject, program);
    if (actionOf === EXIT) this.#exits.set(subject, ts[row]);
    else if (actionOf === EXEC) this.#started.add(subject);
    else if (SERVES.has(actionOf)) this.#serves.add(subject);
    if (starts < 0) return;
    if (!this.#parents.has(object)) this.#parents.set(object, subject);
    this.#started.add(object);
    if (!this.#lastPrograms.has(object)) this.#lastPrograms.set(object, starts);
  }

  /** The program that a process ran last, as far as events have shown. */
  programOf(process: number): number | undefined {
    return this.#lastPrograms.get(process);
  }

  /** Takes sessions from the log, and parents where no event shows who started a process. */
  state(nodes: ReadonlyMap<number, number>, { parent, session }: NodeNames): void {
    const processes = new Map([...nodes].map(([process, node]) => [node, process]));
    for (const [process, node] of nodes) {
      if (session[node] >= 0) this.#sessions.set(process, session[node]);
      const above = processes.get(parent[node]);
      // The time between the starts of processes that ran before is unknown, so they stay apart.
      if (above === undefined || above === process || !this.#started.has(process)) continue;
      if (!this.#parents.has(process)) this.#parents.set(process, above);
    }
  }

  finish(): ProcessOrigins {
    return {
      sessions: this.#sessions,
      parents: this.#parents,
      started: this.#started,
      exits: this.#exits,
      serves: this.#serves,
      lastPrograms: this.#lastPrograms,
      catalogue: this.#catalogue,
    };
  }
}
