import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEndpoint } from '../../../src/ingest/formats/network.js';

describe('an endpoint', () => {
  it('is address:port', () => {
    expect(formatEndpoint('128.55.12.10', '53')).toBe('128.55.12.10:53');
    expect(formatEndpoint('10.0.0.1', '65535')).toBe('10.0.0.1:65535');
    expect(formatEndpoint('example.org', '00080')).toBe('example.org:80');
  });

  it('has an IPv6 address in brackets if a port follows', () => {
    expect(formatEndpoint('fe80::1', '443')).toBe('[fe80::1]:443');
    expect(formatEndpoint('[fe80::1]', '443')).toBe('[fe80::1]:443');
    expect(formatEndpoint('::1', '-1')).toBe('::1');
  });

  it('may be the path of a socket', () => {
    expect(formatEndpoint('/var/run/log', '0')).toBe('/var/run/log');
    expect(formatEndpoint('/tmp/a:b', '7')).toBe('/tmp/a:b:7');
  });

  it('has no port if the log has no valid port', () => {
    for (const port of ['', '0', '-1', '65536', '99999', '123456', '1.5', ' 1', '0x50', 'http', '１'])
      expect(formatEndpoint('10.0.0.1', port)).toBe('10.0.0.1');
  });

  it('is undefined if the log has neither address nor port', () => {
    for (const address of ['', 'NA', 'LOCAL', '<unknown>', 'unknown', 'null', 'localhost', '0.0.0.0']) {
      for (const port of ['', '0', '-1', '65536']) expect(formatEndpoint(address, port)).toBeUndefined();
    }
  });

  it('may have a port only', () => {
    expect(formatEndpoint('NA', '22')).toBe('*:22');
    expect(formatEndpoint('', '22')).toBe('*:22');
    expect(formatEndpoint('localhost', '22')).toBe('localhost:22');
    expect(formatEndpoint('0.0.0.0', '22')).toBe('0.0.0.0:22');
  });

  it('has an address and a port that can be separated', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 1, max: 65535 }), (address, port) => {
        const text = formatEndpoint(address, String(port)) as string;
        const cut = text.lastIndexOf(':');
        expect(text.slice(cut + 1)).toBe(String(port));
        expect(text.slice(0, cut).replace(/^\[|\]$/g, '')).toBe(address);
      }),
    );
  });
});
