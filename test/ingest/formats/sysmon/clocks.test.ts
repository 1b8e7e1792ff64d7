import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sysmon } from '../../../../src/ingest/formats/sysmon/sysmon.js';
import { type Decoded, readBlocks, readBytes } from '../../records.js';

const START = Date.parse('2024-01-25T15:00:00Z');
/** `TimeCreated` is local time here, seven hours behind. */
const LOCAL = -7 * 3_600_000;
/** The clock of network and DNS events lies two days behind. */
const BEHIND = -2 * 86_400_000;
const text = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

interface Line {
  id: 1 | 3 | 11 | 22;
  /** Milliseconds after the start. */
  at: number;
  behind?: boolean;
  host?: string;
  utc?: false;
}

function lineOf({ id, at, behind, host = 'ws', utc }: Line): string {
  return JSON.stringify({
    EventID: id,
    Channel: 'Microsoft-Windows-Sysmon/Operational',
    Hostname: host,
    TimeCreated: text(START + at + LOCAL),
    ...(utc !== false && { UtcTime: text(START + at + (behind === true ? BEHIND : 0)) }),
    ProcessGuid: '{5a1c09e2-7c10-65b2-0060-000000000900}',
    Image: 'C:\\a.exe',
    ...(id === 3 && { DestinationIp: '192.0.2.1', DestinationPort: '80', Initiated: 'true' }),
    ...(id === 22 && { QueryName: 'example.org' }),
    ...(id === 11 && { TargetFilename: 'C:\\x' }),
  });
}

const times = (log: Decoded): number[] => log.events.map(({ ts }) => Number(ts / 1_000_000n) - START);
const read = (lines: readonly Line[], blockBytes?: number) =>
  readBlocks(`${lines.map(lineOf).join('\n')}\n`, 'sysmon', blockBytes === undefined ? {} : { blockBytes });

describe('the clock of network and DNS events', () => {
  it('is repaired and counted where it lies behind', async () => {
    const log = await read([
      { id: 1, at: 0 },
      { id: 3, at: 100, behind: true },
      { id: 22, at: 200, behind: true },
      { id: 11, at: 300 },
    ]);
    expect(times(log)).toEqual([0, 100, 200, 300]);
    expect(log.repaired).toEqual({ ownClock: 2 });
  });

  it('is kept where it agrees, also after a pause', async () => {
    const log = await read([
      { id: 1, at: 0 },
      { id: 3, at: 50 },
      { id: 22, at: 3_600_000 },
    ]);
    expect(times(log)).toEqual([0, 50, 3_600_000]);
    expect(log.repaired).toEqual({});
  });

  it('waits for the first event that shows the offset', async () => {
    const [log] = await readBytes(
      [
        { id: 3, at: 0, behind: true },
        { id: 22, at: 10, behind: true },
        { id: 11, at: 20 },
      ]
        .map((line) => lineOf(line as Line))
        .join('\n'),
    );
    expect(times(log)).toEqual([0, 10, 20]);
    expect(log.repaired).toEqual({ ownClock: 2 });
  });

  it('is kept if no event ever shows the offset', async () => {
    const [log] = await readBytes(lineOf({ id: 3, at: 0, behind: true }));
    expect(times(log)).toEqual([BEHIND]);
    expect(log.repaired).toEqual({});
  });

  it('uses the offset of its own host', async () => {
    const log = await read([
      { id: 1, at: 0, host: 'a' },
      { id: 3, at: 5, host: 'b', behind: true },
      { id: 3, at: 6, host: 'a', behind: true },
    ]);
    expect(times(log)).toEqual([0, 5 + BEHIND, 6]);
  });

  it('gives a record without UtcTime the time of TimeCreated and the offset', async () => {
    const log = await read([
      { id: 1, at: 0 },
      { id: 11, at: 40, utc: false },
    ]);
    expect(times(log)).toEqual([0, 40]);
    expect(log.repaired).toEqual({ noUtcTime: 1 });
  });

  it('does not depend on the blocks', async () => {
    const lines = fc.array(
      fc.record({
        id: fc.constantFrom<Line['id']>(1, 3, 11, 22),
        at: fc.integer({ min: 0, max: 600_000 }),
        behind: fc.boolean(),
        host: fc.constantFrom('a', 'b', 'c'),
      }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(lines, async (given) => {
        const own = given.map((line) => ({
          ...line,
          behind: line.behind && (line.id === 3 || line.id === 22),
        }));
        const whole = await read(own);
        const small = await read(own, 700);
        expect(small.events).toEqual(whole.events);
        expect(small.repaired).toEqual(whole.repaired);
      }),
      { numRuns: 60 },
    );
  });

  it('goes on from a saved state, and starts anew from an unusable one', async () => {
    const [log] = await readBytes(lineOf({ id: 3, at: 9, behind: true }), {
      states: {
        sysmon: {
          sequence: '7',
          hosts: [['ws', { processes: [String(-LOCAL * 1e6)], others: [], last: String(START * 1e6) }]],
        },
      },
    });
    expect(times(log)).toEqual([9]);
    expect(log.events[0].seq).toBe(7n);
    fc.assert(fc.property(fc.anything(), (state) => void sysmon.assembler?.(state)));
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.jsonValue(),
        (sequence, hosts) => void sysmon.assembler?.({ sequence, hosts }),
      ),
    );
  });
});

it('records about Sysmon become losses', async () => {
  const record = (id: number, at: number, more: object): string =>
    JSON.stringify({
      EventID: id,
      SourceName: 'Microsoft-Windows-Sysmon',
      Computer: 'ws',
      UtcTime: text(START + at),
      ...more,
    });
  const log = await readBlocks(
    [
      record(4, -9000, { State: 'Started' }),
      record(4, 0, { State: 'Stopped' }),
      record(4, 5000, { State: 'Started' }),
      record(16, 6000, {}),
      record(255, 7000, { ID: 'QUEUE' }),
    ].join('\n'),
    'sysmon',
  );
  const at = (ms: number): bigint => BigInt(START + ms) * 1_000_000n;
  expect(log.losses).toEqual([
    { host: 'ws', from: at(0), to: at(0), records: 0, reason: 'sensor-stopped' },
    { host: 'ws', from: at(0), to: at(5000), records: 0, reason: 'sensor-stopped' },
    { host: 'ws', from: at(6000), to: at(6000), records: 0, reason: 'sensor-configured' },
    { host: 'ws', from: at(7000), to: at(7000), records: 0, reason: 'sensor-error' },
  ]);
  expect(log.skipped).toEqual({ ServiceStateChange: 3, ServiceConfigurationChange: 1, Error: 1 });
});
