import { EXIT, type ExitCode } from '../../base/errors.js';

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

type SignalName = keyof typeof CODES;

/** The part of `process` that signals need. */
export interface SignalHost {
  on(event: SignalName, listener: () => void): unknown;
  off(event: SignalName, listener: () => void): unknown;
}

/** The reason a command's signal is aborted with; `signal.throwIfAborted()` throws it. */
class Interrupted extends Error {
  constructor(
    readonly exit: ExitCode,
    message: string,
  ) {
    super(message);
    this.name = 'AbortError';
  }
}

export interface InterruptOptions {
  host: SignalHost;
  /** Leaves at once, without cleaning up. */
  exit: (code: ExitCode) => void;
  /** Tells the person that the first signal was understood. */
  announce?: () => void;
}

/**
 * Turns Ctrl-C and `kill` into an AbortSignal: the command stops where it is clean to stop. Whoever cannot wait sends
 * a second signal.
 */
export class Interrupt {
  private readonly controller = new AbortController();
  private readonly listeners: [SignalName, () => void][] = [];
  private code: ExitCode | undefined;

  constructor(private readonly options: InterruptOptions) {
    for (const name of Object.keys(CODES) as SignalName[]) {
      const listener = (): void => this.receive(name);
      this.listeners.push([name, listener]);
      options.host.on(name, listener);
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The exit code that the first signal asks for; nothing when none came. */
  get exitCode(): ExitCode | undefined {
    return this.code;
  }

  /** Stops the command for another reason, such as a reader that went away. */
  stop(exit: ExitCode, message: string): void {
    if (this.code !== undefined) return;
    this.code = exit;
    this.controller.abort(new Interrupted(exit, message));
  }

  dispose(): void {
    for (const [name, listener] of this.listeners) this.options.host.off(name, listener);
  }

  private receive(name: SignalName): void {
    if (this.code !== undefined) {
      this.options.exit(CODES[name]);
      return;
    }
    this.options.announce?.();
    this.stop(CODES[name], `stopped by ${name}`);
  }
}

/** Did this error only carry the interruption out? */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
