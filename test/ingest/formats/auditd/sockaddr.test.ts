import { expect, it } from 'vitest';
import { parseSocketAddress } from '../../../../src/ingest/formats/auditd/sockaddr.js';

const parse = (hex: string) => parseSocketAddress(Buffer.from(hex), 0, hex.length);

it.each([
  ['02000050A9FEA9FE0000000000000000', 2, '169.254.169.254:80'],
  ['00020050A9FEA9FE0000000000000000', 2, '169.254.169.254:80'],
  ['0A000016000000000000000000000000000000000000000000000000', 10, '[::]:22'],
  ['000A00160000000020010DB8000000010000000000000001', 10, '[2001:db8:0:1::1]:22'],
  ['0A00001600000000000000000000000000000000FFFF0A00000100000000', 10, '[::ffff:a00]:22'],
  ['0A0000160000000000000000000000000000FFFF0A00000100000000', 10, '10.0.0.1:22'],
  ['01002F72756E2F78002F6F74686572', 1, '/run/x'],
  ['0001002F72756E', 1, '@/run'],
  ['010000616263', 1, '@abc'],
  ['0100', 1, undefined],
  ['01000000', 1, undefined],
  ['100000000000000000000000', 255, undefined],
  ['0200', 255, undefined],
  ['', 0, undefined],
  ['0', 0, undefined],
  ['ZZ00', 0, undefined],
  ['00000000', 0, undefined],
])('%s', (hex, family, text) => {
  expect(parse(hex)).toEqual({ family, text });
});
