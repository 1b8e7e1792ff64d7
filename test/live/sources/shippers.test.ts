import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { HttpFeed } from '../../../src/live/sources/http-feed.js';
import { SpooledSource } from '../../../src/live/sources/spooled-source.js';
import { newFolder } from '../../folders.js';
import { readAll } from './source-contract.js';

const FIRST = 'type=EXECVE msg=audit(1522972800.123:7): argc=1 a0="x=\\"\\u202e\\\\"';
const SECOND = 'type=EOE msg=audit(1522972800.123:7):';
const LINES = `${FIRST}\n${SECOND}\n`;
/** As the tail input of Fluent Bit and the file source of Vector make records of lines. */
const fluent = [FIRST, SECOND].map((log) => JSON.stringify({ date: 1522972800.123456, log }));
const vector = [FIRST, SECOND].map((message) =>
  JSON.stringify({
    file: '/var/log/audit/audit.log',
    host: 'web1',
    message,
    source_type: 'file',
    timestamp: '2018-04-06T00:00:00.123456789Z',
  }),
);

const FLUENT = { 'User-Agent': 'Fluent-Bit' };
const VECTOR = { 'User-Agent': 'Vector/0.39.0 (x86_64-unknown-linux-gnu)', 'Accept-Encoding': 'identity' };
const JSON_TYPE = 'application/json';
const NDJSON = 'application/x-ndjson';

type Request = readonly [name: string, headers: Record<string, string>, type: string, body: string];

/** The requests of the http outputs of Fluent Bit 3 and Vector 0.39, as their documentation and sources describe them. */
const REQUESTS: readonly Request[] = [
  ['Fluent Bit, format json', FLUENT, JSON_TYPE, `[${fluent.join(',')}]`],
  ['Fluent Bit, format json_lines', FLUENT, NDJSON, `${fluent.join('\n')}\n`],
  ['Fluent Bit before 3.0, format json_lines', FLUENT, JSON_TYPE, `${fluent.join('\n')}\n`],
  ['Fluent Bit, format json_stream', FLUENT, JSON_TYPE, fluent.join('')],
  ['Vector, codec json', VECTOR, JSON_TYPE, `[${vector.join(',')}]`],
  // Vector leaves out the last newline.
  ['Vector, codec json, newline_delimited', VECTOR, NDJSON, vector.join('\n')],
  ['Vector, codec text', VECTOR, 'text/plain', `${FIRST}\n${SECOND}\n`],
];

it.each(REQUESTS.flatMap((request) => [[...request, false] as const, [...request, true] as const]))(
  '%s',
  async (_, headers, type, body, compress) => {
    const feed = new HttpFeed(new URL('http://127.0.0.1:0'), { token: 'sesame' });
    const source = new SpooledSource('http', newFolder(), feed);
    await source.open(undefined);
    const bytes = compress ? gzipSync(body) : Buffer.from(body);
    const status = await post(feed.port, bytes, {
      ...headers,
      'Content-Type': type,
      ...(compress ? { 'Content-Encoding': 'gzip' } : {}),
      Authorization: 'Bearer sesame',
    });
    expect(status).toBe('HTTP/1.1 204 No Content');
    expect((await readAll(source)).text).toBe(LINES);
    await source.close();
  },
);

it('refuses MessagePack, the default of Fluent Bit, with a status that its log shows', async () => {
  const feed = new HttpFeed(new URL('http://127.0.0.1:0'));
  const source = new SpooledSource('http', newFolder(), feed);
  await source.open(undefined);
  const body = Buffer.from('92cb41d6af0c000000000081a36c6f67a178', 'hex');
  const status = await post(feed.port, body, { ...FLUENT, 'Content-Type': 'application/msgpack' });
  expect(status).toBe('HTTP/1.1 415 Unsupported Media Type');
  await source.close();
});

/** Writes a request byte by byte as the shippers do, and returns the first line of the answer. */
function post(port: number, body: Uint8Array, headers: Record<string, string>): Promise<string> {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, 'Content-Length': body.length, ...headers });
  const head = `POST / HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n`;
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([Buffer.from(head), body])));
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      if (answer.includes('\r\n\r\n')) socket.end();
    });
    socket.on('error', reject).on('close', () => resolve(answer.split('\r\n')[0]));
  });
}
