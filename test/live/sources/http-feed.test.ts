import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { HttpFeed } from '../../../src/live/sources/http-feed.js';
import { pushedLines } from '../../../src/live/sources/pushed-lines.js';
import { CHUNK_BYTES } from '../../../src/live/sources/source.js';
import { SpooledSource } from '../../../src/live/sources/spooled-source.js';
import { newFolder } from '../../folders.js';
import { readAll } from './source-contract.js';

const AUDIT = 'type=EOE msg=audit(1.0:1): ';
const linesOf = (body: string) => pushedLines(Buffer.from(body)).toString('utf8');

describe('the body of a request', () => {
  it.each([
    [
      'JSON lines (Fluent Bit json_lines, Vector newline_delimited)',
      '{"ts":1}\n{"ts":2}\n',
      '{"ts":1}\n{"ts":2}\n',
    ],
    ['a list (Fluent Bit json, Vector)', '[{"ts":1},{"ts":2}]', '{"ts":1}\n{"ts":2}\n'],
    ['objects without anything between (Fluent Bit json_stream)', '{"ts":1}{"ts":2}', '{"ts":1}\n{"ts":2}\n'],
    ['a line that Fluent Bit tailed', `[{"date":1.5,"log":"${AUDIT}"}]`, `${AUDIT.trim()}\n`],
    ['a line that Vector tailed', `{"file":"/var/log/x","message":"${AUDIT}"}`, `${AUDIT.trim()}\n`],
    ['JSON inside a message', '{"message":"{\\"ts\\":\\"3\\"}"}', '{"ts":"3"}\n'],
    ['a message that is only words', '{"message":"hello","ts":1}', '{"message":"hello","ts":1}\n'],
    ['text', `${AUDIT}\n${AUDIT}\n`, `${AUDIT}\n${AUDIT}\n`],
    ['nothing', ' \n', ''],
  ])('is %s', (_, body, expected) => {
    expect(linesOf(body)).toBe(expected);
  });

  it('keeps every digit of a time', () => {
    expect(linesOf('[{"ts":1522972800123456789}]')).toBe('{"ts":1522972800123456789}\n');
  });
});

async function listening(options = {}, limit?: number) {
  const feed = new HttpFeed(new URL('http://127.0.0.1:0'), options);
  const source = new SpooledSource('http', newFolder(), feed, limit);
  await source.open(undefined);
  const post = async (body: Uint8Array | string, headers = {}) =>
    fetch(`http://127.0.0.1:${feed.port}/`, { method: 'POST', body: body as string, headers });
  return { source, post };
}

describe('pushed logs', () => {
  it('need the token', async () => {
    const { source, post } = await listening({ token: 'sesame' });
    expect((await post('a\n')).status).toBe(401);
    expect((await post('a\n', { authorization: 'Bearer other' })).status).toBe(401);
    expect((await post('a\n', { authorization: 'Bearer sesame' })).status).toBe(204);
    expect((await readAll(source)).text).toBe('a\n');
    await source.close();
  });

  it('are refused with 429 while too much waits, and taken again afterwards', async () => {
    const { source, post } = await listening({}, 1000);
    expect((await post(`${'x'.repeat(2000)}\n`)).status).toBe(204);
    const refused = await post('b\n');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    const { position } = await source.read(CHUNK_BYTES);
    await source.commit(position);
    expect((await post('b\n')).status).toBe(204);
    expect((await readAll(source)).text).toBe('b\n');
    await source.close();
  });

  it('may be compressed, and a bomb is refused', async () => {
    const { source, post } = await listening();
    const gzip = { 'content-encoding': 'gzip' };
    expect((await post(gzipSync('a\n'), gzip)).status).toBe(204);
    expect((await post(gzipSync(Buffer.alloc(80 << 20)), gzip)).status).toBe(400);
    expect((await post('a', { 'content-type': 'application/msgpack' })).status).toBe(415);
    expect((await readAll(source)).text).toBe('a\n');
    await source.close();
  });

  it('are not taken from other hosts without a token or certificates', () => {
    const open = (url: string, options = {}) => new HttpFeed(new URL(url), options);
    expect(() => open('http://0.0.0.0:1')).toThrow(expect.objectContaining({ code: 'listen-unsafe' }));
    expect(() => open('https://127.0.0.1:1')).toThrow(expect.objectContaining({ code: 'listen-unsafe' }));
    expect(() => open('http://0.0.0.0:1', { token: 'x' })).not.toThrow();
  });
});
