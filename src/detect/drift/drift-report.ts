import type { AlertMoment } from '../alerts/alert.js';
import type { EvidenceKind } from '../evidence/evidence.js';
import type { ROLES } from '../evidence/interaction-evidence.js';
import type { Change } from './martingale.js';
import type { Novelty } from './novelty.js';
import type { Move, MoveVerdict } from './relation-drift.js';

/** The drift of one kind of evidence for one relation, or for one role and relation. */
export interface DriftRow extends Omit<Move, 'slot'> {
  readonly kind: EvidenceKind;
  readonly role: (typeof ROLES)[number] | null;
  /** Null if one table serves all relations. */
  readonly relation: string | null;
  /** The smallest false discovery rate at which this row is a discovery; nominal like p. */
  readonly rate: number;
  readonly verdict: MoveVerdict;
}

/** How recent graphs differ from the calibration graphs. Plain data. */
export interface DriftFindings {
  readonly level: number;
  readonly counts: {
    readonly graphs: number;
    readonly instances: number;
    readonly hostDays: number;
    /** Slots with enough nodes in both periods, and slots with too few. */
    readonly compared: number;
    readonly tooFew: number;
    /** Values without a table to compare with. */
    readonly withoutTable: number;
  };
  /** Kinds of evidence that could not be compared, and why. */
  readonly leftOut: readonly { readonly kind: EvidenceKind; readonly why: string }[];
  readonly quarantine: {
    readonly rule: string;
    readonly tau: number;
    readonly high: number;
    readonly inherited: number;
    readonly nodes: number;
    readonly graphs: number;
    /** The number of `high` instances that benign scores predict for this time span. */
    readonly expected: number;
  };
  /** By verdict, then the largest distance first. */
  readonly rows: readonly DriftRow[];
  readonly change: Omit<Change, 'reachedTs' | 'sinceTs'> & {
    readonly reached: AlertMoment | null;
    readonly since: AlertMoment | null;
  };
  readonly novelty: Novelty;
}
