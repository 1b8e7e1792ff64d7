import { EntityKey } from '../entity-key.js';
import { ENTITY_TYPES, type EntityType } from '../event.js';
import { NONE } from './act.js';
import { Descriptors } from './descriptors.js';
import { EntityRecord } from './entity-record.js';
import { HostState } from './host-state.js';
import { ProcessRecord } from './process-record.js';

/** A change of the layout makes older states unusable, and readers start anew. */
const VERSION = 1;

type SavedEntity = [type: number, id: string, kind: string | null, name: string | null, local: string | null];
type SavedDescriptor = [number: number, entity: number, closeOnExec: 0 | 1];

interface SavedProcess {
  pid: number;
  ppid: number;
  start: string;
  last: number;
  ended: number | null;
  threads: number;
  uid: number;
  session: number;
  name?: string | undefined;
  exe?: string | undefined;
  cmd?: string | undefined;
  script?: string | undefined;
  container?: string | undefined;
  unit?: string | undefined;
  parent?: string | undefined;
  forked?: true | undefined;
  ancestors: readonly number[];
  fds: SavedDescriptor[];
}

interface SavedHost {
  name: string;
  /** The time of the last call. */
  last: number;
  /** Entities that descriptors refer to. */
  entities: SavedEntity[];
  processes: SavedProcess[];
  pending: [child: number, parent: number, time: number][];
  orphans: number[];
  folders: [inode: string, path: string][];
}

export interface SavedState {
  version: number;
  hosts: SavedHost[];
}

/** Converts the state of hosts to JSON. */
export function saveHosts(hosts: ReadonlyMap<string, HostState>): SavedState {
  return { version: VERSION, hosts: [...hosts].map(([name, host]) => saveHost(name, host)) };
}

function saveHost(name: string, host: HostState): SavedHost {
  const entities: SavedEntity[] = [];
  const numbers = new Map<string, number>();
  const numberOf = ({ type, id, kind, name, local }: EntityRecord): number => {
    const entity: SavedEntity = [ENTITY_TYPES.indexOf(type), id, kind ?? null, name ?? null, local ?? null];
    const key = JSON.stringify(entity);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, entities.length);
    return entities.push(entity) - 1;
  };
  const processes = [...host.processes.values()].map((process): SavedProcess => {
    const { pid, ppid, id, last, ended, threads, uid, session, parent, descriptors, ancestors } = process;
    const { name, exe, cmd, script, container, unit } = process;
    return {
      pid,
      ppid,
      start: id.slice(id.indexOf('@') + 1),
      last,
      ended: Number.isFinite(ended) ? ended : null,
      threads,
      uid,
      session,
      name,
      exe,
      cmd,
      script,
      container,
      unit,
      parent: parent?.id,
      forked: process.forked || undefined,
      ancestors,
      fds: [...(descriptors?.entries() ?? [])].map(([number, { entity, closeOnExec }]) => [
        number,
        numberOf(entity),
        closeOnExec ? 1 : 0,
      ]),
    };
  });
  const orphans = [...host.orphans.values()].flat().filter(({ parent }) => parent === undefined);
  return {
    name,
    last: host.last,
    entities,
    processes,
    pending: [...host.pending].map(([child, { parent, time }]) => [child, parent.pid, time]),
    // An orphan that ended, and whose number is in use again, has no place in the table.
    orphans: orphans.filter((process) => host.processes.get(process.pid) === process).map(({ pid }) => pid),
    folders: [...host.folders],
  };
}

/** Converts JSON back. A state of another version gives no hosts. */
export function restoreHosts(state: unknown): Map<string, HostState> {
  const { version, hosts } = (state ?? {}) as Partial<SavedState>;
  if (version !== VERSION || !Array.isArray(hosts)) return new Map();
  return new Map(hosts.map((host) => [host.name, restoreHost(host)]));
}

function restoreHost(saved: SavedHost): HostState {
  const host = new HostState();
  host.last = saved.last;
  const entities = saved.entities.map(([type, id, kind, name, local]) => {
    const entity = EntityRecord.of(
      ENTITY_TYPES[type] as EntityType,
      id,
      kind ?? undefined,
      name ?? undefined,
    );
    entity.local = local ?? undefined;
    return entity;
  });
  for (const each of saved.processes) host.processes.set(each.pid, restoreProcess(each, entities, host));
  for (const [child, parent, time] of saved.pending) {
    const process = host.processes.get(parent);
    if (process !== undefined) host.addPending(child, { parent: process, time });
  }
  for (const pid of saved.orphans) {
    const process = host.processes.get(pid);
    if (process !== undefined) host.addOrphan(process);
  }
  for (const [inode, path] of saved.folders) host.setFolder(inode, path);
  return host;
}

function restoreProcess(
  saved: SavedProcess,
  entities: readonly EntityRecord[],
  host: HostState,
): ProcessRecord {
  const process = new ProcessRecord(saved.pid, saved.ppid, BigInt(saved.start), saved.uid, saved.session);
  process.forked = saved.forked === true;
  const { name, exe, cmd, script, container, unit, last, threads, ancestors } = saved;
  Object.assign(process, { name, exe, cmd, script, container, unit, last, threads, ancestors });
  process.ended = saved.ended ?? Number.POSITIVE_INFINITY;
  process.user = saved.uid === NONE ? undefined : host.user(saved.uid, undefined);
  if (saved.parent !== undefined) {
    const key = new EntityKey();
    key.fromText(saved.parent);
    process.parent = { id: saved.parent, key };
  }
  if (saved.fds.length > 0) process.descriptors = new Descriptors();
  for (const [number, entity, closeOnExec] of saved.fds)
    process.descriptors?.set(number, entities[entity], closeOnExec === 1);
  return process;
}
