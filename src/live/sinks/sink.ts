import type { Notification } from './notification.js';

/**
 * Delivers notifications to one receiver. `send` resolves when the receiver has taken the notification, and rejects with a
 * `DeliveryError` otherwise. A sink keeps no notification for later: the caller decides what happens after a failure.
 */
export interface Sink {
  /** As the user wrote it, without secrets. */
  readonly name: string;
  send(notification: Notification, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Why a receiver did not take a notification. */
export class DeliveryError extends Error {
  /** False if the same notification would fail again. */
  readonly transient: boolean;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { transient: boolean; retryAfterMs?: number; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DeliveryError';
    this.transient = options.transient;
    this.retryAfterMs = options.retryAfterMs;
  }
}
