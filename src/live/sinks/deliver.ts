import { readFile } from 'node:fs/promises';
import { isSystemError, RecalError } from '../../base/errors.js';
import { replaceFile } from '../../base/files/replace-file.js';
import { printable } from '../../base/printable.js';
import type { DeadLetters } from './dead-letters.js';
import { deliveryKey, type Notification } from './notification.js';
import { type RetryOptions, sendWithRetry } from './retry.js';
import type { Sink } from './sink.js';

/** The result of a delivery. */
export interface Delivery {
  readonly delivered: number;
  /** Notifications that the receiver already had. */
  readonly known: number;
  readonly failed: readonly {
    readonly sink: string;
    readonly notification: string;
    readonly error: string;
  }[];
}

/** Records which sink got which notification, so that each gets it once. */
export class DeliveredNotifications {
  readonly #path: string | undefined;
  readonly #keys: Set<string>;
  /** The write that has not begun; keys that are added meanwhile are part of it. */
  #next: Promise<void> | undefined;
  /** Sinks deliver at the same time, but there is one file: its writes follow one another. */
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string | undefined, keys: Set<string>) {
    this.#path = path;
    this.#keys = keys;
  }

  /** Without a path nothing is remembered. */
  static async open(path: string | undefined): Promise<DeliveredNotifications> {
    if (path === undefined) return new DeliveredNotifications(undefined, new Set());
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isSystemError(error, 'ENOENT')) return '[]';
      throw error;
    });
    return new DeliveredNotifications(path, new Set(parseKeys(text, path)));
  }

  has(sink: Sink, notification: Notification): boolean {
    return this.#keys.has(`${sink.name} ${deliveryKey(notification)}`);
  }

  /** Resolves when the key is on the disk. */
  add(sink: Sink, notification: Notification): Promise<void> {
    this.#keys.add(`${sink.name} ${deliveryKey(notification)}`);
    const path = this.#path;
    if (path === undefined) return Promise.resolve();
    this.#next ??= this.#last
      .catch(() => undefined) // whoever waited for that write knows
      .then(() => {
        this.#next = undefined;
        this.#last = replaceFile(path, `${JSON.stringify([...this.#keys], null, 1)}\n`);
        return this.#last;
      });
    return this.#next;
  }
}

function parseKeys(text: string, path: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((key) => typeof key === 'string')) return value as string[];
  } catch {
    // Reported below.
  }
  throw new RecalError('sink-state-damaged', `${printable(path)} is not a list of delivered notifications`, {
    hint: 'restore the file, or delete it; notifications are then sent again, and receivers can drop them by their key',
    where: { file: path },
  });
}

/** Sends notifications to every sink. If one sink fails, the others and the next notifications are still sent. */
export async function deliver(
  notifications: readonly Notification[],
  sinks: readonly Sink[],
  known: DeliveredNotifications,
  options: RetryOptions & {
    readonly deadLetters?: DeadLetters | undefined;
    /** Leaves out notifications for some sinks. */
    readonly isWanted?: (sink: Sink, notification: Notification) => boolean;
  } = {},
): Promise<Delivery> {
  const results = await Promise.all(
    sinks.map(async (sink) => {
      const result = { delivered: 0, known: 0, failed: [] as Delivery['failed'][number][] };
      for (const notification of notifications) {
        if (options.isWanted?.(sink, notification) === false) continue;
        if (known.has(sink, notification)) {
          result.known++;
          continue;
        }
        try {
          await sendWithRetry(sink, notification, options);
        } catch (error) {
          options.signal?.throwIfAborted();
          if (!(error instanceof Error)) throw error;
          await options.deadLetters?.add(sink.name, notification, error);
          result.failed.push({
            sink: sink.name,
            notification: deliveryKey(notification),
            error: error.message,
          });
          continue;
        }
        result.delivered++;
        await known.add(sink, notification);
      }
      return result;
    }),
  );
  return {
    delivered: results.reduce((sum, { delivered }) => sum + delivered, 0),
    known: results.reduce((sum, { known: had }) => sum + had, 0),
    failed: results.flatMap(({ failed }) => failed),
  };
}
