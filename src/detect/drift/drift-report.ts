import type { AlertMoment } from '../alerts/alert.js';
import type { EvidenceKind } from '../evidence/evidence.js';
import type { ROLES } from '../evidence/interaction-evidence.js';
import type { Change } from './martingale.js';
import type { Novelty } from './novelty.js';
import type { Move, MoveVerdict } from './relation-drift.js';

/** One relation, or role and relation, of one kind of evidence. */
export interface DriftRow extends Omit<Move, 'slot'> {
  readonly kind: EvidenceKind;
  readonly role: (typeof ROLES)[number] | null;
  /** Null where one table serves all relations. */
  readonly relation: string | null;
  /** The false discovery rate at which this would still be a discovery; nominal like p. */
  readonly rate: number;
  readonly verdict: MoveVerdict;
}

/** How recent graphs differ from those that the model was calibrated on. Plain data. */
export interface DriftFindings {
  readonly level: number;
  readonly counts: {
    readonly graphs: number;
    readonly instances: number;
    readonly hostDays: number;
    /** Slots with enough nodes now and then, and without. */
    readonly compared: number;
    readonly tooFew: number;
    /** Values that have no table of their own to be compared with. */
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
    /** How many of `high` benign scores let expect in as much time. */
    readonly expected: number;
  };
  /** The largest move first, by verdict. */
  readonly rows: readonly DriftRow[];
  readonly change: Omit<Change, 'reachedTs' | 'sinceTs'> & {
    readonly reached: AlertMoment | null;
    readonly since: AlertMoment | null;
  };
  readonly novelty: Novelty;
}
