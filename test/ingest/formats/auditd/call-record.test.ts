import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readBlocks } from '../../records.js';
import { AuditLog, cwd, path } from './audit-lines.js';

it('a SYSCALL record gives the same with its fields in any order', async () => {
  const log = new AuditLog().call('openat', {
    exit: 3,
    pid: 7,
    uid: 1000,
    ses: 4,
    args: [0xffffff9c, 1, 1],
    records: [cwd('/'), path(0, '/f')],
  });
  const [call, ...rest] = log.lines;
  const [, head, body] = /^(.*?: )(.*)$/.exec(call) as RegExpExecArray;
  const fields = body.split(' ');
  const whole = await readBlocks(log.text, 'auditd');
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(fields.slice(2), { minLength: fields.length - 2 }),
      fc.constantFrom('', '\x1dARCH=x86_64 SYSCALL=openat', ' subj==unconfined extra=1'),
      async (shuffled, more) => {
        // The architecture comes before the number of the call.
        const line = `${head}${[...fields.slice(0, 2), ...shuffled].join(' ')}${more}`;
        const decoded = await readBlocks(`${[line, ...rest].join('\n')}\n`, 'auditd');
        expect(decoded.events).toEqual(whole.events);
        expect(decoded.upserts).toEqual(whole.upserts);
      },
    ),
  );
});

it('numbers that do not fit are no numbers', async () => {
  const line = (pid: string) =>
    `type=SYSCALL msg=audit(1700000000.001:1): arch=c000003e syscall=87 success=yes exit=99999999999999999999 a0=0 a1=0 a2=0 a3=0 items=99999999999 ppid=1 pid=${pid} auid=0 uid=0 gid=0 euid=0 suid=0 fsuid=0 egid=0 sgid=0 fsgid=0 tty=x ses=1 comm="x" exe="/x" key=(null)\n`;
  for (const pid of ['4294967296', '-1', 'x', '99999999999999999999999']) {
    const { skipped, problems } = await readBlocks(line(pid), 'auditd');
    expect(problems).toEqual([]);
    expect(skipped).toEqual({ noProcess: 1 });
  }
});
