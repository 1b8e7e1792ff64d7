import type { ExitCode } from '../base/errors.js';
import type { SettingPlaces, SettingShape, Settings, SettingValues } from '../base/settings.js';
import type { Output } from './terminal/output.js';
import type { Progress, ProgressOptions } from './terminal/progress.js';

/** One positional argument; they are read in the order in which they are declared. */
export interface Argument {
  readonly description: string;
  readonly optional?: boolean;
  /** Takes all the rest; only the last may. */
  readonly many?: boolean;
}

export type ArgumentShape = Readonly<Record<string, Argument>>;

export type ArgumentValues<A extends ArgumentShape> = {
  readonly [K in keyof A]: A[K] extends { many: true }
    ? readonly string[]
    : A[K] extends { optional: true }
      ? string | undefined
      : string;
};

/** What a command is given besides its arguments and settings. */
export interface CommandContext {
  readonly out: Output;
  /** Aborted by Ctrl-C and `kill`; long work checks it and stops where that is clean. */
  readonly signal: AbortSignal;
  /** Starts the progress line of one piece of long work. */
  readonly progress: (label: string, options?: ProgressOptions) => Progress;
  /** Where the settings were looked up. */
  readonly places: SettingPlaces;
}

/** One command of the program: a file in src/cli exports one, and src/cli/commands.ts lists it. */
export interface Command<A extends ArgumentShape = ArgumentShape, S extends SettingShape = SettingShape> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** More for the command's own help. */
  readonly details?: string;
  /** Whole command lines, shown in the help. */
  readonly examples?: readonly string[];
  readonly arguments: A;
  readonly settings: Settings<S>;
  // A method, not a property: its parameters must stay assignable to those of the plain `Command` in the list.
  run(args: ArgumentValues<A>, settings: SettingValues<S>, context: CommandContext): Promise<ExitCode>;
}

/** Only for its types: `args` and `settings` of `run` follow from the declarations. */
export function defineCommand<const A extends ArgumentShape, const S extends SettingShape>(
  command: Command<A, S>,
): Command<A, S> {
  return command;
}
