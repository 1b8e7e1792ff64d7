import { open } from 'node:fs/promises';
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
    const file = await open(this.path, 'a');
    try {
      const { size } = await file.stat();
      try {
        await file.appendFile(`${safeJson({ time, sink, error: error.message, notification })}\n`);
        await file.sync();
      } catch (cause) {
        await file.truncate(size).catch(() => undefined); // a full disk leaves no half line behind
        throw cause;
      }
    } finally {
      await file.close();
    }
    this.count++;
  }
}
