import type { LiveIngestOptions } from '../../store/live/live-ingest.js';
import type { Sink } from '../sinks/sink.js';
import type { Source } from '../sources/source.js';
import type { DetectionOptions } from './detection.js';
import type { LearningOptions } from './learning.js';
import type { WatchFolder } from './watch-folder.js';
import type { WatchLog } from './watch-log.js';

export interface WatchOptions extends LearningOptions, DetectionOptions {
  readonly folder: WatchFolder;
  readonly reading: LiveIngestOptions;
  readonly sources: readonly Source[];
  readonly sinks: readonly Sink[];
  /** Read what is there, judge it, and end. */
  readonly once: boolean;
  readonly rollback: boolean;
  /** How long to wait for late events, in milliseconds. */
  readonly latenessMs: number;
  readonly commitEveryMs: number;
  /** Nanoseconds of events to keep; undefined for all. */
  readonly keep?: bigint | undefined;
  /** ADDRESS:PORT; undefined for none. */
  readonly metrics?: string | undefined;
  readonly log: WatchLog;
  /** Called about once a second. */
  readonly progress?: ((status: WatchStatus) => void) | undefined;
  readonly signal: AbortSignal;
}

export interface WatchStatus {
  readonly phase: 'learning' | 'training' | 'detecting';
  /** Of learning, from 0 to 1. */
  readonly learned: number;
  /** Stored in this run. */
  readonly events: number;
  /** Notifications of this run. */
  readonly told: number;
  /** Incidents that were told in this run or an earlier one. */
  readonly incidents: number;
  /** Incidents that a rule of `recal suppress` holds back. */
  readonly suppressed: number;
  /** Notifications that some sink has not taken. */
  readonly waiting: number;
  readonly metricsPort: number;
}
