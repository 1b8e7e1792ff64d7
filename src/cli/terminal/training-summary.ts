import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import type { TrainingSummary } from '../../pipeline/training-summary.js';
import { renderCalibration } from './calibration-summary.js';
import { formatDuration } from './quantities.js';
import { type Look, renderTable } from './tables.js';

/** The result of `recal train`: mask rate and loss of each relation, and where the model is. */
export function* renderTraining(summary: TrainingSummary, look: Look): Generator<string> {
  const fixed = (value: number | null) => (value === null ? '-' : value.toFixed(4));
  const { firstEpoch, epochs, calibration, checkpoint } = summary;
  // A resumed run has not seen the first epoch.
  const firstTitle = firstEpoch === 1 ? 'first loss' : `loss in epoch ${firstEpoch}`;
  yield* renderTable(
    ['relation', 'events', 'mask rate', firstTitle, 'last loss'],
    summary.relations.map((row) => [
      row.relation,
      row.events,
      fixed(row.maskRate),
      fixed(row.firstLoss),
      fixed(row.loss),
    ]),
    look,
  );
  yield '';
  yield `${epochs.done} of ${countOf(epochs.asked, 'epoch')} over ${countOf(summary.graphs, 'graph')} (${countOf(summary.steps, 'step')}) in ${formatDuration(summary.seconds * 1000)}`;
  if (calibration !== null) yield* renderCalibration(calibration);
  yield `model ${summary.id.slice(0, 12)} written to ${printable(summary.model)}`;
  if (checkpoint !== null) yield `to continue: recal train … --resume (checkpoint ${printable(checkpoint)})`;
}
