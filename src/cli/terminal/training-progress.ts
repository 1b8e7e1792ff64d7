import { printable } from '../../base/printable.js';
import type { TrainPlan } from '../../model/training/train.js';
import { type EpochReport, MASKED_LIMIT } from '../../model/training/trainer.js';
import type { CommandContext } from '../command.js';
import type { Progress } from './progress.js';
import { formatBytes, formatCount } from './quantities.js';

const STAGES = {
  events: 'reading events',
  names: 'reading entity names',
  words: 'training word vectors',
  graphs: 'building graphs',
} as const;

/** Number of relations with the highest losses that the line of an epoch lists. */
const WORST = 3;
/** Number of epoch lines in a run. */
const LINES = 20;

/** Prints the progress of training: each stage, the steps with rate and ETA, and the losses of some epochs. */
export class TrainingProgress {
  readonly #context: CommandContext;
  readonly #epochs: number;
  #stage: keyof typeof STAGES | undefined;
  #bar: Progress | undefined;
  #plan: TrainPlan | undefined;
  #before = 0;
  #warned = false;

  constructor(context: CommandContext, epochs: number) {
    this.#context = context;
    this.#epochs = epochs;
  }

  prepared(stage: keyof typeof STAGES, done: number): void {
    if (stage !== this.#stage) {
      this.finish();
      this.#stage = stage;
      this.#bar = this.#context.progress(STAGES[stage], { total: 100, unit: '%' });
    }
    this.#bar?.update(Math.floor(done * 100));
  }

  started(plan: TrainPlan): void {
    this.finish();
    this.#plan = plan;
    const { graphs, relations, features, memory, steps } = plan;
    const nodes = graphs.reduce((sum, { graph }) => sum + graph.nodeCount, 0);
    this.#context.out.info(
      `${formatCount(graphs.length)} graphs, ${formatCount(nodes)} nodes, ${relations.length} relations, ` +
        `${features} features per node, about ${formatBytes(Math.round(memory))}`,
    );
    for (const line of describeParts(plan)) this.#context.out.info(line);
    if (steps.done > 0) this.#context.out.info(`continuing after ${formatCount(steps.done)} steps`);
    // Rate and ETA count only the steps of this run.
    this.#before = steps.done;
    this.#bar = this.#context.progress('training', { total: steps.all - steps.done, unit: 'steps' });
  }

  stepped(steps: number, report: EpochReport | undefined): void {
    this.#bar?.update(steps - this.#before);
    if (report === undefined) return;
    if (report.masked > MASKED_LIMIT && !this.#warned) {
      this.#warned = true;
      const share = (100 * report.masked).toFixed(0);
      this.#context.out.warn(`${share} % of the nodes are masked; too few are left to reconstruct them from`);
      this.#context.out.warn('  hint: lower --mask-base or --mask-max');
    }
    const every = Math.max(1, Math.round(this.#epochs / LINES));
    if (report.epoch === 1 || report.epoch % every === 0) this.#context.out.info(this.#describe(report));
  }

  finish(): void {
    this.#bar?.finish();
    this.#bar = undefined;
  }

  #describe({ epoch, loss, losses, masked }: EpochReport): string {
    const relations = this.#plan?.relations ?? [];
    const worst = Array.from(losses.keys())
      .filter((r) => !Number.isNaN(losses[r]))
      .sort((a, b) => losses[b] - losses[a])
      .slice(0, WORST)
      .map((r) => `${printable(relations[r]?.name ?? '', 40)} ${losses[r].toFixed(3)}`);
    const shared = losses.length !== relations.length; // w/o BL: one decoder for all
    const known = Number.isNaN(loss) ? '-' : loss.toFixed(4);
    return (
      `epoch ${epoch} of ${this.#epochs}: loss ${known}, masked ${masked.toFixed(2)}` +
      (shared || worst.length === 0 ? '' : `, highest ${worst.join(', ')}`)
    );
  }
}

/** Explains which graphs make a run slow because they are processed in parts. */
function* describeParts({ graphs, blocks }: TrainPlan): Generator<string> {
  for (const { graph, title } of graphs) {
    const plan = blocks.get(graph);
    if (plan === undefined) continue;
    yield `${printable(title)} (${formatCount(graph.nodeCount)} nodes) does not fit into memory and is processed in ` +
      `${plan.bounds.length - 1} parts, which is slower; set more --memory or a shorter --window`;
  }
}
