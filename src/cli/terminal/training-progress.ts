import { countOf } from '../../base/number-text.js';
import { printable } from '../../base/printable.js';
import { type EpochReport, MASKED_LIMIT } from '../../model/training/trainer.js';
import type { Notice } from '../../pipeline/notice.js';
import type { TrainingPlan, TrainStage, TrainWatch } from '../../pipeline/train.js';
import type { CommandContext } from '../command.js';
import { reportNotice } from './notices.js';
import type { Progress } from './progress.js';
import { formatBytes } from './quantities.js';
import { StageProgress } from './stage-progress.js';

const LABELS: Readonly<Record<Exclude<TrainStage, 'training'>, string>> = {
  events: 'reading events',
  names: 'reading names',
  words: 'learning word vectors',
  graphs: 'building graphs',
  fitting: 'fitting the detector',
  calibrating: 'calibrating',
};

/** Relations named in the line about an epoch: those with the highest loss. */
const WORST = 3;
/** Lines about epochs in one run. */
const LINES = 20;

/** Shows how training proceeds: a line per stage, then steps with rate and ETA, and some epochs with their losses. */
export class TrainingProgress implements TrainWatch {
  readonly #context: CommandContext;
  readonly #stages: StageProgress;
  #bar: Progress | undefined;
  #plan: TrainingPlan | undefined;
  #warned = false;

  constructor(context: CommandContext) {
    this.#context = context;
    this.#stages = new StageProgress(context);
  }

  stage(stage: TrainStage, done: number): void {
    if (stage === 'training') return; // `stepped` shows it
    this.#finishSteps();
    this.#stages.update(LABELS[stage], done);
  }

  planned(plan: TrainingPlan): void {
    this.finish();
    this.#plan = plan;
    const { out } = this.#context;
    const { graphs, nodes, relations, features, memory, steps } = plan;
    out.info(
      `${countOf(graphs, 'graph')}, ${countOf(nodes, 'node')}, ${countOf(relations.length, 'relation')}, ` +
        `${features} features per node, about ${formatBytes(Math.round(memory))}`,
    );
    for (const { title, nodes: size, parts } of plan.inParts) {
      out.info(
        `${printable(title)} (${countOf(size, 'node')}) does not fit into memory and is processed in ${parts} parts, ` +
          'which is slower; raise --memory or shorten the window with --set window=MINUTES',
      );
    }
    if (steps.done > 0) out.info(`continuing after ${countOf(steps.done, 'step')}`);
    this.#bar = this.#context.progress('training', { total: steps.all - steps.done, unit: 'steps' });
  }

  stepped(steps: number, report: EpochReport | undefined): void {
    // Rate and ETA are those of this run, not of the run it resumes.
    this.#bar?.update(steps - (this.#plan?.steps.done ?? 0));
    if (report === undefined) return;
    if (report.masked > MASKED_LIMIT && !this.#warned) {
      this.#warned = true;
      reportNotice(
        {
          level: 'warning',
          message: `${(100 * report.masked).toFixed(0)} % of the nodes are masked; little is left to reconstruct them from`,
          hint: 'lower maskBase or maskMax with --set',
        },
        this.#context.out,
      );
    }
    const epochs = this.#epochs;
    const every = Math.max(1, Math.round(epochs / LINES));
    if (report.epoch === 1 || report.epoch % every === 0)
      this.#context.out.info(this.#describe(report, epochs));
  }

  readonly notice = (notice: Notice): void => reportNotice(notice, this.#context.out);

  finish(): void {
    this.#stages.finish();
    this.#finishSteps();
  }

  /** Every epoch takes one step per graph. */
  get #epochs(): number {
    const { steps, graphs } = this.#plan ?? { steps: { all: 0 }, graphs: 1 };
    return Math.round(steps.all / Math.max(1, graphs));
  }

  #finishSteps(): void {
    this.#bar?.finish();
    this.#bar = undefined;
  }

  #describe({ epoch, loss, losses, masked }: EpochReport, epochs: number): string {
    const relations = this.#plan?.relations ?? [];
    const worst = Array.from(losses.keys())
      .filter((r) => !Number.isNaN(losses[r]))
      .sort((a, b) => losses[b] - losses[a])
      .slice(0, WORST)
      .map((r) => `${printable(relations[r] ?? '', 40)} ${losses[r].toFixed(3)}`);
    const isShared = losses.length !== relations.length; // without balanced learning one decoder serves all
    const known = Number.isNaN(loss) ? '-' : loss.toFixed(4);
    return (
      `epoch ${epoch} of ${epochs}: loss ${known}, masked ${masked.toFixed(2)}` +
      (isShared || worst.length === 0 ? '' : `, highest ${worst.join(', ')}`)
    );
  }
}
