import { createServer, type Server } from 'node:http';
import { RecalError } from '../../base/errors.js';
import type { Metrics } from './metrics.js';

/** What can be wrong. Each has an entry in docs/how-to/runbook.md. */
const HEALTH_PROBLEMS = ['store', 'judge', 'checkpoint', 'decisions'] as const;
type HealthProblem = (typeof HEALTH_PROBLEMS)[number];

/** What `/healthz` answers. */
export interface Health {
  readonly ok: boolean;
  readonly phase: string;
  readonly problems: readonly string[];
}

/** `found` says what is wrong of each; undefined for nothing. */
export function healthOf(phase: string, found: Readonly<Record<HealthProblem, string | undefined>>): Health {
  const problems = HEALTH_PROBLEMS.flatMap((name) =>
    found[name] === undefined ? [] : [`${name}: ${found[name]}`],
  );
  return { ok: problems.length === 0, phase, problems };
}

/** Serves `/metrics` and `/healthz`. */
export class MetricsServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(address: string, metrics: Metrics, health: () => Health): Promise<MetricsServer> {
    const { host, port } = parseAddress(address);
    const server = createServer((request, response) => {
      const answer = (status: number, type: string, body: string): void => {
        response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
        response.end(request.method === 'HEAD' ? '' : body);
      };
      const path = (request.url ?? '').split('?')[0];
      if (request.method !== 'GET' && request.method !== 'HEAD') answer(405, 'text/plain', '');
      else if (path === '/metrics')
        metrics.render().then(
          (body) => answer(200, 'text/plain; version=0.0.4; charset=utf-8', body),
          () => answer(500, 'text/plain', ''),
        );
      else if (path === '/healthz') {
        const state = health();
        answer(state.ok ? 200 : 503, 'application/json', `${JSON.stringify(state)}\n`);
      } else answer(404, 'text/plain', 'see /metrics and /healthz\n');
    });
    server.requestTimeout = 10_000;
    server.maxConnections = 64;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(
          new RecalError('listen-failed', `cannot serve metrics on ${address}: ${cause.message}`, {
            hint: 'set --metrics to a free ADDRESS:PORT, or to off',
            cause,
          }),
        ),
      );
      server.listen(port, host, resolve);
    });
    return new MetricsServer(server);
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function parseAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}
