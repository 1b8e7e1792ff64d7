/** What an entity is, across all log formats. The source's own finer type is kept beside it as `kind`. */
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

/**
 * What a log says about one entity at one moment. Every field but `id` is optional, because logs define entities
 * piecemeal: in real CADETS logs a process's name and a file's path ride on later events.
 */
export interface Entity {
  /** The log's own identifier; UUIDs compare without regard to case. */
  id: string;
  type?: EntityType;
  /** The source's finer type, such as FILE_OBJECT_UNIX_SOCKET. */
  kind?: string;
  /** Program name, file path, `address:port` of the remote side, registry key, user name. */
  name?: string;
  /** Command line. */
  cmd?: string;
  pid?: number;
  /** Identifier of the parent process. */
  parent?: string;
  /** Identifier of the principal it runs as. */
  user?: string;
  /** `address:port` of the local side of a flow. */
  local?: string;
}

/** One log record, as read. Order is always (ts, seq): in real traces most events share their timestamp. */
export interface Event {
  /** Exact nanoseconds since the Unix epoch; a double would lose 256 ns. */
  ts: bigint;
  seq?: bigint;
  host: string;
  /** The log's own relation name, such as EVENT_READ. */
  rel: string;
  subj?: Entity;
  obj?: Entity;
  obj2?: Entity;
  ok?: boolean;
  /** Information flow where the log is more precise than the relation: `out` for an open for writing. */
  flow?: 'in' | 'out';
  attrs?: Record<string, unknown>;
}
