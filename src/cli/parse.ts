import { Command as Commander, CommanderError } from 'commander';
import type { ErrorCode } from '../base/error-codes.js';
import { EXIT, RecalError } from '../base/errors.js';
import { countOf } from '../base/number-text.js';
import { closestName } from '../base/settings/closest-name.js';
import type { ArgumentShape, Command, CommandEntry } from './command.js';
import { generalNotes } from './help.js';
import { globalOptions, optionsOf, setOption } from './settings/options.js';
import { movedOption, withSetValues } from './settings/set-values.js';

/** What a command line asks for. `text` is help or the version, to be printed as it is. */
export type Parsed =
  | { ask: 'run'; command: Command; args: Record<string, unknown>; flags: Flags; globalFlags: Flags }
  | { ask: 'text'; text: string }
  | { ask: 'wrong'; error: RecalError; globalFlags: Flags }
  | { ask: 'nothing'; text: string };

type Flags = Record<string, unknown>;

/** Reads the command line with commander. Loads only the command it names, and runs nothing. */
export async function parseCommandLine(
  argv: readonly string[],
  entries: readonly CommandEntry[],
  version: string,
): Promise<Parsed> {
  const named = namedCommand(argv, entries);
  const unknown = named === undefined ? unknownTopic(argv) : undefined;
  const command = await named?.load();
  const printed: string[] = [];
  const program = newProgram(version, (text) => printed.push(text));
  let chosen: { args: Record<string, unknown>; flags: Flags } | undefined;
  for (const entry of entries) {
    const sub = program.command(entry.name).summary(entry.summary).allowExcessArguments(false);
    if (command === undefined || entry !== named) continue;
    addDetails(sub, command);
    sub.action(() => {
      const flags = withSetValues(sub.opts(), command.settings, command.name);
      chosen = { args: nameArguments(command.arguments, sub.processedArgs), flags };
    });
  }
  program.on('command:*', ([name]: string[]) => {
    throw unknownCommand(name, entries);
  });

  try {
    if (unknown !== undefined) throw unknownCommand(unknown, entries);
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof RecalError) return { ask: 'wrong', error, globalFlags: program.opts() };
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { ask: 'text', text: printed.join('') };
    if (error.code === 'commander.help') return { ask: 'nothing', text: printed.join('') };
    return { ask: 'wrong', error: usageError(error, command), globalFlags: program.opts() };
  }
  if (chosen === undefined || command === undefined) {
    return { ask: 'nothing', text: program.helpInformation() };
  }
  return { ask: 'run', command, ...chosen, globalFlags: program.opts() };
}

function newProgram(version: string, print: (text: string) => void): Commander {
  const program = new Commander('recal')
    .description('Finds intruders in system audit logs without examples of attacks.')
    .usage('<command> [options]')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: 100,
      // The list of commands is for choosing one; its arguments are in its own help.
      subcommandTerm: (sub) => sub.name(),
    })
    .helpCommand('help [command]', "print a command's help")
    .configureOutput({
      writeOut: print,
      writeErr: print,
      // Errors also arrive as exceptions and are printed like all others.
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    });
  for (const option of globalOptions()) program.addOption(option);
  return program.addHelpText('after', generalNotes());
}

function addDetails(
  sub: Commander,
  { name, summary, details, arguments: shape, settings, examples }: Command,
): void {
  sub.description(details === undefined ? summary : `${summary}\n\n${details}`);
  for (const [argumentName, argument] of Object.entries(shape)) {
    const shown = argument.many ? `${argumentName}...` : argumentName;
    sub.argument(argument.optional ? `[${shown}]` : `<${shown}>`, argument.description);
  }
  for (const option of optionsOf(settings)) sub.addOption(option);
  if (settings.entries.some(({ bySet }) => bySet)) sub.addOption(setOption(name));
  if (examples !== undefined) {
    sub.addHelpText('after', ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n'));
  }
}

/** The name in `recal help NAME`. Commander prints the general help if it is unknown. */
function unknownTopic(argv: readonly string[]): string | undefined {
  const [help, name] = argv;
  return help === 'help' && name !== 'help' && !name?.startsWith('-') ? name : undefined;
}

/** The command that the line names, also in `recal help NAME`. Commander decides the rest. */
function namedCommand(argv: readonly string[], entries: readonly CommandEntry[]): CommandEntry | undefined {
  const words = argv.filter((word, i) => !word.startsWith('-') && argv[i - 1] !== '--config');
  const name = words[0] === 'help' ? words[1] : words[0];
  return entries.find((entry) => entry.name === name);
}

function nameArguments(shape: ArgumentShape, values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, argument], index) => [
      name,
      values[index] ?? (argument.many ? [] : undefined),
    ]),
  );
}

