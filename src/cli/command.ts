import type { ExitCode } from '../base/errors.js';
import type { SettingPlaces, SettingShape, Settings, SettingValues } from '../base/settings/settings.js';
import type { Output } from './terminal/output.js';
import type { Progress, ProgressOptions } from './terminal/progress.js';

/** A positional argument. Arguments are read in the order of their declaration. */
export interface Argument {
  readonly description: string;
  readonly optional?: boolean;
  /** Takes all remaining arguments; only the last one may. */
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

/** What a command gets besides its arguments and settings. */
export interface CommandContext {
  readonly out: Output;
  /** Aborted by Ctrl-C and `kill`. Long work checks it and stops at a clean point. */
  readonly signal: AbortSignal;
  /** Starts a progress line. */
  readonly progress: (label: string, options?: ProgressOptions) => Progress;
  /** Where the settings came from. */
  readonly places: SettingPlaces;
}

/** What a file in src/cli/commands exports. src/cli/commands.ts gives it its name and summary. */
export interface CommandDefinition<
  A extends ArgumentShape = ArgumentShape,
  S extends SettingShape = SettingShape,
> {
  /** More text for the command's own help. */
  readonly details?: string;
  /** Whole command lines, shown in the help. */
  readonly examples?: readonly string[];
  readonly arguments: A;
  readonly settings: Settings<S>;
  // A method, not a property: its parameters must stay assignable to those of the plain definition in the list.
  run(args: ArgumentValues<A>, settings: SettingValues<S>, context: CommandContext): Promise<ExitCode>;
}

/** Infers the types of `args` and `settings` from the declarations. */
export function defineCommand<const A extends ArgumentShape, const S extends SettingShape>(
  command: CommandDefinition<A, S>,
): CommandDefinition<A, S> {
  return command;
}

/** A command with its name and the line for the list of commands. */
export interface Command extends CommandDefinition {
  readonly name: string;
  readonly summary: string;
}

/** A command that is not loaded yet: `recal --help` lists many and runs none. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}
