import { createHash } from 'node:crypto';
import { lookup } from 'node:dns';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { ownVersion } from '../../base/own-version.js';
import { printable } from '../../base/printable.js';
import { addressProblem } from './address-guard.js';
import { deliveryKey, type Notification } from './notification.js';
import type { Shape } from './shape.js';
import { signature } from './signature.js';
import { DeliveryError, type Sink } from './sink.js';

const TIMEOUT_MS = 10_000;
/** Of a refusal, the receiver's own words are shown up to this length. */
const MOST_ANSWER = 300;
const TRANSIENT = new Set([408, 425, 429]);

export interface HttpSinkOptions {
  /** Signs every body; the receiver checks the header `x-recal-signature`. */
  readonly secret?: string | undefined;
  /** Value of the header `authorization`. */
  readonly authorization?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Posts each notification to a URL. Redirects are not followed. */
export class HttpSink implements Sink {
  readonly name: string;
  readonly #url: URL;
  readonly #shape: Shape;
  readonly #options: HttpSinkOptions;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(url: URL, shape: Shape, options: HttpSinkOptions = {}) {
    this.name = `${shape.name}:${nameOf(url)}`;
    this.#url = url;
    this.#shape = shape;
    this.#options = options;
    const settings = { keepAlive: true, maxSockets: 2 };
    this.#agent = url.protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings);
  }

  send(notification: Notification, signal?: AbortSignal): Promise<void> {
    const body = Buffer.from(this.#shape.message(notification));
    const headers = this.#headers(notification, body);
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const literal = this.#url.hostname.replace(/^\[|\]$/g, '');
    const problem = isIP(literal) === 0 ? undefined : addressProblem(literal, literal);
    if (problem !== undefined) return Promise.reject(new DeliveryError(problem, { transient: false }));
    return new Promise((resolve, reject) => {
      const request = (this.#url.protocol === 'https:' ? requestHttps : requestHttp)(this.#url, {
        method: 'POST',
        headers,
        agent: this.#agent,
        signal,
        timeout: timeoutMs,
        lookup: guardedLookup,
      });
      request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      request.on('error', (cause) =>
        reject(
          cause instanceof DeliveryError
            ? cause
            : new DeliveryError(`cannot reach ${this.#url.host}: ${printable(cause.message, MOST_ANSWER)}`, {
                transient: true,
                cause,
              }),
        ),
      );
      request.on('response', (response) => {
        readAnswer(response).then((answer) => {
          const refusal = refusalOf(response, answer);
          if (refusal === undefined) resolve();
          else reject(refusal);
        }, reject);
      });
      request.end(body);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }

  #headers(notification: Notification, body: Buffer): Record<string, string> {
    const { secret, authorization } = this.#options;
    const headers: Record<string, string> = {
      'content-type': this.#shape.contentType,
      'content-length': String(body.length),
      'user-agent': `recal/${ownVersion()}`,
      'idempotency-key': deliveryKey(notification),
    };
    if (authorization !== undefined) headers.authorization = authorization;
    if (secret !== undefined) {
      const timestamp = String(Math.floor(Date.now() / 1000));
      headers['x-recal-timestamp'] = timestamp;
      headers['x-recal-signature'] = `v1=${signature(secret, timestamp, body)}`;
    }
    return headers;
  }
}

/** A short hash distinguishes webhooks of one host, because the path is often a secret. */
function nameOf({ protocol, host, pathname, search }: URL): string {
  const path = `${pathname}${search}`;
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 8);
  return `${protocol}//${host}${path === '/' ? '' : `#${hash}`}`;
}

/** Resolves a name, and refuses it if one of its addresses is not for receivers. */
const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    for (const { address } of addresses) {
      const problem = addressProblem(hostname, address);
      if (problem !== undefined) return callback(new DeliveryError(problem, { transient: false }), []);
    }
    if (options.all === true) return callback(null, addresses);
    const [{ address, family }] = addresses;
    return callback(null, address, family);
  });
};

async function readAnswer(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of response.setEncoding('utf8'))
    if (text.length < MOST_ANSWER) text += piece as string;
  return text;
}

function refusalOf(response: IncomingMessage, answer: string): DeliveryError | undefined {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return undefined;
  const words = answer === '' ? '' : `: ${printable(answer.slice(0, MOST_ANSWER))}`;
  const seconds = Number(response.headers['retry-after']);
  return new DeliveryError(`the receiver answered ${status}${words}`, {
    transient: TRANSIENT.has(status) || status >= 500,
    ...(Number.isFinite(seconds) && seconds > 0 && { retryAfterMs: seconds * 1000 }),
  });
}
