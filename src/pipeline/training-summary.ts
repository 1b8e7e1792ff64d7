import { maskRates } from '../model/training/masking.js';
import type { TrainResult } from '../model/training/train.js';
import { maskConfigOf } from '../model/training/training-config.js';
import type { CalibrationSummary } from './calibration-summary.js';

/** What `train` did, as plain data. `recal train --json` prints it. */
export interface TrainingSummary {
  /** Path of the model file. */
  readonly model: string;
  /** Identifies the weights and what they were trained on. */
  readonly id: string;
  readonly sha256: string;
  /** False if training stopped before the last epoch. */
  readonly complete: boolean;
  /** The checkpoint to resume from; null when complete. */
  readonly checkpoint: string | null;
  readonly epochs: { readonly asked: number; readonly done: number };
  readonly steps: number;
  readonly events: number;
  readonly graphs: number;
  readonly nodes: number;
  readonly features: number;
  readonly tokens: number;
  /** Mean loss of the last epoch; null if no masked node had a neighbour. */
  readonly loss: number | null;
  /** Share of nodes that were masked. */
  readonly masked: number | null;
  readonly relations: readonly RelationSummary[];
  /** Loss by epoch of this run. */
  readonly history: readonly (number | null)[];
  /** First epoch of this run; above 1 after a resume. */
  readonly firstEpoch: number;
  readonly seconds: number;
  /** Null if the model was not calibrated. */
  readonly calibration: CalibrationSummary | null;
}

export interface RelationSummary {
  readonly relation: string;
  readonly events: number;
  /** Null for a relation without events, and without balanced learning. */
  readonly maskRate: number | null;
  readonly firstLoss: number | null;
  readonly loss: number | null;
}

interface Written {
  readonly path: string;
  readonly sha256: string;
  readonly checkpoint: string | undefined;
  readonly seconds: number;
  readonly calibration: CalibrationSummary | undefined;
}

export function summariseTraining(result: TrainResult, written: Written): TrainingSummary {
  const { model, reports, complete } = result;
  const { config, relations, training } = model;
  const rates = maskRates(
    relations.map(({ frequency }) => frequency),
    maskConfigOf(config),
  );
  const first = reports.at(0);
  // Without balanced learning one decoder serves all relations, and there is one loss for all.
  const rows = relations.map(({ name, frequency }, r) => ({
    relation: name,
    events: frequency,
    maskRate: config.balanced && frequency > 0 ? rounded(rates[r]) : null,
    firstLoss: config.balanced ? rounded(first?.losses[r]) : null,
    loss: config.balanced ? (training.losses[r] ?? null) : null,
  }));
  return {
    model: written.path,
    id: model.id,
    sha256: written.sha256,
    complete,
    checkpoint: written.checkpoint ?? null,
    epochs: training.epochs,
    steps: training.steps,
    events: training.events,
    graphs: training.graphs,
    nodes: training.nodes,
    features: model.space.width,
    tokens: model.space.parts.vocabulary.size,
    loss: training.loss,
    masked: training.masked,
    relations: rows,
    history: reports.map(({ loss }) => rounded(loss)),
    firstEpoch: first?.epoch ?? 1,
    seconds: written.seconds,
    calibration: written.calibration ?? null,
  };
}

function rounded(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(6));
}
