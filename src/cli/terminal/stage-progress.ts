import type { CommandContext } from '../command.js';
import type { Progress } from './progress.js';

/** A progress line for each stage of long work, in per cent. */
export class StageProgress {
  readonly #context: Pick<CommandContext, 'progress'>;
  #stage: string | undefined;
  #bar: Progress | undefined;

  constructor(context: Pick<CommandContext, 'progress'>) {
    this.#context = context;
  }

  /** Shows how far a stage is, 0 to 1. A new stage gets a new line. */
  update(stage: string, done: number): void {
    if (stage !== this.#stage) {
      this.finish();
      this.#stage = stage;
      this.#bar = this.#context.progress(stage, { total: 100, unit: '%' });
    }
    this.#bar?.update(Math.floor(Math.min(1, done) * 100));
  }

  finish(): void {
    this.#bar?.finish();
    this.#bar = undefined;
    this.#stage = undefined;
  }
}
