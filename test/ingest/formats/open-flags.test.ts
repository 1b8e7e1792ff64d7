import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FLOW_IN, FLOW_OUT, FLOW_UNKNOWN } from '../../../src/ingest/flow.js';
import { directionOfOpen, flagsParameter } from '../../../src/ingest/formats/open-flags.js';

describe('the flags of an OPEN', () => {
  it('mean out if they allow writing, in decimal and hexadecimal', () => {
    fc.assert(
      fc.property(fc.nat(0x7fffffff), fc.nat(4), (flags, zeros) => {
        const flow = (flags & 3) === 0 ? FLOW_IN : FLOW_OUT;
        expect(directionOfOpen(String(flags), 10)).toBe(flow);
        const hex = '0'.repeat(zeros) + flags.toString(16);
        expect(directionOfOpen(hex, 16)).toBe(flow);
        expect(directionOfOpen(hex.toUpperCase(), 16)).toBe(flow);
      }),
      { numRuns: 1000 },
    );
  });

  it('may be names', () => {
    for (const radix of [10, 16] as const) {
      for (const text of [
        'O_RDWR',
        'O_WRONLY',
        'O_CREAT|O_RDWR|O_TRUNC',
        'O_WRONLY | O_APPEND',
        'O_RDONLY|O_RDWR',
      ])
        expect(directionOfOpen(text, radix)).toBe(FLOW_OUT);
      for (const text of ['O_RDONLY', 'O_RDONLY|O_CLOEXEC', 'O_CLOEXEC|O_RDONLY'])
        expect(directionOfOpen(text, radix)).toBe(FLOW_IN);
    }
  });

  it('have no direction if they are neither', () => {
    for (const text of [
      '',
      'O_CREAT',
      'XO_RDWR',
      'O_RDWRX',
      '-1',
      '1.5',
      '0x2',
      'g',
      '1'.repeat(17),
      'O_RDWR_X',
    ])
      for (const radix of [10, 16] as const) expect(directionOfOpen(text, radix), text).toBe(FLOW_UNKNOWN);
    expect(directionOfOpen('ff', 10)).toBe(FLOW_UNKNOWN);
    expect(directionOfOpen('ff', 16)).toBe(FLOW_OUT);
  });
});

describe('the parameters of an event', () => {
  const item = (name: unknown, valueBytes: unknown): object => ({ size: -1, name, valueBytes });

  it('have a parameter called flags, wrapped or bare', () => {
    for (const list of [
      [item({ string: 'flags' }, { bytes: '0602' })],
      [item('flags', '0602')],
      [item({ string: 'mode' }, { bytes: '01' }), item({ string: 'flags' }, { bytes: '0602' })],
      [null, 7, 'flags', item('flags', null), item('flags', '0602')],
    ]) {
      expect(flagsParameter(JSON.stringify(list))).toBe('0602');
      expect(flagsParameter(JSON.stringify({ array: list }))).toBe('0602');
    }
  });

  it('may have no flags', () => {
    for (const value of [
      [],
      {},
      { array: null },
      { array: {} },
      [item('mode', '01')],
      [item('flags', 7)],
      [[]],
    ])
      expect(flagsParameter(JSON.stringify(value))).toBeUndefined();
  });

  it('never throw', () => {
    const value = fc.oneof(fc.array(fc.jsonValue()), fc.record({ array: fc.jsonValue() }));
    fc.assert(fc.property(value, (list) => void flagsParameter(JSON.stringify(list))));
  });
});
