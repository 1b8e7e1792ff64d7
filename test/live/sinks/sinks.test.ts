import { createSocket } from 'node:dgram';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { addressProblem } from '../../../src/live/sinks/address-guard.js';
import { DeadLetters } from '../../../src/live/sinks/dead-letters.js';
import { DeliveredNotifications, deliver } from '../../../src/live/sinks/deliver.js';
import { openSink, openSinks } from '../../../src/live/sinks/open-sink.js';
import { sendWithRetry } from '../../../src/live/sinks/retry.js';
import { signature } from '../../../src/live/sinks/signature.js';
import { DeliveryError, type Sink } from '../../../src/live/sinks/sink.js';
import { newFolder } from '../../folders.js';
import { hostileNotification, notificationWith } from './sample-notifications.js';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close(); // sinks before their receivers
});

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  url: string;
}

/** A receiver on this machine that answers with these statuses in turn, the last one for ever. */
async function receiver(statuses: readonly number[] = [200], headers: Record<string, string> = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const status = statuses[Math.min(received.length, statuses.length - 1)];
      received.push({ headers: request.headers, body, url: request.url ?? '' });
      response.writeHead(status, headers).end('because');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  );
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function opened(spec: string, options = {}): Promise<Sink> {
  const sink = await openSink(spec, options);
  closers.push(() => sink.close());
  return sink;
}

const quick = { firstWaitMs: 1, random: () => 0 };

describe('webhook', () => {
  it('posts the notification with its key and a signature that the receiver can check', async () => {
    const { received, url } = await receiver();
    const sink = await opened(`recal:${url}/hook?x=1`, { secret: 's3cret', authorization: 'Bearer t' });
    await sink.send(hostileNotification());
    const [{ headers, body, url: path }] = received;
    expect(path).toBe('/hook?x=1');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': '0123456789abcdef.1',
      authorization: 'Bearer t',
    });
    const timestamp = headers['x-recal-timestamp'] as string;
    expect(headers['x-recal-signature']).toBe(`v1=${signature('s3cret', timestamp, Buffer.from(body))}`);
    expect(JSON.parse(body)).toMatchObject({ id: '0123456789abcdef' });
  });

  it('tries again after failures that may pass, with the same key', async () => {
    const { received, url } = await receiver([503, 429, 200]);
    expect(await sendWithRetry(await opened(`recal:${url}`), notificationWith(), quick)).toBe(3);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('does not try again what will fail again, and says what the receiver answered', async () => {
    const { received, url } = await receiver([400]);
    const sending = sendWithRetry(await opened(`recal:${url}`), notificationWith(), quick);
    await expect(sending).rejects.toThrow('the receiver answered 400: because');
    expect(received).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    const target = await receiver();
    const { url } = await receiver([302], { location: target.url });
    await expect((await opened(`recal:${url}`)).send(notificationWith())).rejects.toMatchObject({
      transient: false,
    });
    expect(target.received).toEqual([]);
  });

  it('waits as long as the receiver asks', async () => {
    const { url } = await receiver([429], { 'retry-after': '7' });
    await expect((await opened(`recal:${url}`)).send(notificationWith())).rejects.toMatchObject({
      retryAfterMs: 7000,
    });
  });

  it('gives up on a receiver that is gone, and keeps the secret path out of its name', async () => {
    const sink = await opened('slack:http://127.0.0.1:9/T1/secret');
    expect(sink.name).toMatch(/^slack:http:\/\/127\.0\.0\.1:9#[0-9a-f]{8}$/);
    await expect(sendWithRetry(sink, notificationWith(), { ...quick, attempts: 2 })).rejects.toThrow(
      /cannot reach/,
    );
  });

  it('never reaches the metadata service of a cloud', async () => {
    const sink = await opened('recal:http://169.254.169.254/latest');
    await expect(sink.send(notificationWith())).rejects.toMatchObject({ transient: false });
  });
});

describe('addresses', () => {
  it.each([
    ['10.0.0.5', '10.0.0.5', true],
    ['localhost', '127.0.0.1', true],
    ['siem.internal', '192.168.1.9', true],
    ['siem', '192.168.1.9', true],
    ['hooks.example.com', '203.0.113.9', true],
    ['hooks.example.com', '10.0.0.5', false],
    ['hooks.example.com', '::ffff:127.0.0.1', false],
    ['hooks.example.com', '::1', false],
    ['localhost', '169.254.169.254', false],
    ['siem', '::ffff:169.254.169.254', false],
    ['siem', 'fe80::1', false],
    ['siem', '0.0.0.0', false],
  ])('%s at %s: %s', (name, address, allowed) => {
    expect(addressProblem(name, address) === undefined).toBe(allowed);
  });
});

describe('file', () => {
  it('has one line per notification, also after an interrupted write', async () => {
    const path = join(newFolder(), 'out.jsonl');
    writeFileSync(path, '{"whole":1}\n');
    appendFileSync(path, '{"half":');
    const sink = await opened(`recal:${path}`);
    await sink.send(notificationWith());
    await sink.send(hostileNotification());
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line))[0])).toEqual(['whole', 'id', 'id']);
  });

  it('in a folder that does not exist is refused', async () => {
    await expect(openSink(`ocsf:${join(newFolder(), 'no', 'x.jsonl')}`)).rejects.toMatchObject({
      code: 'sink-unusable',
    });
  });
});

