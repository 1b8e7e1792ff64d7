import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureLog } from '../../../fixture-logs.js';
import { type Decoded, mergeEntities, readBlocks } from '../../records.js';
import { AuditLog, cwd, path } from './audit-lines.js';

const FIXTURE = fixtureLog('auditd-raw');

/** The records of each event, in the order of the log. */
function groups(text: string): string[][] {
  const byKey = new Map<string, string[]>();
  for (const line of text.trimEnd().split('\n')) {
    const [key] = /audit\([^)]*\)/.exec(line) as RegExpExecArray;
    byKey.set(key, [...(byKey.get(key) ?? []), line]);
  }
  return [...byKey.values()];
}

/** What must not depend on how records interleave: events sorted by time and order, and the entities. */
function meaning({ events, upserts, skipped, merged, records }: Decoded): unknown {
  const sorted = [...events].sort((a, b) =>
    a.ts === b.ts ? Number((a.seq ?? 0n) - (b.seq ?? 0n)) : Number(a.ts - b.ts),
  );
  const entities = new Map([...mergeEntities(upserts)].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { events: sorted, entities, skipped, merged, records };
}

const openAt = (ms: number) => ({
  ms,
  exit: 3,
  args: [0xffffff9c, 1, 0] as const,
  records: [cwd('/'), path(0, `/f${ms}`)],
});

describe('records of one event', () => {
  it('belong together however events interleave', async () => {
    // Each event ends where it did, so events keep their order; the records before its end come earlier or not.
    const events = groups(FIXTURE);
    const whole = meaning(await readBlocks(`${events.flat().join('\n')}\n`, 'auditd'));
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(6)), fc.boolean(), async (shifts, small) => {
        const placed = events.flatMap((records, at) => {
          let place = at;
          const places = records.map(() => {
            const here = place;
            place = Math.max(0, place - (shifts.next().value as number));
            return here;
          });
          return records.map((line, i) => ({
            line,
            place: places[records.length - 1 - i],
            last: i === records.length - 1,
          }));
        });
        // Stable: the records of an event stay in their order, and its end comes after those moved to its place.
        const lines = placed
          .sort((a, b) => a.place - b.place || Number(a.last) - Number(b.last))
          .map(({ line }) => line);
        const text = `${lines.join('\n')}\n`;
        const blockBytes = small ? 700 : text.length + 1;
        expect(meaning(await readBlocks(text, 'auditd', { blockBytes, maxLine: 600 }))).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });

  it('may come in any order if no record ends the event', async () => {
    const events = Array.from({ length: 12 }, (_, i) => i + 1);
    const log = new AuditLog();
    for (const ms of events) log.call('openat', { ...openAt(ms), title: false });
    const whole = meaning(await readBlocks(log.text, 'auditd'));
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(log.lines, { minLength: log.lines.length }),
        fc.boolean(),
        async (lines, small) => {
          const text = `${lines.join('\n')}\n`;
          const decoded = await readBlocks(text, 'auditd', small ? { blockBytes: 400, maxLine: 390 } : {});
          // The first record of the process decides its identifier, so only objects are compared.
          expect(decoded.events.map(({ obj }) => obj?.id).sort()).toEqual(
            events.map((ms) => `/f${ms}`).sort(),
          );
          expect(decoded.skipped).toEqual({});
          expect(decoded.merged).toEqual((whole as Decoded).merged);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are apart if they have the serial but not the time, or not the host', async () => {
    const log = new AuditLog('a').call('openat', { ...openAt(1), serial: 5 });
    const other = new AuditLog('b').call('openat', { ...openAt(1), serial: 5 });
    const later = new AuditLog('a').call('openat', { ...openAt(2), serial: 5 });
    const lines = log.lines.flatMap((line, i) => [line, other.lines[i], later.lines[i]]);
    const { events } = await readBlocks(`${lines.join('\n')}\n`, 'auditd');
    expect(events.map(({ host, obj }) => `${host} ${obj?.id}`)).toEqual(['a /f1', 'b /f1', 'a /f2']);
  });

  it('that come after the end are not mistaken for an event', async () => {
    const log = new AuditLog().call('openat', openAt(1)).call('openat', openAt(2));
    const late = log.lines[1];
    const { events, skipped } = await readBlocks(`${[...log.lines, late].join('\n')}\n`, 'auditd');
    expect(events).toHaveLength(2);
    expect(skipped).toEqual({ noCall: 1 });
  });

  it('wait for 1,024 lines, also across blocks', async () => {
    for (const gap of [1023, 1025]) {
      const late = new AuditLog().call('openat', { ...openAt(1), title: false });
      const between = new AuditLog();
      for (let i = 0; i < gap; i++) between.record('USER_ACCT', `pid=1 msg='x'`, { ms: 1, serial: 10 + i });
      const lines = [late.lines[0], ...between.lines, ...late.lines.slice(1)];
      for (const blockBytes of [600, 1 << 20]) {
        const { events, skipped } = await readBlocks(`${lines.join('\n')}\n`, 'auditd', {
          blockBytes,
          maxLine: 500,
        });
        expect(events).toHaveLength(gap < 1024 ? 1 : 0);
        // Without its paths the call has no object, and the paths alone are no call.
        expect(skipped).toEqual({ notACall: gap, ...(gap > 1024 && { noPath: 1, noCall: 1 }) });
      }
    }
  });
});

it('the serials of records that the daemon writes about itself are no gaps', async () => {
  const daemon = (op: string, serial: number): string =>
    `type=DAEMON_${op} msg=audit(1700000000.001:${serial}): op=x pid=1 res=success\n`;
  const call = (serial: number): string =>
    `type=SYSCALL msg=audit(1700000000.002:${serial}): arch=c000003e syscall=231 a0=0 items=0 ppid=1 pid=2 comm="a" exe="/a"\n` +
    `type=PROCTITLE msg=audit(1700000000.002:${serial}): proctitle="a"\n`;
  const log =
    daemon('START', 6810) + call(250) + daemon('ROTATE', 6811) + call(251) + call(252) + daemon('END', 6812);
  expect((await readBlocks(log, 'auditd')).losses).toEqual([]);
  expect((await readBlocks(log + call(255), 'auditd')).losses).toMatchObject([{ records: 2 }]);
});

it('a record without an end at the start of a long block leaves no gap', async () => {
  const call = (serial: number): string =>
    `type=SYSCALL msg=audit(1700000000.002:${serial}): arch=c000003e syscall=231 a0=0 items=0 ppid=1 pid=2 comm="a" exe="/a"\n` +
    `type=PROCTITLE msg=audit(1700000000.002:${serial}): proctitle="a"\n`;
  const change = 'type=CONFIG_CHANGE msg=audit(1700000000.001:100): op=set res=1\n';
  const many = Array.from({ length: 6000 }, (_, i) => call(101 + i));
  const { losses } = await readBlocks([change, ...many].join(''), 'auditd', { blockBytes: 1 << 20 });
  expect(losses).toEqual([]);
});
