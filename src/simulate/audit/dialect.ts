import type { Call } from '../kernel/calls.js';
import type { Process, SimEntity, Unit, User } from '../kernel/entities.js';

/** One recorded call. The recorder reuses a single object: a dialect must not keep it. */
export interface AuditEvent {
  call: Call;
  relation: string;
  subject: Process | Unit | undefined;
  object: SimEntity | undefined;
  object2: SimEntity | undefined;
  /** Bytes; -1 where the call has none. */
  size: number;
  sequence: number;
  /** Nanoseconds since the Unix epoch, as digits. */
  time: string;
}

/** The host as its own log presents it. */
export interface HostIdentity {
  readonly uuid: string;
  readonly name: string;
  readonly address: string;
  /** Decimal seconds since the Unix epoch at which the simulation starts. */
  readonly startSeconds: number;
}

/** A record that is no event: which CDM record it is, and its line with the line end. */
export interface EntityRecord {
  readonly record: string;
  readonly line: string;
}

/** How one audit system writes what it sees. */
export interface Dialect {
  /** The event type of each call that this audit system records; the others leave no trace. */
  readonly relations: Readonly<Partial<Record<Call, string>>>;
  /** Timestamps are cut to this many nanoseconds. */
  readonly resolution: number;
  /** File name ending. */
  readonly extension: string;
  /** Records that open a file. */
  opening(): EntityRecord[];
  /** Records that describe a user; none where the format has no such record. */
  user(user: User): EntityRecord | undefined;
  /** The record that describes an entity; none where events carry the description. */
  entity(entity: SimEntity): EntityRecord | undefined;
  event(event: AuditEvent): string;
}
