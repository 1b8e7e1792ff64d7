import { Command as Commander, CommanderError } from 'commander';
import { closestName } from '../base/closest-name.js';
import type { ErrorCode } from '../base/error-codes.js';
import { EXIT, RecalError } from '../base/errors.js';
import type { ArgumentShape, Command } from './command.js';
import { generalNotes } from './help.js';
import { configSetting, globalSettings } from './settings/global-settings.js';
import { optionsOf } from './settings/options.js';

/** What a command line asks for; `text` is help or the version, to be printed as it is. */
export type Parsed =
  | { ask: 'run'; command: Command; args: Record<string, unknown>; flags: Flags; globalFlags: Flags }
  | { ask: 'text'; text: string }
  | { ask: 'wrong'; error: RecalError; globalFlags: Flags }
  | { ask: 'nothing'; text: string };

type Flags = Record<string, unknown>;

/** Reads the command line with commander; nothing is looked up or run yet. */
export function parseCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
  version: string,
): Parsed {
  let printed = '';
  let chosen: { command: Command; args: Record<string, unknown>; flags: Flags } | undefined;
  const program = new Commander('recal')
    .description('Finds intruders in system audit logs without ever having seen an attack.')
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
      writeOut: (text) => {
        printed += text;
      },
      writeErr: (text) => {
        printed += text;
      },
      // Errors arrive as exceptions too and are printed like all others.
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    });
  for (const option of [...optionsOf(globalSettings), ...optionsOf(configSetting)]) program.addOption(option);
  for (const command of commands) {
    const sub = program
      .command(command.name)
      .summary(command.summary)
      .description(
        command.details === undefined ? command.summary : `${command.summary}\n\n${command.details}`,
      )
      .allowExcessArguments(false);
    for (const [name, argument] of Object.entries(command.arguments)) {
      const shown = argument.many ? `${name}...` : name;
      sub.argument(argument.optional ? `[${shown}]` : `<${shown}>`, argument.description);
    }
    for (const option of optionsOf(command.settings)) sub.addOption(option);
    if (command.examples !== undefined) {
      sub.addHelpText('after', ['', 'Examples:', ...command.examples.map((line) => `  ${line}`)].join('\n'));
    }
    sub.action(() => {
      chosen = { command, args: named(command.arguments, sub.processedArgs), flags: sub.opts() };
    });
  }
  program.addHelpText('after', generalNotes());
  program.on('command:*', ([name]: string[]) => {
    throw unknownCommand(name, commands);
  });

  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof RecalError) return { ask: 'wrong', error, globalFlags: program.opts() };
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { ask: 'text', text: printed };
    if (error.code === 'commander.help') return { ask: 'nothing', text: printed };
    return {
      ask: 'wrong',
      error: usageError(error, chosenName(argv, commands)),
      globalFlags: program.opts(),
    };
  }
  if (chosen === undefined) return { ask: 'nothing', text: program.helpInformation() };
  return { ask: 'run', ...chosen, globalFlags: program.opts() };
}

function named(shape: ArgumentShape, values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, argument], index) => [
      name,
      values[index] ?? (argument.many ? [] : undefined),
    ]),
  );
}

function chosenName(argv: readonly string[], commands: readonly Command[]): string {
  const name = argv.find((word) => commands.some((command) => command.name === word));
  return name === undefined ? 'recal' : `recal ${name}`;
}

function unknownCommand(name: string, commands: readonly Command[]): RecalError {
  const near = closestName(
    name,
    commands.map((command) => command.name),
  );
  return new RecalError('usage-unknown-command', `unknown command '${name}'`, {
    hint: near === undefined ? "'recal --help' lists the commands" : `did you mean '${near}'?`,
    exit: EXIT.usage,
  });
}

/** Commander's codes as ours. */
const USAGE_CODES: Readonly<Record<string, ErrorCode>> = {
  'commander.unknownOption': 'usage-unknown-option',
  'commander.unknownCommand': 'usage-unknown-command',
  'commander.missingArgument': 'usage-missing-argument',
  'commander.optionMissingArgument': 'usage-missing-value',
  'commander.excessArguments': 'usage-too-many-arguments',
  'commander.invalidArgument': 'usage-invalid-argument',
};

/** Commander's own complaint in the shape of ours: its suggestion, if it has one, is the hint. */
function usageError(error: CommanderError, command: string): RecalError {
  const [first, ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = /^\((.*)\)$/.exec(rest.join(' '))?.[1].replace(/^D/, 'd');
  return new RecalError(USAGE_CODES[error.code] ?? 'usage', first, {
    hint: suggestion ?? `'${command} --help' shows how it is used`,
    exit: EXIT.usage,
  });
}
