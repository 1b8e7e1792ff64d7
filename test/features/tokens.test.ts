import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Attributes, MAX_TOKEN_LENGTH, tokenise } from '../../src/features/tokens.js';
import { ENTITY_TYPES } from '../../src/ingest/event.js';

const MAX_TOKENS = 256;
const file = (name: string) => tokenise({ type: 'file', name });
const flow = (name: string) => tokenise({ type: 'flow', name });
const command = (cmd: string) => tokenise({ type: 'process', cmd });

describe('paths and names', () => {
  test.each([
    ['/usr/local/bin/python2.7', ['usr', 'local', 'bin', 'python#', '#']],
    ['C:\\Windows\\System32\\cmd.exe', ['c:', 'windows', 'system#', 'cmd', 'exe']],
    ['/var/log/mail-2016_09.LOG.gz', ['var', 'log', 'mail', '#', '#', 'log', 'gz']],
    ['/tmp/a1b22c333', ['tmp', 'a#b#c#']],
    ['/home/me/My Documents', ['home', 'me', 'my documents']],
    ['//tmp///x/', ['tmp', 'x']],
    ['/proc/10.2.3.4', ['proc', '#', '#', '#', '#']],
    ['nginx', ['nginx']],
    ['', []],
    ['/', []],
    ['...', []],
    ['İ', ['i̇']],
  ])('%j', (name, tokens) => {
    expect(file(name)).toEqual(tokens);
  });

  test('a process has the tokens of its name, then those of its command line', () => {
    expect(tokenise({ type: 'process', name: 'sh', cmd: 'sh -c ls' })).toEqual(['sh', 'sh', 'c', 'ls']);
  });

  test('an entity without attributes has no tokens', () => {
    for (const type of ENTITY_TYPES) expect(tokenise({ type })).toEqual([]);
  });
});

describe('command lines', () => {
  test.each([
    ['ls -la /etc', ['ls', 'la', 'etc']],
    ['dd if=/dev/zero of=x bs=1024', ['dd', 'if', 'dev', 'zero', 'of', 'x', 'bs', '#']],
    ['a\tb\n c  d', ['a', 'b', 'c', 'd']],
    ['a\u0000b', ['a', 'b']],
    ['ssh 10.2.3.4', ['ssh', '10', '10.2', '10.2.3', '10.2.3.4']],
    ['ping 2001:DB8::1', ['ping', '2001:db8', '2001:db8:0', '2001:db8:0:0', '2001:db8:0:0:0:0:0:1']],
    ['echo 1.2.3', ['echo', '#', '#', '#']],
  ])('%j', (cmd, tokens) => {
    expect(command(cmd)).toEqual(tokens);
  });
});

describe('addresses and ports', () => {
  const v6 = ['2001:db8', '2001:db8:0', '2001:db8:0:1', '2001:db8:0:1:0:0:0:f'];
  test.each([
    ['10.2.3.4:80', ['10', '10.2', '10.2.3', '10.2.3.4', '80']],
    ['10.2.3.4:9999', ['10', '10.2', '10.2.3', '10.2.3.4', '9999']],
    ['10.2.3.4:10000', ['10', '10.2', '10.2.3', '10.2.3.4', '#port']],
    ['10.2.3.4', ['10', '10.2', '10.2.3', '10.2.3.4']],
    ['[2001:db8:0:1::f]:443', [...v6, '443']],
    ['2001:0DB8:0000:0001:0:0:0:000F', v6],
    ['[2001:db8:0:1::f]', v6],
    ['fe80::1%em0', ['fe80:0', 'fe80:0:0', 'fe80:0:0:0', 'fe80:0:0:0:0:0:0:1']],
    ['::ffff:10.2.3.4', ['10', '10.2', '10.2.3', '10.2.3.4']],
    ['::ffff:0a02:0304', ['10', '10.2', '10.2.3', '10.2.3.4']],
    ['::', ['0:0', '0:0:0', '0:0:0:0', '0:0:0:0:0:0:0:0']],
    ['*:53', ['53']],
    ['localhost:25', ['localhost', '25']],
    ['www.example-site.org:443', ['www', 'example', 'site', 'org', '443']],
    ['/var/run/log.sock', ['var', 'run', 'log', 'sock']],
    ['10.2.3.400:80', ['#', '#', '#', '#', '80']],
    ['10.2.3.4:port', ['#', '#', '#', '#:port']],
  ])('%j', (name, tokens) => {
    expect(flow(name)).toEqual(tokens);
  });

  test('the local endpoint is used only if the remote one is unknown', () => {
    expect(tokenise({ type: 'flow', local: '*:22' })).toEqual(['22']);
    expect(tokenise({ type: 'flow', name: '*:80', local: '*:22' })).toEqual(['80']);
  });
});

describe('hostile text', () => {
  test('long names and many words are cut', () => {
    expect(file('x'.repeat(1 << 20))).toEqual(['x'.repeat(MAX_TOKEN_LENGTH)]);
    expect(command('a '.repeat(1 << 20))).toHaveLength(MAX_TOKENS);
    expect(flow(`${'1.'.repeat(1 << 20)}:80`).length).toBeLessThanOrEqual(MAX_TOKENS);
    expect(flow(':'.repeat(1 << 20)).length).toBeLessThanOrEqual(MAX_TOKENS);
  });

  test('control characters, bidi marks and lone surrogates stay inside their token', () => {
    expect(file('/a\u001b[2J/b\u202e')).toEqual(['a\u001b[#j', 'b\u202e']);
    expect(file('/\ud800x')).toEqual(['\ufffdx']);
    expect(file(`/${'y'.repeat(MAX_TOKEN_LENGTH - 1)}\u{1f600}`)).toEqual([
      `${'y'.repeat(MAX_TOKEN_LENGTH - 1)}\ufffd`,
    ]);
  });

  test('tokens of any text are bounded, well-formed and not empty', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...'a1:/\\.-_= []%\ud800f'), maxLength: 40 }),
    );
    const attributes: fc.Arbitrary<Attributes> = fc.record({
      type: fc.constantFrom(...ENTITY_TYPES),
      name: fc.option(text, { nil: undefined }),
      cmd: fc.option(text, { nil: undefined }),
      local: fc.option(text, { nil: undefined }),
    });
    fc.assert(
      fc.property(attributes, (entity) => {
        const tokens = tokenise(entity);
        expect(tokens.length).toBeLessThanOrEqual(MAX_TOKENS);
        for (const token of tokens) {
          expect(token.length).toBeGreaterThan(0);
          expect(token.length).toBeLessThanOrEqual(MAX_TOKEN_LENGTH);
          expect(token.isWellFormed()).toBe(true);
        }
        expect(tokenise(entity)).toEqual(tokens);
      }),
      { numRuns: 500 },
    );
  });
});
