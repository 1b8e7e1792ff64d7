import type { Call } from '../kernel/calls.js';
import type { Process, SimEntity } from '../kernel/entities.js';

/** One call of the kernel as a collector sees it. The recorder reuses the object, so a collector must not keep it. */
export interface ObservedCall {
  call: Call;
  /** An execution unit is its process: no collector knows units. */
  process: Process;
  object: SimEntity | undefined;
  object2: SimEntity | undefined;
  /** Bytes; -1 if the call has no size. */
  size: number;
  /** The new path of a rename. */
  path: string | undefined;
  /** Seconds since the Unix epoch. */
  seconds: number;
  /** Nanoseconds within the second. */
  nanos: number;
}

/** The log that a collector writes to. */
export interface CollectorLog {
  /** Adds one event with all its lines. */
  event(relation: string, lines: string): void;
  /** Counts records by type, if an event has several. */
  records(type: string, count: number): void;
  /** Notes that the log names this entity, so that a label can point to it. */
  mentions(entity: SimEntity): void;
}

/**
 * The log format of a program that watches a host: auditd, Sysmon or Tetragon. It records the calls that the program
 * would record; `record` returns false for the others, which the recorder counts.
 */
export interface Collector {
  /** Called at the beginning of each file. */
  open(log: CollectorLog, first: boolean, seconds: number, nanos: number): void;
  record(call: ObservedCall, log: CollectorLog): boolean;
  /** Writes what waits for the next call. */
  flush(log: CollectorLog): void;
  /** The natural keys of an entity in this log: what a person would write into a label file. */
  keysOf(entity: SimEntity): readonly string[];
}

/** The path of a file as logs have it: simulated folders end with a slash. */
export function pathOf(entity: SimEntity): string {
  const { name } = entity;
  return name.length > 1 && name.endsWith('/') ? name.slice(0, -1) : name;
}

/** Keys of what is not a process: files by path, flows by remote address. Pipes and memory have none. */
export function objectKeys(entity: SimEntity): readonly string[] {
  switch (entity.kind) {
    case 'process':
    case 'unit':
    case 'pipe':
    case 'memory':
    case 'srcsink':
      return [];
    case 'flow':
      return [entity.name];
    default:
      return [pathOf(entity)];
  }
}

/** The arguments of a command line. Simulated arguments contain no spaces. */
export function argumentsOf(commandLine: string): string[] {
  return commandLine.split(' ').filter((argument) => argument !== '');
}

/** A 32-bit hash of a text (FNV-1a), for numbers that the simulated kernel does not have. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
