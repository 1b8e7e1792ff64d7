import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification } from './notification.js';
import { DeliveryError, type Sink } from './sink.js';

export interface RetryOptions {
  /** Default: 6. */
  readonly attempts?: number | undefined;
  /** The longest wait before the second attempt; doubles with every attempt. Default: 500. */
  readonly firstWaitMs?: number | undefined;
  readonly mostWaitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** From 0 to 1, for tests. */
  readonly random?: (() => number) | undefined;
}

/**
 * Sends a notification, and tries again after temporary failures. Waits are random up to a limit that doubles, so that many
 * senders do not return at the same moment. Throws the last error.
 */
export async function sendWithRetry(
  sink: Sink,
  notification: Notification,
  options: RetryOptions = {},
): Promise<number> {
  const { attempts = 6, firstWaitMs = 500, mostWaitMs = 60_000, signal, random = Math.random } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      await sink.send(notification, signal);
      return attempt;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof DeliveryError) || !error.transient || attempt >= attempts) throw error;
      const limit = Math.min(mostWaitMs, firstWaitMs * 2 ** (attempt - 1));
      const asked = Math.min(mostWaitMs, error.retryAfterMs ?? 0);
      await sleep(Math.max(asked, random() * limit), undefined, { signal });
    }
  }
}
