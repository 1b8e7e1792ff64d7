import { setTimeout as sleep } from 'node:timers/promises';
import { append } from '../../base/append.js';
import type { DeadLetters } from '../sinks/dead-letters.js';
import type { DeliveredNotifications } from '../sinks/deliver.js';
import type { Notification } from '../sinks/notification.js';
import { DeliveryError, type Sink } from '../sinks/sink.js';

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 60_000;

/** A sink, and what it has had. */
export interface Receiver {
  readonly sink: Sink;
  readonly delivered: DeliveredNotifications;
}

export interface CourierEvents {
  delivered(sink: string): void;
  /** `final` if the receiver refused for good. */
  failed(sink: string, error: Error, final: boolean): void;
}

/**
 * Brings notifications to every sink, in order. One that a sink cannot take now is tried until it can; one that it refuses goes
 * to the dead letters.
 */
export class Courier {
  readonly #receivers: readonly Receiver[];
  readonly #deadLetters: DeadLetters;
  readonly #events: CourierEvents;
  readonly #stop = new AbortController();
  #outbox: Notification[] = [];
  #wake: (() => void)[] = [];
  #running: Promise<void>[] = [];

  constructor(receivers: readonly Receiver[], deadLetters: DeadLetters, events: CourierEvents) {
    this.#receivers = receivers;
    this.#deadLetters = deadLetters;
    this.#events = events;
    this.#running = receivers.map((receiver) => this.#serve(receiver));
  }

  add(notifications: readonly Notification[]): void {
    append(this.#outbox, notifications);
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Takes out what every sink has had, and returns the rest. */
  settle(): readonly Notification[] {
    this.#outbox = this.#outbox.filter((notification) =>
      this.#receivers.some(({ sink, delivered }) => !delivered.has(sink, notification)),
    );
    return this.#outbox;
  }

  /** Waits until everything is delivered, or this long. */
  async drain(mostMs: number): Promise<boolean> {
    const end = performance.now() + mostMs;
    while (this.settle().length > 0 && performance.now() < end) await sleep(20);
    return this.settle().length === 0;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const wake of this.#wake.splice(0)) wake();
    await Promise.all(this.#running);
    for (const { sink } of this.#receivers) await sink.close();
  }

  /** False if the disk takes no dead letter now: then the notification stays in the outbox. */
  async #putAway(
    sink: Sink,
    delivered: DeliveredNotifications,
    notification: Notification,
    why: Error,
  ): Promise<boolean> {
    try {
      await this.#deadLetters.add(sink.name, notification, why);
    } catch (error) {
      this.#events.failed(sink.name, error instanceof Error ? error : new Error(String(error)), false);
      return false;
    }
    // Without it on the disk, a restart asks the sink again, and the sink refuses again.
    await delivered.add(sink, notification).catch(() => undefined);
    return true;
  }

  async #serve({ sink, delivered }: Receiver): Promise<void> {
    const { signal } = this.#stop;
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const next = this.#outbox.find((notification) => !delivered.has(sink, notification));
      if (next === undefined) {
        await new Promise<void>((resolve) => this.#wake.push(resolve));
        continue;
      }
      try {
        await sink.send(next, signal);
        await delivered.add(sink, next);
        this.#events.delivered(sink.name);
        wait = FIRST_WAIT_MS;
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof Error ? error : new Error(String(error));
        const final = error instanceof DeliveryError && !error.transient;
        this.#events.failed(sink.name, failure, final);
        if (final && (await this.#putAway(sink, delivered, next, failure))) continue;
        const asked = error instanceof DeliveryError ? (error.retryAfterMs ?? 0) : 0;
        const pause = Math.min(MOST_WAIT_MS, Math.max(asked, wait * (0.5 + Math.random() / 2)));
        wait = Math.min(MOST_WAIT_MS, wait * 2);
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
