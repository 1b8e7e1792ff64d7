import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect as connectTcp, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { printable } from '../../base/printable.js';
import type { Severity } from '../../detect/alerts/severity.js';
import { deliveryKey, type Notification } from './notification.js';
import type { Shape } from './shape.js';
import { DeliveryError, type Sink } from './sink.js';

/** Facility `log audit` of RFC 5424. */
const FACILITY = 13;
const LEVELS: Readonly<Record<Severity, number>> = { info: 6, low: 5, medium: 4, high: 3, critical: 2 };
const TIMEOUT_MS = 10_000;
/** Longer datagrams are fragmented or dropped on the way. */
const MOST_DATAGRAM = 2048;
const DEFAULT_PORTS = { 'udp:': 514, 'tcp:': 601, 'tls:': 6514 } as const;

export type SyslogProtocol = keyof typeof DEFAULT_PORTS;

export function isSyslogProtocol(protocol: string): protocol is SyslogProtocol {
  return Object.hasOwn(DEFAULT_PORTS, protocol);
}

/** Sends notifications as RFC 5424 messages over UDP, TCP or TLS. Over TCP and TLS a message has its length before it. */
export class SyslogSink implements Sink {
  readonly name: string;
  readonly #protocol: SyslogProtocol;
  readonly #host: string;
  readonly #port: number;
  readonly #shape: Shape;
  #stream: Socket | undefined;
  #datagrams: UdpSocket | undefined;

  constructor(url: URL, protocol: SyslogProtocol, shape: Shape) {
    this.#protocol = protocol;
    this.#host = url.hostname.replace(/^\[|\]$/g, '');
    this.#port = url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port);
    this.#shape = shape;
    this.name = `${shape.name}:${protocol}//${this.#host}:${this.#port}`;
  }

  async send(notification: Notification, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const message = Buffer.from(syslogMessage(notification, this.#shape));
    try {
      if (this.#protocol === 'udp:') await this.#sendDatagram(cutUtf8(message, MOST_DATAGRAM));
      else await this.#write(Buffer.concat([Buffer.from(`${message.length} `), message]));
    } catch (cause) {
      const why = printable((cause as Error).message, 300);
      throw new DeliveryError(`cannot reach ${this.#host}:${this.#port}: ${why}`, { transient: true, cause });
    }
  }

  async close(): Promise<void> {
    const stream = this.#stream;
    if (stream !== undefined && !stream.destroyed) await new Promise<void>((resolve) => stream.end(resolve));
    this.#datagrams?.close();
  }

  #sendDatagram(message: Buffer): Promise<void> {
    this.#datagrams ??= createSocket(this.#host.includes(':') ? 'udp6' : 'udp4').unref();
    const socket = this.#datagrams;
    return new Promise((resolve, reject) => {
      socket.send(message, this.#port, this.#host, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  async #write(message: Buffer): Promise<void> {
    const stream = await this.#connected();
    await new Promise<void>((resolve, reject) => {
      stream.write(message, (error) => (error === undefined || error === null ? resolve() : reject(error)));
    });
  }

  #connected(): Promise<Socket> {
    const open = this.#stream;
    if (open !== undefined && !open.destroyed && open.writable) return Promise.resolve(open);
    const where = { host: this.#host, port: this.#port };
    const isTls = this.#protocol === 'tls:';
    const socket = isTls ? connectTls({ ...where, servername: this.#host }) : connectTcp(where);
    this.#stream = socket;
    return new Promise((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        socket.setTimeout(0);
        resolve(socket);
      });
      socket.on('error', reject); // after the connection is made, the next write reports the error
    });
  }
}

function syslogMessage(notification: Notification, shape: Shape): string {
  const priority = FACILITY * 8 + LEVELS[notification.severity];
  const own = hostname().replace(/[^!-~]/g, '') || '-';
  const time = new Date(notification.last).toISOString();
  return `<${priority}>1 ${time} ${own} recal - ${deliveryKey(notification)} - ${shape.message(notification)}`;
}

/** Cuts UTF-8 between two characters. */
function cutUtf8(bytes: Buffer, most: number): Buffer {
  if (bytes.length <= most) return bytes;
  let end = most;
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
