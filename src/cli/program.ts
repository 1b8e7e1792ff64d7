import { join, resolve } from 'node:path';
import { EXIT, type ExitCode } from '../base/errors.js';
import { CONFIG_FILE, type ConfigFile, readConfigFile } from '../base/settings/config-file.js';
import { checkConfigKeys } from '../base/settings/config-keys.js';
import {
  misspeltVariables,
  resolveSettings,
  type SettingPlaces,
  type Settings,
} from '../base/settings/settings.js';
import type { Command, CommandEntry } from './command.js';
import { parseCommandLine } from './parse.js';
import { reportFailure } from './terminal/failure.js';
import { Interrupt, isAbort, type SignalHost } from './terminal/interrupt.js';
import { Output, type TextSink } from './terminal/output.js';
import { Progress } from './terminal/progress.js';

/** The process around the program. Tests give their own. */
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
  entries: readonly CommandEntry[],
  host: Host,
): Promise<ExitCode> {
  const { stdout, stderr, env } = host;
  const parsed = await parseCommandLine(argv, entries, host.version);
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
  // Until the settings are checked, the flags alone decide how an error is printed.
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
    const { configSetting, globalSettings } = await import('./settings/global-settings.js');
    const file = await findConfig(globalFlags, host, entries);
    const places: SettingPlaces = { flags: parsed.flags, env, file };
    const globals = resolveSettings(globalSettings, { ...places, flags: globalFlags }, command.name).values;
    out = new Output({ stdout, stderr, env, ...globals });
    stack = globals.stack;
    const settings = resolveSettings(command.settings, places, command.name).values;
    const own = [globalSettings, configSetting, command.settings];
    for (const { name, meant } of await findMisspelt(env, own, entries)) {
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
    // The user asked to stop, but an error while stopping must still be shown.
    if (!isAbort(error)) reportFailure(error, out, stack);
    else if (stopped === EXIT.interrupted || stopped === EXIT.terminated) out.info('stopped');
    return stopped;
  } finally {
    out.status('');
    interrupt?.dispose();
  }
}

/** Loads the other commands only if a RECAL_ variable is not a setting of this one. */
async function findMisspelt(
  env: Host['env'],
  own: readonly Settings[],
  entries: readonly CommandEntry[],
): Promise<{ name: string; meant: string }[]> {
  const names = new Set(own.flatMap(({ entries: declared }) => declared.map((each) => each.env)));
  const isForeign = (name: string) => name.startsWith('RECAL_') && !names.has(name);
  if (!Object.keys(env).some(isForeign)) return [];
  const all = await loadAll(entries);
  return misspeltVariables(env, [...own, ...all.map(({ settings }) => settings)]);
}

function loadAll(entries: readonly CommandEntry[]): Promise<Command[]> {
  return Promise.all(entries.map((entry) => entry.load()));
}

async function findConfig(
  flags: Record<string, unknown>,
  host: Host,
  entries: readonly CommandEntry[],
): Promise<ConfigFile | undefined> {
  const { configSetting, globalSettings } = await import('./settings/global-settings.js');
  const { config } = resolveSettings(configSetting, { flags, env: host.env }).values;
  // Errors call the default file recal.config.json, not by its whole path.
  const path = config === undefined ? join(host.cwd, CONFIG_FILE) : resolve(host.cwd, config);
  const file = readConfigFile(path, config ?? CONFIG_FILE, config !== undefined);
  if (file !== undefined) {
    const known = new Map((await loadAll(entries)).map(({ name, settings }) => [name, settings]));
    checkConfigKeys(file, { shared: globalSettings, commands: known });
  }
  return file;
}

/** Stops quietly when the reader of a pipe is gone, as in `recal … | head`. */
function stopWhenUnread(host: Host, interrupt: Interrupt): void {
  host.stdout.on?.('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    interrupt.stop(EXIT.done, 'the output is no longer read');
    setTimeout(() => host.exit(EXIT.done), PIPE_CLOSED_GRACE_MS).unref();
  });
}

function ignorePipeErrors(host: Host): void {
  host.stdout.on?.('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
