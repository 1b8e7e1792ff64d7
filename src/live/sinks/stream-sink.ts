import type { Writable } from 'node:stream';
import type { Notification } from './notification.js';
import type { Shape } from './shape.js';
import { DeliveryError, type Sink } from './sink.js';

/** Writes one line per notification to a stream such as standard output. */
export class StreamSink implements Sink {
  readonly name: string;
  readonly #shape: Shape;
  readonly #stream: Writable;

  constructor(stream: Writable, shape: Shape) {
    this.name = `${shape.name}:-`;
    this.#shape = shape;
    this.#stream = stream;
  }

  send(notification: Notification): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(`${this.#shape.message(notification)}\n`, (cause) => {
        if (cause === undefined || cause === null) resolve();
        else reject(new DeliveryError('the stream is closed', { transient: false, cause }));
      });
    });
  }

  async close(): Promise<void> {}
}
