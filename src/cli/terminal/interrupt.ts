import { EXIT, type ExitCode } from '../../base/errors.js';

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

type SignalName = keyof typeof CODES;

/** The part of `process` that receives signals. */
export interface SignalHost {
  on(event: SignalName, listener: () => void): unknown;
  off(event: SignalName, listener: () => void): unknown;
}

/** The abort reason of a command, which `signal.throwIfAborted()` throws. */
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
  /** Exits at once, without cleaning up. */
  exit: (code: ExitCode) => void;
  /** Tells the user that the first signal arrived. */
  announce?: () => void;
}

/** Converts Ctrl-C and `kill` to an AbortSignal, so that the command can clean up. A second signal exits at once. */
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

  /** The exit code for the first signal; undefined before a signal. */
  get exitCode(): ExitCode | undefined {
    return this.code;
  }

  /** Stops the command for another reason, such as a closed pipe. */
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

/** Whether this error is the result of an abort. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
