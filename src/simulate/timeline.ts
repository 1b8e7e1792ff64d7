import type { LocalTime } from './calendar.js';

export type Role = 'train' | 'calibrate' | 'test' | 'other';

/** A log file with its role, time span and share of all events. */
export interface LogFile {
  readonly name: string;
  readonly role: Role;
  /** Nanoseconds from the start of the simulation. */
  readonly from: number;
  readonly until: number;
  readonly share: number;
}

export interface Timeline {
  /** Seconds since the Unix epoch at offset zero. */
  readonly startSeconds: number;
  readonly local: LocalTime;
  readonly files: readonly LogFile[];
  /** When attacks can happen, in order: in working hours of the test. */
  readonly attackSpans: readonly TimeSpan[];
}

/** In nanoseconds from the start of the simulation. */
export interface TimeSpan {
  readonly from: number;
  readonly until: number;
}
