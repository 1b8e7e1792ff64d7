import pc from 'picocolors';
import { safeJson } from '../../base/safe-json.js';
import { columnsOf, cutTo } from './columns.js';

/** The part of a Node stream that output needs. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface OutputOptions {
  stdout: TextSink;
  stderr: TextSink;
  env: Readonly<Record<string, string | undefined>>;
  json?: boolean;
  quiet?: boolean;
  /** The user's choice. Default: colour on terminals that support it. */
  color?: boolean | undefined;
}

type Colors = ReturnType<typeof pc.createColors>;

/**
 * The output of a command. Only results go to stdout; progress, warnings and errors go to stderr. Callers must pass
 * text from logs through `printable()`; tables do it themselves.
 */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Width for results in columns; Infinity for a pipe, so that no text is cut. */
  readonly width: number;
  readonly unicode: boolean;
  /** Colours for results. */
  readonly colors: Colors;
  /** Whether stderr is a terminal that can redraw a line. */
  readonly live: boolean;
  private readonly stdout: TextSink;
  private readonly stderr: TextSink;
  private readonly errorColors: Colors;
  private statusText = '';
  private answered = false;

  constructor(options: OutputOptions) {
    const { stdout, stderr, env } = options;
    this.stdout = stdout;
    this.stderr = stderr;
    this.json = options.json ?? false;
    this.quiet = options.quiet ?? false;
    this.width = widthOf(stdout, env);
    this.unicode = usesUtf8(env);
    this.live = stderr.isTTY === true && env.TERM !== 'dumb';
    this.colors = pc.createColors(wantsColor(stdout, env, options.color));
    this.errorColors = pc.createColors(wantsColor(stderr, env, options.color));
  }

  /** Makes headings bold. */
  readonly bold = (text: string): string => this.colors.bold(text);

  /** Whether the JSON result has been printed. */
  get hasAnswered(): boolean {
    return this.answered;
  }

  /** Prints a line about the work to stderr, unless `--quiet` is set. */
  info(line: string): void {
    if (!this.quiet) this.note(line);
  }

  /** Prints a warning to stderr, also with `--quiet`. */
  warn(line: string): void {
    this.note(`${this.errorColors.yellow('warning:')} ${line}`);
  }

  /** Prints a line of an error report to stderr. The labels `error:` and `hint:` are coloured. */
  error(line: string): void {
    const [, label, rest] = /^(error|hint): (.*)$/s.exec(line) ?? [undefined, undefined, line];
    if (label === undefined) this.note(rest);
    else
      this.note(
        `${label === 'error' ? this.errorColors.red('error:') : this.errorColors.cyan('hint:')} ${rest}`,
      );
  }

  /** Prints a line of the result to stdout, unless `--json` is set. */
  print(line = ''): void {
    if (!this.json) this.toStdout(`${line}\n`);
  }

  /** Prints the result: one JSON object with `--json`, otherwise the lines of `render`. A command calls this once. */
  result(value: object, render?: () => Iterable<string>): void {
    if (this.json) {
      if (this.answered) throw new Error('a command must print only one result');
      this.answered = true;
      this.toStdout(`${safeJson(value)}\n`);
    } else if (render !== undefined) {
      for (const line of render()) this.print(line);
    }
  }

  /** Redraws the status line at the bottom of the terminal. An empty text removes it. */
  status(text: string): void {
    if (!this.live || this.quiet) return;
    // Some terminals wrap a line that fills the last column, and then cannot redraw it.
    const shown = cutTo(text, Math.max(1, (this.stderr.columns || 80) - 1));
    if (shown === this.statusText) return;
    this.stderr.write(`\r${shown}${' '.repeat(Math.max(0, columnsOf(this.statusText) - columnsOf(shown)))}`);
    if (shown === '') this.stderr.write('\r');
    this.statusText = shown;
  }

  private note(line: string): void {
    const status = this.statusText;
    this.status('');
    this.stderr.write(`${line}\n`);
    this.status(status);
  }

  private toStdout(text: string): void {
    const status = this.statusText;
    this.status('');
    this.stdout.write(text);
    this.status(status);
  }
}

function wantsColor(stream: TextSink, env: OutputOptions['env'], chosen: boolean | undefined): boolean {
  if (chosen !== undefined) return chosen;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '')
    return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

function widthOf(stream: TextSink, env: OutputOptions['env']): number {
  if (stream.isTTY === true && stream.columns) return stream.columns;
  const exported = Number(env.COLUMNS);
  return Number.isInteger(exported) && exported >= 20
    ? exported
    : stream.isTTY === true
      ? 80
      : Number.POSITIVE_INFINITY;
}

function usesUtf8(env: OutputOptions['env']): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (locale !== undefined && locale !== '') return /utf-?8/i.test(locale);
  // Windows Terminal and the macOS terminal use UTF-8 without setting a locale.
  return env.WT_SESSION !== undefined || env.TERM_PROGRAM !== undefined;
}
