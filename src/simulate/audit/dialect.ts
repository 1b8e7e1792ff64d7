import type { Call } from '../kernel/calls.js';
import type { Process, SimEntity, Unit, User } from '../kernel/entities.js';

/** One recorded call. The recorder reuses the object, so a dialect must not keep it. */
export interface AuditEvent {
  call: Call;
  relation: string;
  subject: Process | Unit | undefined;
  object: SimEntity | undefined;
  object2: SimEntity | undefined;
  /** Bytes; -1 if the call has no size. */
  size: number;
  sequence: number;
  /** Nanoseconds since the Unix epoch, as digits. */
  time: string;
}

/** The host as described in its own log. */
export interface HostIdentity {
  readonly uuid: string;
  readonly name: string;
  readonly address: string;
  /** Start of the simulation in seconds since the Unix epoch. */
  readonly startSeconds: number;
}

/** A record that is not an event: its CDM record name, and its line with the line end. */
export interface EntityRecord {
  readonly record: string;
  readonly line: string;
}

/** The log format of one audit system. */
export interface Dialect {
  /** The event type of each call that this audit system records. */
  readonly relations: Readonly<Partial<Record<Call, string>>>;
  /** Timestamps are truncated to multiples of this many nanoseconds. */
  readonly resolution: number;
  /** The first records of a file. */
  opening(): EntityRecord[];
  /** The record that describes a user; undefined if the format has no such record. */
  user(user: User): EntityRecord | undefined;
  /** The record that describes an entity; undefined if events carry the description. */
  entity(entity: SimEntity): EntityRecord | undefined;
  event(event: AuditEvent): string;
}
