import type { CommandContext } from '../command.js';
import type { Progress } from './progress.js';
import { formatDuration } from './quantities.js';

const STAGES = {
  words: 'training word vectors',
  train: 'training',
  fit: 'fitting the evidence',
  calibrate: 'calibrating',
  score: 'scoring the test split',
} as const;

interface Run {
  readonly seed: number;
  readonly names: readonly string[];
}

/** Prints the progress of an evaluation: the seed, the variants, the stage, and the estimated time left. */
export class EvaluationProgress {
  readonly #context: CommandContext;
  readonly #seeds: number;
  #started = performance.now();
  #label = '';
  #bar: Progress | undefined;
  #left = '';
  #scope = '';

  constructor(context: CommandContext, seeds: number) {
    this.#context = context;
    this.#seeds = seeds;
  }

  reading(bytes: number, events: number): void {
    this.#show('reading', {});
    this.#bar?.update(bytes, events);
  }

  stage({ seed, names }: Run, stage: keyof typeof STAGES, done: number): void {
    if (this.#label === '' || this.#label === 'reading') this.#started = performance.now();
    this.#show(`seed ${seed}  ${names.join(', ')}  ${STAGES[stage]}${this.#left}`, { total: 100, unit: '%' });
    this.#bar?.update(Math.floor(done * 100));
  }

  /** `done` is the fraction of the whole evaluation that is done. */
  finished({ seed, names, seconds }: Run & { seconds: number }, done: number): void {
    const elapsed = performance.now() - this.#started;
    const left = done > 0 ? (elapsed * (1 - done)) / done : 0;
    this.#left = done < 1 ? `  (about ${formatDuration(left)} left${this.#scope})` : '';
    const prefix = this.#seeds > 1 ? `seed ${seed}: ` : '';
    const duration = formatDuration(seconds * 1000);
    this.#context.out.info(`${prefix}${names.join(', ')} done in ${duration}${this.#left}`);
  }

  /** Starts the next trial of a sweep. The estimate of the time left starts anew. */
  trial(): void {
    this.finish();
    this.#label = '';
    this.#left = '';
    this.#scope = ' in this trial';
  }

  finish(): void {
    this.#bar?.finish();
    this.#bar = undefined;
  }

  #show(label: string, options: { total?: number; unit?: string }): void {
    if (label === this.#label && this.#bar !== undefined) return;
    this.finish();
    this.#label = label;
    this.#bar = this.#context.progress(label, options);
  }
}
