import { enlarge } from '../../../base/enlarge.js';
import { groupIndices } from '../../../base/group-indices.js';
import { nameTemplate } from '../../../features/name-template.js';
import type { KnownNodes } from '../../../graph/node-history.js';
import { ACTIONS, type Action } from '../../../ingest/actions.js';
import { ENTITY_TYPES } from '../../../ingest/event.js';
import { PairTable } from '../../evidence/pair-table.js';
import { RecentPairs } from '../../evidence/recent-pairs.js';
import type { EventsWithLead, NamedEvents } from '../named-events.js';
import { type BehaviourKey, keyOfText } from '../novelty/behaviour-key.js';
import type { Catalogue } from '../novelty/catalogue.js';
import { FirstRows } from './first-rows.js';
import { OriginCollector, type ProcessOrigins, type SeenAct } from './process-origins.js';
import { type RemoteEnd, remoteEnd } from './remote-address.js';

const typeNumber = (name: (typeof ENTITY_TYPES)[number]) => ENTITY_TYPES.indexOf(name);
const action = (name: Action) => ACTIONS.indexOf(name);
const [PROCESS, FILE, FLOW] = [typeNumber('process'), typeNumber('file'), typeNumber('flow')];
const [ACCEPT, CONNECT, EXEC] = [action('accept'), action('connect'), action('exec')];
const WRITES = new Set([action('write'), action('create'), action('rename')]);
/** A connection is given to a process that is started this soon after it was accepted, in nanoseconds. */
const GIVEN_WITHIN = 5_000_000_000n;
/** No more ports of an address are kept by process. */
const MOST_PORTS = 16;
/** Start relations of logs whose readers give no action. */
export const START_RELATION =
  /fork|clone|procstart|process_start|spawn|create_process|processcreate|^start$/i;

/** What the processes of one part of a log did. Processes, programs and behaviours have the catalogue's numbers. */
export interface Activity extends ProcessOrigins {
  /** (process, program): a process has one pair for each program that it ran. In order of appearance. */
  readonly actors: PairTable;
  /** The actors of a process, ascending. */
  readonly actorsOf: (process: number) => Int32Array;
  /** The row of the first event of each actor. */
  readonly actorAt: readonly number[];
  /** (actor, behaviour), each once; the row of the first event that shows it, and the name of its object or -1. */
  readonly done: PairTable;
  readonly doneAt: Int32Array;
  readonly doneTo: Int32Array;
  /** The node of each process in the loaded events. */
  readonly nodes: ReadonlyMap<number, number>;
  /** The last row of each node as a subject, or -1. */
  readonly lastRows: Int32Array;
  /** Files that were executed. */
  readonly ran: readonly Run[];
  /** Who wrote files, by name. */
  readonly wrote: FirstRows;
  /** The same by file: one file can be written as `/tmp/x` and executed as `/./tmp/x`. */
  readonly wroteFile: FirstRows;
  /** The processes that connected to or from a remote address, and how they used it. */
  readonly addresses: ReadonlyMap<string, ReadonlyMap<number, AddressUse>>;
}

/** How a process used a remote address. */
export interface AddressUse {
  readonly connections: number;
  /** The first ports of the address. */
  readonly ports: readonly number[];
}

interface Run {
  readonly process: number;
  /** The name of the file. */
  readonly file: number;
  /** The file itself. */
  readonly object: number;
  readonly row: number;
}

/** The directory of an executable; undefined without one. */
export function placeOf(path: string): string | undefined {
  const template = nameTemplate(path);
  const slash = template.lastIndexOf('/');
  return slash > 0 ? template.slice(0, slash) : undefined;
}

export const placeKey = (place: string): BehaviourKey => keyOfText('place', place);
export const addressKey = (address: string): BehaviourKey => keyOfText('address', address);

