import { type ChildProcess, fork } from 'node:child_process';

interface Answer<Result> {
  readonly id: number;
  readonly result?: Result;
  readonly error?: { readonly message: string; readonly code?: string };
}

/** A failure in a worker process. */
export class WorkerError extends Error {
  /** The code of a `RecalError`, if it was one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = 'WorkerError';
    this.code = code;
  }
}

/** Runs work in a process of its own. If it dies, the call fails, and the next call starts it again. */
export class WorkerProcess<Request, Result> {
  readonly #module: URL;
  #child: ChildProcess | undefined;
  #next = 0;
  readonly #waiting = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>();

  constructor(module: URL) {
    this.#module = module;
  }

  call(request: Request): Promise<Result> {
    const child = this.#start();
    const id = ++this.#next;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      child.send({ id, request }, (error) => {
        if (error !== null) this.#fail(new WorkerError(error.message));
      });
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL'); // it only reads, or writes files that are not used yet
    });
    this.#fail(new WorkerError('stopped'));
  }

  #start(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = fork(this.#module, [], { serialization: 'advanced', stdio: ['ignore', 2, 2, 'ipc'] });
    child.on('message', (message) => {
      const { id, result, error } = message as Answer<Result>;
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error !== undefined) call?.reject(new WorkerError(error.message, error.code));
      else call?.resolve(result as Result);
    });
    child.on('exit', (code, signal) => {
      if (this.#child === child) this.#child = undefined;
      this.#fail(new WorkerError(`the process ended with ${signal ?? `code ${code}`}`));
    });
    child.on('error', (error) => this.#fail(new WorkerError(error.message)));
    this.#child = child;
    return child;
  }

  #fail(error: WorkerError): void {
    const calls = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of calls) reject(error);
  }
}

/** Answers the requests of a `WorkerProcess`, one after another, until its parent ends. */
export function serveRequests<Request, Result>(answer: (request: Request) => Promise<Result>): void {
  // Ctrl-C reaches all processes of a terminal; the parent decides when this one ends.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined);
  process.on('disconnect', () => process.exit(0));
  let before: Promise<unknown> = Promise.resolve();
  process.on('message', (message) => {
    const { id, request } = message as { id: number; request: Request };
    before = before.then(async () => {
      const reply: Answer<Result> = await answer(request).then(
        (result) => ({ id, result }),
        (error: unknown) => ({
          id,
          error:
            error instanceof Error
              ? { message: error.message, code: String((error as { code?: unknown }).code ?? '') }
              : { message: String(error) },
        }),
      );
      process.send?.(reply);
    });
  });
}
