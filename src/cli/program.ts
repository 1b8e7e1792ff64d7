import { join, resolve } from 'node:path';
import { CONFIG_FILE, type ConfigFile, readConfigFile } from '../base/config-file.js';
import { checkConfigKeys } from '../base/config-keys.js';
import { EXIT, type ExitCode } from '../base/errors.js';
import { misspeltVariables, resolveSettings, type SettingPlaces } from '../base/settings.js';
import type { Command } from './command.js';
import { parseCommandLine } from './parse.js';
import { configSetting, globalSettings } from './settings/global-settings.js';
import { reportFailure } from './terminal/failure.js';
import { Interrupt, isAbort, type SignalHost } from './terminal/interrupt.js';
import { Output, type TextSink } from './terminal/output.js';
import { Progress } from './terminal/progress.js';

/** The process around the program, so that tests can give their own. */
export interface Host {
  stdout: TextSink & { on?(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown };
  stderr: TextSink;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  version: string;
  signals: SignalHost;
  exit: (code: ExitCode) => void;
}

const PIPE_CLOSED_GRACE_MS = 1000;

/** Runs one command line and returns the exit code. Never throws. */
export async function runProgram(
  argv: readonly string[],
  commands: readonly Command[],
  host: Host,
): Promise<ExitCode> {
  const { stdout, stderr, env } = host;
  const parsed = parseCommandLine(argv, commands, host.version);
  if (parsed.ask === 'text') {
    ignorePipeErrors(host);
    stdout.write(parsed.text);
    return EXIT.done;
  }
  if (parsed.ask === 'nothing') {
    stderr.write(parsed.text);
    return EXIT.usage;
  }

  const { globalFlags } = parsed;
  // Until the settings are known to be good, the flags alone say how to complain about them.
  let out = new Output({
    stdout,
    stderr,
    env,
    json: globalFlags.json === true,
    color: typeof globalFlags.color === 'boolean' ? globalFlags.color : undefined,
  });
  let stack = globalFlags.stack === true;
  let interrupt: Interrupt | undefined;
  try {
    if (parsed.ask === 'wrong') throw parsed.error;
    const { command } = parsed;
    const places: SettingPlaces = { flags: parsed.flags, env, file: findConfig(globalFlags, host, commands) };
    const globals = resolveSettings(globalSettings, { ...places, flags: globalFlags }, command.name).values;
    out = new Output({ stdout, stderr, env, ...globals });
    stack = globals.stack;
    const settings = resolveSettings(command.settings, places, command.name).values;
    for (const { name, meant } of misspeltVariables(env, declaredBy(commands))) {
      out.warn(`environment variable ${name} is not a setting; did you mean ${meant}?`);
    }

    const reporter = out;
    interrupt = new Interrupt({
      host: host.signals,
      exit: host.exit,
      announce: () => reporter.info('stopping; a second signal stops at once'),
    });
    stopWhenUnread(host, interrupt);
    const code = await command.run(parsed.args as never, settings, {
      out,
      signal: interrupt.signal,
      progress: (label, options) => new Progress(reporter, label, options),
      places,
    });
    if (out.json && !out.hasAnswered && interrupt.exitCode === undefined) out.result({});
    return interrupt.exitCode ?? code;
  } catch (error) {
    const stopped = interrupt?.exitCode;
    if (stopped === undefined) return reportFailure(error, out, stack);
    // Stopping was asked for; but what went wrong while stopping should still be seen.
    if (!isAbort(error)) reportFailure(error, out, stack);
    return stopped;
  } finally {
    out.status('');
    interrupt?.dispose();
  }
}

function declaredBy(commands: readonly Command[]) {
  return [globalSettings, configSetting, ...commands.map((command) => command.settings)];
}

function findConfig(
  flags: Record<string, unknown>,
  host: Host,
  commands: readonly Command[],
): ConfigFile | undefined {
  const { config } = resolveSettings(configSetting, { flags, env: host.env }).values;
  // The default is named as a person would name it: an error says recal.config.json:3, not its whole path.
  const path = config === undefined ? join(host.cwd, CONFIG_FILE) : resolve(host.cwd, config);
  const file = readConfigFile(path, config ?? CONFIG_FILE, config !== undefined);
  if (file !== undefined) {
    const known = new Map(commands.map((command) => [command.name, command.settings]));
    checkConfigKeys(file, { shared: globalSettings, commands: known });
  }
  return file;
}

/** `recal … | head`: once the reader is gone the command may stop, and nobody wants to hear about it. */
function stopWhenUnread(host: Host, interrupt: Interrupt): void {
  host.stdout.on?.('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    interrupt.stop(EXIT.done, 'nobody reads the output any more');
    setTimeout(() => host.exit(EXIT.done), PIPE_CLOSED_GRACE_MS).unref();
  });
}

function ignorePipeErrors(host: Host): void {
  host.stdout.on?.('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
