import type { CommandContext } from '../command.js';
import type { Progress } from './progress.js';
import { formatDuration } from './quantities.js';

const STAGES = {
  words: 'learning words',
  train: 'training',
  fit: 'looking back at training',
  calibrate: 'calibrating',
  score: 'judging the test',
} as const;

interface Run {
  readonly seed: number;
  readonly names: readonly string[];
}

/** Says how an evaluation goes: which seed, which variants, which stage, and how long all of it may still take. */
export class EvaluationProgress {
  readonly #context: CommandContext;
  readonly #seeds: number;
  #started = performance.now();
  #label = '';
  #bar: Progress | undefined;
  #left = '';
  #whole = 'in all';

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

  /** `done`: share of all the work, 0 to 1. */
  finished({ seed, names, seconds }: Run & { seconds: number }, done: number): void {
    const elapsed = performance.now() - this.#started;
    const left = done > 0 ? (elapsed * (1 - done)) / done : 0;
    this.#left = done < 1 ? `  (about ${formatDuration(left)} left ${this.#whole})` : '';
    const of = this.#seeds > 1 ? `seed ${seed}: ` : '';
    this.#context.out.info(`${of}${names.join(', ')} done in ${formatDuration(seconds * 1000)}${this.#left}`);
  }

  /** A trial of many begins: how long it takes says nothing of the work before it. */
  trial(): void {
    this.finish();
    this.#label = '';
    this.#left = '';
    this.#whole = 'in this trial';
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
