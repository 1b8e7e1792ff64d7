import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixtureLog } from '../../../fixture-logs.js';
import { readBlocks } from '../../records.js';
import { AuditLog, cwd, path } from './audit-lines.js';

const LINES = ['auditd-raw', 'auditd-enriched'].flatMap((name) => fixtureLog(name).trimEnd().split('\n'));
const HEAD = 'type=SYSCALL msg=audit(1700000000.001:1): ';

describe('hostile audit logs', () => {
  it('with damaged, repeated and reordered records are read to the end', async () => {
    const damaged = fc
      .tuple(
        fc.constantFrom(...LINES),
        fc.array(fc.tuple(fc.nat(600), fc.integer({ min: 1, max: 255 })), { maxLength: 4 }),
      )
      .map(([line, changes]) => {
        const bytes = Buffer.from(line);
        for (const [at, byte] of changes) if (byte !== 10) bytes[at % bytes.length] = byte;
        return bytes.toString('latin1');
      });
    await fc.assert(
      fc.asyncProperty(fc.array(damaged, { maxLength: 60 }), fc.boolean(), async (lines, small) => {
        const text = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
        const options = small ? { blockBytes: 900, maxLine: 800 } : {};
        const { counts, records } = await readBlocks(text, 'auditd', options);
        const read = Object.values(records).reduce((sum, count) => sum + count, 0);
        expect(read + counts.malformed + counts.blank).toBe(counts.lines);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['no time', 'type=SYSCALL msg=audit(): pid=1'],
    ['no serial', 'type=SYSCALL msg=audit(1700000000.001): pid=1'],
    ['a serial of more than 32 bits', 'type=SYSCALL msg=audit(1700000000.001:4294967296): pid=1'],
    ['a time after 2262', 'type=SYSCALL msg=audit(9999999999.001:1): pid=1'],
    ['a negative time', 'type=SYSCALL msg=audit(-1.001:1): pid=1'],
    ['no type', 'msg=audit(1700000000.001:1): pid=1'],
    ['an empty host', 'node= type=SYSCALL msg=audit(1700000000.001:1): pid=1'],
    ['a cut head', 'type=SYSCALL msg=audit(1700000000.001:'],
  ])('a record with %s is malformed', async (_, line) => {
    const { problems } = await readBlocks(`${line}\n`, 'auditd');
    expect(problems).toEqual([expect.objectContaining({ code: 'record', line: 1 })]);
  });

  it('texts are cut to 8 KiB, and hexadecimal digits are not numbers', async () => {
    const name = 'A'.repeat(40_000);
    const log = new AuditLog()
      .call('openat', { exit: 3, args: [0xffffff9c], records: [cwd('/'), path(0, `/${name}`)] })
      .call('openat', {
        exit: 3,
        args: [0xffffff9c],
        records: [cwd('/'), ['PATH', `item=0 name=${'41'.repeat(40_000)} nametype=NORMAL`]],
      })
      .call('openat', {
        exit: 3,
        args: [0xffffff9c],
        records: [cwd('/'), ['PATH', 'item=0 name="41" inode=41 nametype=NORMAL']],
      });
    const { events } = await readBlocks(log.text, 'auditd');
    expect(events.map(({ obj }) => obj?.id.length)).toEqual([8192, 8193, 3]);
    expect(events.at(-1)?.obj?.id).toBe('/41');
  });

  it('bytes that are not UTF-8 become U+FFFD, and are counted', async () => {
    const log = new AuditLog().call('openat', {
      exit: 3,
      args: [0xffffff9c],
      records: [cwd('/'), ['PATH', 'item=0 name=2F66FF0A nametype=NORMAL']],
    });
    const { events, counts } = await readBlocks(log.text, 'auditd');
    expect(events.map(({ obj }) => obj?.id)).toEqual(['/f\ufffd\n']);
    expect(counts.badText).toBeGreaterThan(0);
  });

  it('an event with a hundred thousand paths and arguments is bounded', async () => {
    const lines = [`${HEAD}arch=c000003e syscall=59 success=yes exit=0 items=2 ppid=1 pid=2 exe="/x"`];
    for (let i = 0; i < 100_000; i++) {
      const type =
        i % 2 === 0
          ? `EXECVE msg=audit(1700000000.001:1): a${i}="x"`
          : `PATH msg=audit(1700000000.001:1): item=${i} name="/p${i}"`;
      lines.push(`type=${type}`);
    }
    const started = process.cpuUsage().user;
    const { events, upserts } = await readBlocks(`${lines.join('\n')}\n`, 'auditd', {
      blockBytes: 1 << 16,
      maxLine: 1000,
    });
    expect(events.length).toBeGreaterThan(0);
    expect(upserts.every(({ entity }) => (entity.cmd ?? '').length <= 8192)).toBe(true);
    // Quadratic work would take minutes.
    expect((process.cpuUsage().user - started) / 1e6).toBeLessThan(30);
  });

  it('thousands of hosts and types are bounded', async () => {
    const lines = Array.from(
      { length: 6000 },
      (_, i) => `node=h${i} type=T${i} msg=audit(1700000000.001:${i}): x=1`,
    );
    const { records, counts } = await readBlocks(`${lines.join('\n')}\n`, 'auditd');
    expect(counts.malformed).toBe(0);
    expect(Object.keys(records).length).toBeLessThanOrEqual(1001);
    expect(Object.values(records).reduce((sum, count) => sum + count, 0)).toBe(6000);
  });
});