/** Collects what the processes of a part did. */
export function collectActivity(part: NamedEvents | EventsWithLead, catalogue: Catalogue): Activity {
  const origins = new OriginCollector(catalogue);
  if ('lead' in part) {
    const { ts } = part.lead.events.table;
    walk(part.lead, catalogue, origins, (act) => origins.see(act, ts));
  }
  const { ts } = part.events.table;
  const actors = new PairTable();
  const actorAt: number[] = [];
  const done = new PairTable();
  let doneAt = new Int32Array(1024);
  let doneTo = new Int32Array(1024);
  const lastRows = new Int32Array(part.events.keys.size).fill(-1);
  const ran: Run[] = [];
  const wrote = new FirstRows();
  const wroteFile = new FirstRows();
  const addresses = new Addresses(catalogue);
  const connections = new ConnectionCounter();
  const accepted = new Map<number, { row: number; name: number; deed: number }>();
  const nodes = new Map<number, number>();
  const actorOf = (process: number, program: number, row: number) => {
    const actor = actors.intern(process, program);
    if (actor === actorAt.length) actorAt.push(row);
    return actor;
  };
  const repeats = new RecentPairs();
  const add = (actor: number, behaviours: Int32Array, row: number, name: number) => {
    for (const behaviour of behaviours) {
      const before = done.size;
      if (done.intern(actor, behaviour) < before) continue;
      if (before === doneAt.length) [doneAt, doneTo] = [enlarge(doneAt), enlarge(doneTo)];
      doneAt[before] = row;
      doneTo[before] = name;
    }
  };
  walk(part, catalogue, origins, (act) => {
    const { subject, object, program, row, actionOf, starts, node, objectNode } = act;
    origins.see(act, ts);
    if (object < 0) return;
    const actor = actorOf(subject, program, row);
    if (lastRows[node] < 0) nodes.set(subject, node);
    lastRows[node] = row;
    const deed = catalogue.act(act.relation, act.type, act.name);
    if (!repeats.has(actor, deed)) add(actor, catalogue.behavioursOf(deed), row, act.name);
    if (act.type === FLOW) {
      if (actionOf === ACCEPT) accepted.set(subject, { row, name: act.name, deed });
      const remote = addresses.of(act.name);
      if (remote !== undefined) {
        const isOpened = actionOf === ACCEPT || actionOf === CONNECT;
        const use = usedBy(remote.users, subject);
        if (connections.isNew(subject, object, isOpened)) use.connections++;
        if (use.ports.length < MOST_PORTS && !use.ports.includes(remote.port)) use.ports.push(remote.port);
      }
    } else if (act.type === FILE) {
      if (actionOf === EXEC) ran.push({ process: subject, file: act.name, object, row });
      else if (WRITES.has(actionOf)) {
        wrote.note(act.name, subject, row);
        wroteFile.note(object, subject, row);
        // Installers write a file under another name first, and then rename it.
        if (act.name2 >= 0) wrote.note(act.name2, subject, row);
      }
    }
    if (starts < 0) return;
    nodes.set(object, objectNode);
    const child = actorOf(object, starts, row);
    // A server that forks for each connection gives the connection to the new process.
    const given = accepted.get(subject);
    accepted.delete(subject);
    if (given !== undefined && ts[row] - ts[given.row] <= GIVEN_WITHIN)
      add(child, catalogue.behavioursOf(given.deed), given.row, given.name);
  });
  if ('names' in part) origins.state(nodes, part.names);
  const found = origins.finish();
  addParents(actors, found, catalogue, (actor, behaviour) =>
    add(actor, Int32Array.of(behaviour), actorAt[actor], -1),
  );
  return {
    ...found,
    actors,
    actorsOf: groupIndices(actors.firsts),
    actorAt,
    done,
    doneAt: doneAt.subarray(0, done.size),
    doneTo: doneTo.subarray(0, done.size),
    nodes,
    lastRows,
    ran,
    wrote,
    wroteFile,
    addresses: addresses.users,
  };
}

/** Each program was started by the nearest ancestor that runs another program. */
function addParents(
  actors: PairTable,
  { parents, lastPrograms }: ProcessOrigins,
  catalogue: Catalogue,
  add: (actor: number, behaviour: number) => void,
): void {
  const pairs = actors.size;
  for (let actor = 0; actor < pairs; actor++) {
    const program = actors.secondAt(actor);
    let process = actors.firstAt(actor);
    for (let step = 0; step < 20; step++) {
      const parent = parents.get(process);
      if (parent === undefined || parent === process) break;
      process = parent;
      const other = lastPrograms.get(process);
      if (other === undefined || other === program) continue;
      add(actor, catalogue.startedBy(other));
      break;
    }
  }
}

interface WalkedAct extends SeenAct {
  readonly node: number;
  readonly objectNode: number;
  readonly relation: number;
  readonly type: number;
  readonly name: number;
  /** The name of the second object, such as the target of a rename, or -1. */
  readonly name2: number;
}

