import pc from 'picocolors';
import { safeJson } from '../../base/safe-json.js';
import { columnsOf, cutTo } from './columns.js';

/** The part of a Node stream that output needs, so that tests can give their own. */
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
  /** The person's own choice; when left out, colour is for terminals that take it. */
  color?: boolean | undefined;
}

type Colors = ReturnType<typeof pc.createColors>;

/**
 * Where a command talks. Results go to stdout and are the only thing there; everything about the work goes to stderr.
 * Callers pass names from logs through `printable()` (tables do it themselves).
 */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Columns for results: those of the terminal, or Infinity into a pipe, where cutting would only lose text. */
  readonly width: number;
  readonly unicode: boolean;
  /** Colours for results. */
  readonly colors: Colors;
  /** Is a person watching stderr live? */
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
    this.unicode = speaksUtf8(env);
    this.live = stderr.isTTY === true && env.TERM !== 'dumb';
    this.colors = pc.createColors(wantsColor(stdout, env, options.color));
    this.errorColors = pc.createColors(wantsColor(stderr, env, options.color));
  }

  /** Headings of tables. */
  readonly bold = (text: string): string => this.colors.bold(text);

  /** Has the JSON object been printed already? */
  get hasAnswered(): boolean {
    return this.answered;
  }

  /** A line about the work, for a person; `--quiet` silences it. */
  info(line: string): void {
    if (!this.quiet) this.note(line);
  }

  /** Something to know about even when quiet. */
  warn(line: string): void {
    this.note(`${this.errorColors.yellow('warning:')} ${line}`);
  }

  /** A line of an error report; the first word of `error: …` and `hint: …` is coloured. */
  error(line: string): void {
    const [, label, rest] = /^(error|hint): (.*)$/s.exec(line) ?? [undefined, undefined, line];
    if (label === undefined) this.note(rest);
    else
      this.note(
        `${label === 'error' ? this.errorColors.red('error:') : this.errorColors.cyan('hint:')} ${rest}`,
      );
  }

  /** A line of the result for people; with `--json` nothing. */
  print(line = ''): void {
    if (!this.json) this.toStdout(`${line}\n`);
  }

  /**
   * The result. With `--json` it is printed as one JSON object, otherwise `render` says the same in lines for people.
   * A command calls this once.
   */
  result(value: object, render?: () => Iterable<string>): void {
    if (this.json) {
      if (this.answered) throw new Error('a command printed two results');
      this.answered = true;
      this.toStdout(`${safeJson(value)}\n`);
    } else if (render !== undefined) {
      for (const line of render()) this.print(line);
    }
  }

  /** The one line at the bottom of a terminal that is redrawn in place; an empty text takes it away. */
  status(text: string): void {
    if (!this.live || this.quiet) return;
    // One column short: a line that fills the last column wraps on some terminals and can no longer be redrawn.
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

function speaksUtf8(env: OutputOptions['env']): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  if (locale !== undefined && locale !== '') return /utf-?8/i.test(locale);
  // No locale at all: Windows Terminal and macOS' own terminal speak UTF-8 without saying so.
  return env.WT_SESSION !== undefined || env.TERM_PROGRAM !== undefined;
}
