import { printable } from '../../base/printable.js';
import type { EvaluateWatch } from '../../evaluate/evaluation.js';
import type { SplitsWatch } from '../../evaluate/with-splits.js';
import type { CommandContext } from '../command.js';
import { warnOfProblems } from './malformed-lines.js';
import type { Progress } from './progress.js';
import { formatDuration } from './quantities.js';

const STAGES = {
  words: 'learning word vectors',
  train: 'training',
  fit: 'fitting the detector',
  calibrate: 'calibrating',
  score: 'scoring the test split',
} as const;

interface Run {
  readonly seed: number;
  readonly names: readonly string[];
}

/** Shows how an evaluation proceeds: seed, variants, stage, and the time left. */
export class EvaluationProgress implements EvaluateWatch, SplitsWatch {
  readonly #context: CommandContext;
  readonly #seeds: number;
  #started = performance.now();
  #label = '';
  #bar: Progress | undefined;
  #left = '';
  #scope = '';
  #place = '';

  constructor(context: CommandContext, seeds: number) {
    this.#context = context;
    this.#seeds = seeds;
  }

  note(note: string): void {
    this.#context.out.warn(printable(note, 400));
  }

  read(read: Parameters<typeof warnOfProblems>[1]): void {
    warnOfProblems(this.#context.out, read);
  }

  started(_labels: unknown, notes: readonly string[]): void {
    this.finish();
    for (const note of notes) this.note(note);
  }

  reading(bytes: number, events: number): void {
    this.#show('reading', {});
    this.#bar?.update(bytes, events);
  }

  stage({ seed, names }: Run, stage: keyof typeof STAGES, done: number): void {
    if (this.#label === '' || this.#label === 'reading') this.#started = performance.now();
    this.#show(`${this.#place}seed ${seed}  ${names.join(', ')}  ${STAGES[stage]}${this.#left}`, {
      total: 100,
      unit: '%',
    });
    this.#bar?.update(Math.floor(done * 100));
  }

  /** `done` is the fraction of the whole evaluation that is done. */
  finished({ seed, names, seconds }: Run & { seconds: number }, done: number): void {
    const elapsed = performance.now() - this.#started;
    const left = done > 0 ? (elapsed * (1 - done)) / done : 0;
    this.#left = done < 1 ? `  (about ${formatDuration(left)} left${this.#scope})` : '';
    const prefix = this.#place + (this.#seeds > 1 ? `seed ${seed}: ` : '');
    const duration = formatDuration(seconds * 1000);
    this.#context.out.info(`${prefix}${names.join(', ')} done in ${duration}${this.#left}`);
  }

  /** A trial begins; `place` goes before its lines. The time left is that of the trial, because trials differ in length. */
  trial(place = ''): void {
    this.finish();
    this.#place = place;
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
