import { printable } from '../../base/printable.js';
import type { Calibration } from '../../detect/calibration/calibrate.js';
import { checkpointPath } from '../../model/training/checkpoint.js';
import { maskRates } from '../../model/training/masking.js';
import type { TrainResult } from '../../model/training/train.js';
import { maskConfigOf } from '../../model/training/training-config.js';
import { describeCalibration, renderCalibration } from '../calibrating.js';
import type { Output } from './output.js';
import { formatCount, formatDuration } from './quantities.js';
import { renderTable } from './tables.js';

/** The written model file, and the duration of the training. */
interface Written {
  readonly path: string;
  readonly sha256: string;
  readonly seconds: number;
  readonly calibration: Calibration | undefined;
}

/** Prints the result of `recal train`: the mask rate and loss of each relation, and the model file. */
export function reportTraining(
  result: TrainResult,
  { path, sha256, seconds, calibration }: Written,
  out: Output,
): void {
  const { model, reports, complete } = result;
  const { config, relations, training } = model;
  const rates = maskRates(
    relations.map(({ frequency }) => frequency),
    maskConfigOf(config),
  );
  const first = reports.at(0);
  // A resumed run has no report of the first epoch.
  const firstTitle = first === undefined || first.epoch === 1 ? 'first loss' : `loss in epoch ${first.epoch}`;
  const number = (value: number | undefined) =>
    value === undefined || Number.isNaN(value) ? null : Number(value.toPrecision(6));
  // A shared decoder has one loss for all relations.
  const rows = relations.map(({ name, frequency }, r) => ({
    relation: name,
    events: frequency,
    maskRate: config.balanced && frequency > 0 ? number(rates[r]) : null,
    firstLoss: config.balanced ? number(first?.losses[r]) : null,
    loss: config.balanced ? (training.losses[r] ?? null) : null,
  }));
  const value = {
    model: path,
    id: model.id,
    sha256,
    complete,
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
    history: reports.map(({ loss }) => number(loss)),
    seconds,
    calibration: calibration === undefined ? null : describeCalibration(calibration),
  };
  out.result(value, function* () {
    const fixed = (x: number | null) => (x === null ? '-' : x.toFixed(4));
    yield* renderTable(
      ['relation', 'events', 'mask rate', firstTitle, 'last loss'],
      rows.map((row) => [
        row.relation,
        row.events,
        fixed(row.maskRate),
        fixed(row.firstLoss),
        fixed(row.loss),
      ]),
      out,
    );
    yield '';
    const { done, asked } = training.epochs;
    yield `${done} of ${asked} epochs over ${formatCount(training.graphs)} graphs in ${formatDuration(seconds * 1000)}`;
    if (calibration !== undefined) yield* renderCalibration(calibration);
    yield `model ${model.id.slice(0, 12)} written to ${printable(path)}`;
    if (!complete) yield `continue with: recal train … --resume (${printable(checkpointPath(path))})`;
  });
}
