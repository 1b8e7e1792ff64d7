import { appendFile } from 'node:fs/promises';
import { safeJson } from '../../base/safe-json.js';
import type { Notification } from './notification.js';

/** Keeps the notifications that a sink could not deliver, one JSON object per line, so that none is lost. */
export class DeadLetters {
  readonly path: string;
  count = 0;

  constructor(path: string) {
    this.path = path;
  }

  async add(sink: string, notification: Notification, error: Error): Promise<void> {
    const time = new Date().toISOString();
    await appendFile(this.path, `${safeJson({ time, sink, error: error.message, notification })}\n`, {
      flush: true,
    });
    this.count++;
  }
}
