import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { EXIT, RecalError } from '../../base/errors.js';
import { hashOf } from './log-files.js';
import { pushedLines } from './pushed-lines.js';
import type { Spool } from './spool.js';
import type { Feed } from './spooled-source.js';

const MOST_BODY = 16 << 20;
const MOST_UNPACKED = 64 << 20;
const RETRY_SECONDS = '5';
const inflate = promisify(gunzip);

export interface HttpFeedOptions {
  /** Senders must give it as `Authorization: Bearer TOKEN`. */
  readonly token?: string | undefined;
  readonly tls?:
    | { readonly cert: string; readonly key: string; readonly ca?: string | undefined }
    | undefined;
}

/**
 * Takes lines that shippers such as Fluent Bit and Vector post. A request is answered with 204 after its lines are on the disk.
 * A full spool answers 429, so that the shipper keeps them and tries again.
 */
export class HttpFeed implements Feed {
  readonly ended = false;
  readonly ends = false;
  readonly losses = new Map<string, number>();
  readonly #url: URL;
  readonly #options: HttpFeedOptions;
  #server: Server | undefined;
  #spool: Spool | undefined;
  #stopping = false;

  constructor(url: URL, options: HttpFeedOptions = {}) {
    this.#url = url;
    this.#options = options;
    if (url.protocol === 'https:' && options.tls === undefined)
      throw unsafe(`${url.origin} needs a certificate`, 'set --listen-cert and --listen-key');
    if (!isLoopback(url.hostname) && options.token === undefined && options.tls?.ca === undefined)
      throw unsafe(
        `${url.origin} would accept logs from any host without authentication`,
        'set --listen-token-file, or --listen-ca to check the certificates of senders',
      );
  }

  /** The port, once it listens. */
  get port(): number {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async start(spool: Spool): Promise<void> {
    this.#spool = spool;
    const { tls } = this.#options;
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.#take(request).then(
        (status) => end(response, status),
        () => end(response, 503),
      );
    };
    const server =
      tls === undefined
        ? createServer(answer)
        : createTlsServer({ ...tls, requestCert: tls.ca !== undefined, rejectUnauthorized: true }, answer);
    server.requestTimeout = 30_000;
    server.maxConnections = 256;
    const port = Number(this.#url.port || (tls === undefined ? 80 : 443));
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(
          new RecalError('listen-failed', `cannot listen on ${this.#url.host}: ${cause.message}`, {
            hint: 'choose another address or port',
            cause,
          }),
        ),
      );
      server.listen(port, this.#url.hostname.replace(/^\[|\]$/g, ''), resolve);
    });
    this.#server = server;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const server = this.#server;
    if (server === undefined) return;
    server.closeIdleConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      setTimeout(() => server.closeAllConnections(), 2000).unref();
    });
  }

  async #take(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' && request.method !== 'PUT') return 405;
    if (!this.#isAllowed(request)) return 401;
    if (this.#stopping) return 503;
    const spool = this.#spool as Spool;
    if (spool.isFull) return 429;
    if (/msgpack|protobuf/.test(request.headers['content-type'] ?? '')) return 415;
    const body = await readBody(request);
    if (body === undefined) return 413;
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' && encoding !== 'gzip') return 415;
    let plain: Buffer = body;
    if (encoding === 'gzip') {
      try {
        plain = await inflate(body, { maxOutputLength: MOST_UNPACKED });
      } catch {
        return 400;
      }
    }
    const lines = pushedLines(plain);
    if (lines.length > 0) await spool.append(lines, true);
    return 204;
  }

  /** Compares hashes, so that neither time nor length tells anything about the token. */
  #isAllowed({ headers }: IncomingMessage): boolean {
    const { token } = this.#options;
    if (token === undefined) return true;
    const given = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(Buffer.from(hashOf(Buffer.from(given))), Buffer.from(hashOf(Buffer.from(token))));
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Buffer).length;
    if (length > MOST_BODY) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

function end(response: ServerResponse, status: number): void {
  const later = status === 429 || status === 503;
  response.writeHead(status, {
    ...(later ? { 'retry-after': RETRY_SECONDS } : {}),
    connection: status === 413 ? 'close' : 'keep-alive',
  });
  response.end();
}

function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}

function unsafe(message: string, hint: string): RecalError {
  return new RecalError('listen-unsafe', message, { hint, exit: EXIT.usage });
}