/** Calls `visit` for each event with a subject, in order. The act is valid until `visit` returns. */
function walk(
  { events, history, roles }: NamedEvents,
  catalogue: Catalogue,
  origins: OriginCollector,
  visit: (act: WalkedAct) => void,
): void {
  const { table, keys, hosts } = events;
  hosts.forEach((host, i) => {
    catalogue.setRole(host, roles?.[i] ?? '');
  });
  const relations = table.relations.map((name) => catalogue.relation(name));
  const actions = ACTIONS.map((name) => catalogue.relation(name));
  const other = action('other');
  const isStart = table.relations.map((name) => START_RELATION.test(name));
  const fork = action('fork');
  const entities = new Int32Array(keys.size).fill(-1);
  const programs = new Int32Array(history.texts.length).fill(-1);
  const names = new Int32Array(history.texts.length).fill(-1);
  const key = new Uint32Array(4);
  const entityOf = (node: number, row: number): number => {
    if (entities[node] < 0) {
      keys.keyAt(node, key);
      entities[node] = catalogue.entity(hosts[keys.hostAt(node)], key, table.ts[row]);
    }
    return entities[node];
  };
  // A process that the log has not named yet runs the program of the process that forked it.
  const programOf = (text: number, process: number, parent?: number): number => {
    if (text < 0) return origins.programOf(process) ?? parent ?? catalogue.program('');
    if (programs[text] < 0) programs[text] = catalogue.program(history.texts[text]);
    return programs[text];
  };
  const nameOf = (text: number): number => {
    if (text < 0) return catalogue.name('');
    if (names[text] < 0) names[text] = catalogue.name(history.texts[text]);
    return names[text];
  };
  // One object for all events: there are tens of millions.
  const act = { ...NO_ACT };
  history.walk(table.length, (row, known: KnownNodes) => {
    const [from, to] = [table.subject[row], table.object[row]];
    if (from < 0) return;
    const relation = table.relation[row];
    const type = to < 0 ? -1 : known.types[to];
    const starts =
      to >= 0 && from !== to && type === PROCESS && (table.action[row] === fork || isStart[relation]);
    const subject = entityOf(from, row);
    const object = to < 0 ? -1 : entityOf(to, row);
    const program = programOf(known.names[from], subject);
    act.row = row;
    act.subject = subject;
    act.object = object;
    act.node = from;
    act.objectNode = to;
    act.program = program;
    // Actions are the same in all formats, and openat2 instead of openat is nothing new.
    act.relation = table.action[row] === other ? relations[relation] : actions[table.action[row]];
    act.actionOf = table.action[row];
    act.type = type;
    act.name = to < 0 ? -1 : nameOf(known.names[to]);
    act.name2 = table.object2[row] < 0 ? -1 : nameOf(known.names[table.object2[row]]);
    act.starts = starts ? programOf(known.names[to], object, program) : -1;
    visit(act);
  });
}

const NO_ACT = {
  row: -1,
  subject: -1,
  object: -1,
  node: -1,
  objectNode: -1,
  program: -1,
  relation: -1,
  actionOf: -1,
  type: -1,
  name: -1,
  name2: -1,
  starts: -1,
};

/**
 * Tells connections from the events about them. Logs that record reads and writes have hundreds of events for one
 * connection; others name only the remote end, so that each connect or accept is another connection.
 */
class ConnectionCounter {
  readonly #pairs = new PairTable();
  readonly #isOpened: boolean[] = [];

  /** Whether an event of this process and flow begins a connection; `isOpened` if it connects or accepts. */
  isNew(process: number, flow: number, isOpened: boolean): boolean {
    const pair = this.#pairs.intern(process, flow);
    const isFirst = pair === this.#isOpened.length;
    // A socket that was seen before it connected is the same connection.
    const isNew = isFirst || (isOpened && this.#isOpened[pair]);
    this.#isOpened[pair] = isOpened || (!isFirst && this.#isOpened[pair]);
    return isNew;
  }
}

interface CountedUse {
  connections: number;
  readonly ports: number[];
}

type Users = Map<number, CountedUse>;

/** The remote addresses of flows, with their users. The name of a flow is parsed once. */
class Addresses {
  readonly users = new Map<string, Users>();
  readonly #catalogue: Catalogue;
  /** By the number of the name. */
  readonly #ends: ({ readonly users: Users; readonly port: number } | null | undefined)[] = [];

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** The users of the address that a flow names, and its port; undefined for names that say nothing about a remote host. */
  of(name: number): { readonly users: Users; readonly port: number } | undefined {
    const known = this.#ends[name];
    if (known !== undefined) return known ?? undefined;
    const remote = remoteEnd(this.#catalogue.nameAt(name));
    const end = remote === undefined ? null : { users: this.#usersOf(remote), port: remote.port };
    this.#ends[name] = end;
    return end ?? undefined;
  }

  #usersOf({ address }: RemoteEnd): Users {
    const users = this.users.get(address) ?? new Map<number, CountedUse>();
    this.users.set(address, users);
    return users;
  }
}

function usedBy(users: Users, process: number): CountedUse {
  const known = users.get(process);
  if (known !== undefined) return known;
  const use: CountedUse = { connections: 0, ports: [] };
  users.set(process, use);
  return use;
}