describe('syslog', () => {
  it('sends one datagram per notification', async () => {
    const server = createSocket('udp4');
    const message = new Promise<Buffer>((resolve) => server.once('message', resolve));
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    await (await opened(`cef:udp://127.0.0.1:${server.address().port}`)).send(notificationWith());
    expect((await message).toString()).toMatch(
      /^<107>1 2026-01-02T03:09:00\.001Z [!-~]+ recal - 0123456789abcdef\.1 - CEF:0\|RECAL\|recal\|/,
    );
  });

  it('writes the length before each message over TCP, and connects again after the receiver closed', async () => {
    let text = '';
    const server = createTcpServer((socket) => {
      socket.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const sink = await opened(`cef:tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await sink.send(notificationWith());
    await sink.send(hostileNotification());
    await expect.poll(() => messagesOf(text).length).toBe(2);
    await sink.close();
    await sink.send(notificationWith({ revision: 2 }));
    await expect.poll(() => messagesOf(text).length).toBe(3);
  });

  /** Splits octet-counted messages (RFC 6587). */
  function messagesOf(text: string): string[] {
    const bytes = Buffer.from(text);
    const messages: string[] = [];
    for (let at = 0; at < bytes.length; ) {
      const space = bytes.indexOf(0x20, at);
      const length = Number(bytes.toString('latin1', at, space));
      if (space < 0 || space + 1 + length > bytes.length) break;
      messages.push(bytes.toString('utf8', space + 1, space + 1 + length));
      at = space + 1 + length;
    }
    return messages;
  }
});

describe('delivery', () => {
  const failing: Sink = {
    name: 'failing',
    send: () => Promise.reject(new DeliveryError('gone', { transient: false })),
    close: async () => undefined,
  };
  function memory() {
    const sent: string[] = [];
    const sink: Sink = {
      name: 'memory',
      send: async ({ id }) => void sent.push(id),
      close: async () => undefined,
    };
    return { sent, sink };
  }

  it('a sink that fails stops no other, and what it missed is kept', async () => {
    const { sent, sink } = memory();
    const path = join(newFolder(), 'dead.jsonl');
    const notifications = [notificationWith({ id: 'a' }), notificationWith({ id: 'b' })];
    const known = await DeliveredNotifications.open(undefined);
    const result = await deliver(notifications, [failing, sink], known, {
      deadLetters: new DeadLetters(path),
    });
    expect(result).toMatchObject({
      delivered: 2,
      known: 0,
      failed: [{ notification: 'a.1' }, { notification: 'b.1' }],
    });
    expect(sent).toEqual(['a', 'b']);
    const kept = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(kept.map((line) => JSON.parse(line).notification.id)).toEqual(['a', 'b']);
  });

  it('tells a notification once, also after a restart, and a new revision again', async () => {
    const path = join(newFolder(), 'sent.json');
    const { sent, sink } = memory();
    await deliver([notificationWith({ id: 'a' })], [sink], await DeliveredNotifications.open(path));
    const again = await deliver(
      [notificationWith({ id: 'a' }), notificationWith({ id: 'a', revision: 2 })],
      [sink],
      await DeliveredNotifications.open(path),
    );
    expect(again).toMatchObject({ delivered: 1, known: 1 });
    expect(sent).toEqual(['a', 'a']);
  });

  it('notes what each of many sinks was sent, although they deliver at the same time', async () => {
    const folder = newFolder();
    const path = join(folder, 'sent.json');
    const sinks = Array.from({ length: 8 }, (_, i): Sink => ({ ...memory().sink, name: `sink ${i}` }));
    const notifications = Array.from({ length: 20 }, (_, i) => notificationWith({ id: String(i) }));
    const first = await deliver(notifications, sinks, await DeliveredNotifications.open(path), {
      deadLetters: new DeadLetters(join(folder, 'dead.jsonl')),
    });
    expect(first).toMatchObject({ delivered: 160, known: 0, failed: [] });
    const again = await deliver(notifications, sinks, await DeliveredNotifications.open(path));
    expect(again).toMatchObject({ delivered: 0, known: 160 });
    expect(readdirSync(folder)).toEqual(['sent.json']);
  });

  it('stops when it cannot note what was sent: the notification is not called undelivered', async () => {
    const path = join(newFolder(), 'sent.json');
    const known = await DeliveredNotifications.open(path);
    mkdirSync(path);
    const { sent, sink } = memory();
    await expect(deliver([notificationWith({ id: 'a' })], [sink], known)).rejects.toThrow();
    expect(sent).toEqual(['a']);
  });

  it('tells two webhooks of one host apart, and opens a receiver that is named twice once', async () => {
    const { received, url } = await receiver();
    const sinks = await openSinks([`slack:${url}/T1/B2`, `slack:${url}/T1/B3`, `slack:${url}/T1/B2`]);
    closers.push(() => Promise.all(sinks.map((sink) => sink.close())));
    const known = await DeliveredNotifications.open(join(newFolder(), 'sent.json'));
    await deliver([notificationWith()], sinks, known);
    expect(received.map((request) => request.url).sort()).toEqual(['/T1/B2', '/T1/B3']);
    expect(sinks.every((sink) => known.has(sink, notificationWith()))).toBe(true);
    expect(new Set(sinks.map(({ name }) => name)).size).toBe(2);
  });

  it('a damaged list of delivered notifications is refused', async () => {
    const path = join(newFolder(), 'sent.json');
    writeFileSync(path, '{"x":1}');
    await expect(DeliveredNotifications.open(path)).rejects.toMatchObject({ code: 'sink-state-damaged' });
  });
});

it.each(['slack', 'nothing:x', 'recal:', 'recal:ftp://x/y', 'recal:http://'])(
  '%j is no sink',
  async (spec) => {
    await expect(openSink(spec)).rejects.toMatchObject({ code: 'unknown-sink', exit: 2 });
  },
);