/** The error for a command that does not exist. */
export function unknownCommand(name: string, entries: readonly { readonly name: string }[]): RecalError {
  const near = closestName(
    name,
    entries.map((entry) => entry.name),
  );
  return new RecalError('usage-unknown-command', `unknown command '${name}'`, {
    hint: near === undefined ? "'recal --help' lists the commands" : `did you mean '${near}'?`,
    exit: EXIT.usage,
  });
}

function usageOf(command: Command): string {
  const words = Object.entries(command.arguments).map(([name, { many, optional }]) => {
    const shown = `${name.toUpperCase()}${many ? '…' : ''}`;
    return optional ? `[${shown}]` : shown;
  });
  return `usage: ${['recal', command.name, ...words, '[options]'].join(' ')}`;
}

/** Errors for which the usage line is the hint. */
const ARGUMENT_CODES = new Set(['commander.missingArgument', 'commander.excessArguments']);

/** Commander's codes as ours. */
const USAGE_CODES: Readonly<Record<string, ErrorCode>> = {
  'commander.unknownOption': 'usage-unknown-option',
  'commander.unknownCommand': 'usage-unknown-command',
  'commander.missingArgument': 'usage-missing-argument',
  'commander.optionMissingArgument': 'usage-missing-value',
  'commander.excessArguments': 'usage-too-many-arguments',
  'commander.invalidArgument': 'usage-invalid-argument',
};

/** Words without an option name, such as `recal verify DIR`. */
function tooMany(command: Command, raw: string): RecalError {
  const takes = Object.keys(command.arguments).length;
  const given = /but got (\d+)/.exec(raw)?.[1];
  const option = command.settings.entries.find(({ value, bySet }) => value !== undefined && !bySet);
  return new RecalError(
    'usage-too-many-arguments',
    takes === 0
      ? `recal ${command.name} takes only options`
      : `recal ${command.name} takes ${countOf(takes, 'argument')}, not ${given}`,
    {
      hint:
        takes === 0 && option !== undefined
          ? `give each value with its option, such as ${option.flag} ${option.value}; 'recal ${command.name} --help' lists them`
          : usageOf(command),
      exit: EXIT.usage,
    },
  );
}

/** An error of commander as ours. Its suggestion, if it has one, becomes the hint. */
function usageError(error: CommanderError, command: Command | undefined): RecalError {
  const [first, ...rest] = error.message.replace(/^error: /, '').split('\n');
  const flag = /^unknown option '(.*)'$/.exec(first)?.[1];
  const moved = flag === undefined || command === undefined ? undefined : movedOption(flag, command.settings);
  if (moved !== undefined) return moved;
  const name = command === undefined ? 'recal' : `recal ${command.name}`;
  if (command !== undefined && error.code === 'commander.excessArguments') return tooMany(command, first);
  const suggestion = /^\((.*)\)$/.exec(rest.join(' '))?.[1].replace(/^D/, 'd');
  return new RecalError(USAGE_CODES[error.code] ?? 'usage', first, {
    hint:
      suggestion ??
      (command !== undefined && ARGUMENT_CODES.has(error.code)
        ? usageOf(command)
        : `'${name} --help' shows its usage`),
    exit: EXIT.usage,
  });
}
