import type { Action } from './actions.js';

/** The types of entities in all log formats. The more specific type of the log is kept as `kind`. */
export const ENTITY_TYPES = [
  'process',
  'file',
  'flow',
  'pipe',
  'memory',
  'registry',
  'principal',
  'module',
  'srcsink',
  'other',
] as const;

export type EntityType = (typeof ENTITY_TYPES)[number];

/** The number of each type in a batch, where 0 is none. */
export const TYPE_NUMBERS: ReadonlyMap<EntityType, number> = new Map(
  ENTITY_TYPES.map((type, index) => [type, index + 1]),
);

/**
 * The information that a log record has about an entity. Every field but `id` is optional, because logs define entities
 * piece by piece: in CADETS logs the name of a process and the path of a file come with later events.
 */
export interface Entity {
  /** The identifier in the log. The case of UUIDs does not matter. */
  id: string;
  type?: EntityType;
  /** The more specific type in the log, such as FILE_OBJECT_UNIX_SOCKET. */
  kind?: string;
  /** The program name, file path, remote `address:port`, registry key or user name. */
  name?: string;
  /** The command line. */
  cmd?: string;
  pid?: number;
  /** The identifier of the parent process. */
  parent?: string;
  /** The identifier of the principal that the process runs as. */
  user?: string;
  /** The local `address:port` of a network flow. */
  local?: string;
  /** The login session of a process: an audit session, a logon id. */
  session?: string;
  /** The container of a process. */
  container?: string;
  /** The service unit of a process. */
  unit?: string;
}

/** One event of a log. Events are ordered by (ts, seq), because in real logs many share their timestamp. */
export interface Event {
  /** Nanoseconds since 1970. A double would round them to 256 ns. */
  ts: bigint;
  seq?: bigint;
  host: string;
  /** The relation as the log names it, such as EVENT_READ. */
  rel: string;
  /** What the event does in the vocabulary of all formats. The default follows from `rel`. */
  action?: Action;
  subj?: Entity;
  obj?: Entity;
  obj2?: Entity;
  ok?: boolean;
  /** The direction of information, if the event itself has one: `out` for an open for writing. */
  flow?: 'in' | 'out';
  attrs?: Record<string, unknown>;
}
