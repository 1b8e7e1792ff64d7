import type { NamedEvents } from '../../detect/episodes/named-events.js';
import { PairTable } from '../../detect/evidence/pair-table.js';
import type { KnownNodes } from '../../graph/node-history.js';
import { ENTITY_TYPES } from '../../ingest/event.js';
import type { Catalogue } from './catalogue.js';

const PROCESS = ENTITY_TYPES.indexOf('process');
/** Relations that start a process, in the words of the formats that recal reads. */
const START = /fork|clone|procstart|process_start|spawn|create_process|processcreate|^start$/i;

/** What the processes of one part of a log did. Processes, programs and behaviours have the catalogue's numbers. */
export interface PartActivity {
  /** (process, program): a process has one pair for each program that it ran. In order of appearance. */
  readonly actors: PairTable;
  /** (actor, behaviour), each once. */
  readonly done: PairTable;
  /** The process that started each process, by the first event that says so. */
  readonly parents: ReadonlyMap<number, number>;
  /** The node of each process in the loaded events. */
  readonly nodes: ReadonlyMap<number, number>;
  /** The program that each process ran last. */
  readonly lastPrograms: ReadonlyMap<number, number>;
}

/** An event with a subject and an object, in the numbers of the catalogue. */
export interface Act {
  readonly subject: number;
  readonly object: number;
  readonly program: number;
  readonly act: number;
  /** The program that the object runs, if the event starts it; else -1. */
  readonly started: number;
}

/** Collects what the processes of a part did. */
export function collectActivity(part: NamedEvents, catalogue: Catalogue): PartActivity {
  const actors = new PairTable();
  const acts = new PairTable();
  const done = new PairTable();
  const parents = new Map<number, number>();
  const { entities, atEnd } = walkActs(part, catalogue, ({ subject, object, program, act, started }) => {
    const actor = actors.intern(subject, program);
    const before = acts.size;
    if (acts.intern(actor, act) === before) {
      for (const behaviour of catalogue.behavioursOf(act)) done.intern(actor, behaviour);
    }
    if (started < 0) return;
    if (!parents.has(object)) parents.set(object, subject);
    actors.intern(object, started);
  });
  const processes = new Set(actors.firsts);
  const nodes = new Map<number, number>();
  const lastPrograms = new Map<number, number>();
  entities.forEach((entity, node) => {
    if (processes.has(entity)) nodes.set(entity, node);
    const { isProcess, program } = atEnd(node);
    if (entity >= 0 && (isProcess || processes.has(entity))) lastPrograms.set(entity, program);
  });
  return { actors, done, parents, nodes, lastPrograms };
}

interface WalkedActs {
  /** Number in the catalogue by node of the loaded events; -1 for nodes that are in no act. */
  readonly entities: Int32Array;
  /** What a node was at the last event. */
  atEnd(node: number): { readonly isProcess: boolean; readonly program: number };
}

/** Calls `visit` for each event with a subject and an object, in order, with the object's node in the loaded events. */
export function walkActs(
  { events, history }: NamedEvents,
  catalogue: Catalogue,
  visit: (act: Act, object: number) => void,
): WalkedActs {
  const { table, keys, hosts } = events;
  const hostNumbers = hosts.map((host) => catalogue.host(host));
  const relations = table.relations.map((name) => catalogue.relation(name));
  const starts = table.relations.map((name) => START.test(name));
  // Numbers of the catalogue by node, and by text of the history; -1 until first used.
  const entities = new Int32Array(keys.size).fill(-1);
  const programs = new Int32Array(history.texts.length).fill(-1);
  const names = new Int32Array(history.texts.length).fill(-1);
  const key = new Uint32Array(4);
  const entityOf = (node: number, ts: bigint): number => {
    if (entities[node] < 0) {
      keys.keyAt(node, key);
      entities[node] = catalogue.entity(hostNumbers[keys.hostAt(node)], key, ts);
    }
    return entities[node];
  };
  const programOf = (text: number): number => {
    if (text < 0) return catalogue.program('');
    if (programs[text] < 0) programs[text] = catalogue.program(history.texts[text]);
    return programs[text];
  };
  const nameOf = (text: number): number => {
    if (text < 0) return catalogue.name('');
    if (names[text] < 0) names[text] = catalogue.name(history.texts[text]);
    return names[text];
  };
  const last = history.walk(table.length, (row, known: KnownNodes) => {
    const [from, to] = [table.subject[row], table.object[row]];
    if (from < 0 || to < 0) return;
    const subject = entityOf(from, table.ts[row]);
    const object = entityOf(to, table.ts[row]);
    const relation = table.relation[row];
    const isStart = starts[relation] && from !== to && known.types[to] === PROCESS;
    visit(
      {
        subject,
        object,
        program: programOf(known.names[from]),
        act: catalogue.act(relations[relation], known.types[to], nameOf(known.names[to])),
        started: isStart ? programOf(known.names[to]) : -1,
      },
      to,
    );
  });
  return {
    entities,
    atEnd: (node) => ({ isProcess: last.types[node] === PROCESS, program: programOf(last.names[node]) }),
  };
}
