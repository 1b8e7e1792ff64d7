import type { LocalTime } from './calendar.js';

export type Role = 'train' | 'calibrate' | 'test' | 'other';

/** One log file: its name, what it is for, its span, and its share of all events. */
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
  /** The moments at which attacks may begin, in order: working hours inside the test files. */
  readonly attackSlots: readonly Slot[];
}

export interface Slot {
  readonly from: number;
  readonly until: number;
}
