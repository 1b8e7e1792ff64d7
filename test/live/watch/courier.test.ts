import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DeadLetters } from '../../../src/live/sinks/dead-letters.js';
import { DeliveredNotifications } from '../../../src/live/sinks/deliver.js';
import type { Notification } from '../../../src/live/sinks/notification.js';
import { DeliveryError, type Sink } from '../../../src/live/sinks/sink.js';
import { Courier } from '../../../src/live/watch/courier.js';
import { newFolder } from '../../folders.js';
import { notificationWith } from '../sinks/sample-notifications.js';

/** A receiver that fails as it is told. */
class Receiver implements Sink {
  readonly name = 'test';
  readonly taken: string[] = [];
  fail: DeliveryError | undefined;

  async send({ id, revision }: Notification): Promise<void> {
    if (this.fail !== undefined) throw this.fail;
    this.taken.push(`${id}.${revision}`);
  }

  async close(): Promise<void> {}
}

const note = (id: string, revision = 1) => notificationWith({ id, revision });

async function courierOf(folder: string, sink: Receiver): Promise<Courier> {
  const delivered = await DeliveredNotifications.open(join(folder, 'sent.json'));
  const events = { delivered: () => undefined, failed: () => undefined };
  return new Courier([{ sink, delivered }], new DeadLetters(join(folder, 'dead.jsonl')), events);
}

it('delivers in order, and each notification once, also after a restart', async () => {
  const folder = newFolder();
  const sink = new Receiver();
  const first = await courierOf(folder, sink);
  first.add([note('a'), note('b'), note('a', 2)]);
  expect(await first.drain(5000)).toBe(true);
  await first.close();
  const second = await courierOf(folder, sink);
  second.add([note('b'), note('c')]);
  expect(await second.drain(5000)).toBe(true);
  await second.close();
  expect(sink.taken).toEqual(['a.1', 'b.1', 'a.2', 'c.1']);
});

it('keeps what a receiver cannot take now, and delivers it later', async () => {
  const folder = newFolder();
  const sink = new Receiver();
  sink.fail = new DeliveryError('down', { transient: true });
  const courier = await courierOf(folder, sink);
  courier.add([note('a'), note('b')]);
  expect(await courier.drain(300)).toBe(false);
  expect(courier.settle()).toHaveLength(2);
  sink.fail = undefined;
  expect(await courier.drain(10_000)).toBe(true);
  await courier.close();
  expect(sink.taken).toEqual(['a.1', 'b.1']);
  expect(existsSync(join(folder, 'dead.jsonl'))).toBe(false);
});

it('puts what a receiver refuses into the dead letters, and goes on', async () => {
  const folder = newFolder();
  const sink = new Receiver();
  sink.fail = new DeliveryError('no such channel', { transient: false });
  const courier = await courierOf(folder, sink);
  courier.add([note('a')]);
  expect(await courier.drain(5000)).toBe(true);
  await courier.close();
  expect(readFileSync(join(folder, 'dead.jsonl'), 'utf8')).toContain('no such channel');
});
