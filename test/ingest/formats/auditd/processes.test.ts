import { describe, expect, it } from 'vitest';
import { type Decoded, mergeEntities, readBlocks } from '../../records.js';
import { AuditLog, cwd, path, processAt, WORKING_FOLDER } from './audit-lines.js';

/** The events as short texts: `subject relation object`. */
function short({ events }: Decoded): string[] {
  return events.map(({ subj, rel, obj, obj2 }) =>
    [subj?.id, rel, obj?.id, obj2?.id].filter(Boolean).join(' '),
  );
}

async function read(log: AuditLog) {
  const decoded = await readBlocks(log.text, 'auditd');
  expect(decoded.problems).toEqual([]);
  return { ...decoded, short: short(decoded), entities: mergeEntities(decoded.upserts) };
}

const unlink = (name: string) => ({ records: [cwd('/'), path(0, name, 'DELETE')] });

describe('processes', () => {
  it('start with their own first record, as children of the process that forked them', async () => {
    const { short, entities } = await read(
      new AuditLog()
        .call('clone', { exit: 200, args: [0x1200011] })
        .call('unlink', { pid: 200, ppid: 100, ...unlink('/a') }),
    );
    expect(short).toEqual([
      `${processAt(100, 1)} fork ${processAt(200, 2)}`,
      `${processAt(200, 2)} unlink /a`,
    ]);
    expect(entities.get(processAt(200, 2))).toMatchObject({ parent: processAt(100, 1), pid: 200 });
  });

  it('may make records before the one of the fork', async () => {
    const { short, merged } = await read(
      new AuditLog()
        .call('unlink', unlink('/a'))
        .call('unlink', { pid: 200, ppid: 100, ms: 5, ...unlink('/b') })
        .call('vfork', { exit: 200, ms: 4 })
        .call('unlink', { pid: 200, ppid: 100, ms: 6, ...unlink('/c') }),
    );
    expect(short).toEqual([
      `${processAt(100, 1)} unlink /a`,
      `${processAt(100, 1)} fork ${processAt(200, 5)}`,
      `${processAt(200, 5)} unlink /b`,
      `${processAt(200, 5)} unlink /c`,
    ]);
    expect(merged.calls).toBe(1);
  });

  it('are started by an event, even if the fork is the first record of the parent', async () => {
    const { short, entities } = await read(
      new AuditLog()
        .call('unlink', { pid: 200, ppid: 100, ms: 5, ...unlink('/b') })
        .call('vfork', { exit: 200, ms: 4 })
        .call('vfork', { exit: 200, ms: 4 }),
    );
    expect(short).toEqual([
      `${processAt(200, 5)} unlink /b`,
      `${processAt(100, 4)} fork ${processAt(200, 5)}`,
    ]);
    expect(entities.get(processAt(200, 5))).toMatchObject({ parent: processAt(100, 4) });
  });

  it('are other processes when a number is used again after an exit', async () => {
    const { short } = await read(
      new AuditLog()
        .call('exit_group', { pid: 200, returns: false })
        .call('fork', { exit: 200, ms: 100 })
        .call('unlink', { pid: 200, ppid: 100, ms: 101, ...unlink('/a') }),
    );
    expect(short).toEqual([
      `${processAt(200, 1)} exit_group`,
      `${processAt(100, 100)} fork ${processAt(200, 101)}`,
      `${processAt(200, 101)} unlink /a`,
    ]);
  });

  it('are other processes when a number is used again after a death without a record', async () => {
    const { short } = await read(
      new AuditLog()
        .call('unlink', { pid: 200, ppid: 100, ...unlink('/a') })
        .call('fork', { exit: 200, ms: 100 })
        // A record of the old process that comes late keeps its process.
        .call('unlink', { pid: 200, ppid: 100, ms: 99, ...unlink('/late') })
        .call('unlink', { pid: 200, ppid: 100, ms: 101, ...unlink('/b') }),
    );
    expect(short).toEqual([
      `${processAt(200, 1)} unlink /a`,
      `${processAt(200, 1)} unlink /late`,
      `${processAt(100, 100)} fork ${processAt(200, 101)}`,
      `${processAt(200, 101)} unlink /b`,
    ]);
  });

  it('are other processes when the parent is another one and the first parent still runs', async () => {
    const { short } = await read(
      new AuditLog()
        .call('unlink', { pid: 100, ...unlink('/p') })
        .call('unlink', { pid: 101, ...unlink('/q') })
        .call('unlink', { pid: 200, ppid: 100, ...unlink('/a') })
        .call('unlink', { pid: 200, ppid: 101, ...unlink('/b') }),
    );
    expect(short.at(-1)).toBe(`${processAt(200, 4)} unlink /b`);
  });

  it('are other processes when the parent is not above a process whose own parent has ended', async () => {
    const { short } = await read(
      new AuditLog()
        .call('unlink', { pid: 90, ...unlink('/p') })
        .call('fork', { pid: 90, exit: 100 })
        .call('fork', { pid: 100, ppid: 90, exit: 200 })
        .call('unlink', { pid: 200, ppid: 100, ...unlink('/a') })
        .call('exit_group', { pid: 100, ppid: 90 })
        // 200 was killed, which leaves no record. The first record of the next 200 comes before that of its vfork.
        .call('unlink', { pid: 300, ...unlink('/q') })
        .call('unlink', { pid: 200, ppid: 300, ms: 5000, ...unlink('/b') })
        .call('vfork', { pid: 300, exit: 200, ms: 4999 })
        .call('unlink', { pid: 200, ppid: 300, ms: 5001, ...unlink('/c') }),
    );
    expect(short.slice(-3)).toEqual([
      `${processAt(300, 6)} fork ${processAt(200, 5000)}`,
      `${processAt(200, 5000)} unlink /b`,
      `${processAt(200, 5000)} unlink /c`,
    ]);
  });

  it('may get a parent that nothing shows to be above them, if it ran before the log', async () => {
    const { short } = await read(
      new AuditLog()
        .call('unlink', { pid: 300, ppid: 7, ...unlink('/q') })
        .call('fork', { pid: 100, ppid: 90, exit: 200 })
        .call('unlink', { pid: 200, ppid: 100, ...unlink('/a') })
        .call('exit_group', { pid: 100, ppid: 90 })
        .call('unlink', { pid: 200, ppid: 300, ...unlink('/b') }),
    );
    expect(short.at(-1)).toBe(`${processAt(200, 3)} unlink /b`);
  });

  it('stay the same when they get an ancestor or init as parent', async () => {
    const log = new AuditLog()
      .call('unlink', { pid: 100, ...unlink('/p') })
      .call('fork', { pid: 100, exit: 150 })
      .call('fork', { pid: 150, ppid: 100, exit: 200 })
      .call('unlink', { pid: 200, ppid: 150, ...unlink('/a') })
      .call('unlink', { pid: 200, ppid: 100, ...unlink('/b') })
      .call('unlink', { pid: 200, ppid: 1, ...unlink('/c') });
    const { short, entities } = await read(log);
    expect(short.slice(-3)).toEqual(['/a', '/b', '/c'].map((name) => `${processAt(200, 4)} unlink ${name}`));
    expect(entities.get(processAt(200, 4))?.parent).toBe(processAt(150, 3));
  });

  it('keep calls of other threads for a second after their end', async () => {
    const { short } = await read(
      new AuditLog()
        .call('exit_group', { pid: 200, returns: false })
        .call('unlink', { pid: 200, ms: 900, ...unlink('/a') })
        .call('unlink', { pid: 200, ms: 1900, ...unlink('/b') }),
    );
    expect(short.slice(1)).toEqual([`${processAt(200, 1)} unlink /a`, `${processAt(200, 1900)} unlink /b`]);
  });

  it('find a parent that was there before the log and makes its first call later', async () => {
    const { entities, short } = await read(
      new AuditLog()
        .call('unlink', { pid: 200, ppid: 100, ...unlink('/a') })
        .call('unlink', { pid: 100, ...unlink('/b') }),
    );
    expect(short).toHaveLength(2);
    expect(entities.get(processAt(200, 1))?.parent).toBe(processAt(100, 2));
  });

  it('are told from threads', async () => {
    const { skipped, short } = await read(
      new AuditLog()
        .call('clone', { exit: 201, args: [0x3d0f00] })
        .call('exit', { returns: false })
        .call('exit', { returns: false }),
    );
    expect(skipped).toEqual({ thread: 2 });
    expect(short).toEqual([`${processAt(100, 1)} exit`]);
  });

  it('get the name of a script, also through env, and else of the program', async () => {
    const exec = (argv: string, names: readonly string[]) => ({
      records: [
        ['EXECVE', `argc=9 ${argv}`] as const,
        cwd('/home/bob'),
        ...names.map((name, i) => path(i, name)),
      ],
    });
    const { entities } = await read(
      new AuditLog()
        .call('execve', {
          pid: 200,
          exe: '/usr/bin/env',
          ...exec('a0="/usr/bin/env" a1="python3" a2="./run.py"', ['./run.py', '/usr/bin/env', '/lib/ld.so']),
        })
        .call('execve', {
          pid: 200,
          exe: '/usr/bin/python3.11',
          ...exec('a0="python3" a1="/home/bob/run.py"', ['/usr/bin/python3', '/lib/ld.so']),
        })
        .call('execve', {
          pid: 300,
          exe: '/usr/bin/dash',
          ...exec('a0="sh" a1="-c" a2="id"', ['/bin/sh', '/lib/ld.so']),
        }),
    );
    expect(entities.get(processAt(200, 1))).toMatchObject({
      name: '/home/bob/run.py',
      cmd: 'python3 /home/bob/run.py',
    });
    expect(entities.get(processAt(300, 3))).toMatchObject({ name: '/usr/bin/dash', cmd: 'sh -c id' });
  });

  it('keep their name when the file of the program is deleted, and get that of an exec not in the log', async () => {
    const { entities } = await read(
      new AuditLog()
        .call('unlink', { pid: 200, exe: '/usr/bin/a', title: 'a\0-x', ...unlink('/1') })
        .call('unlink', { pid: 200, exe: '/usr/bin/a (deleted)', ...unlink('/2') })
        .call('unlink', { pid: 300, exe: '/usr/bin/a', title: 'a\0-x', ...unlink('/1') })
        .call('unlink', { pid: 300, exe: '/usr/bin/b', title: 'b\0-y', ...unlink('/2') }),
    );
    expect(entities.get(processAt(200, 1))).toMatchObject({ name: '/usr/bin/a', cmd: 'a -x' });
    expect(entities.get(processAt(300, 3))).toMatchObject({ name: '/usr/bin/b', cmd: 'b -y' });
  });

  it('have a user and a session, and change their user', async () => {
    const { short, entities, skipped } = await read(
      new AuditLog()
        .call('fork', { exit: 200, uid: 0, ses: 7 })
        .call('setuid', { pid: 200, ppid: 100, uid: 1000, ses: 7 })
        .call('setuid', { pid: 200, ppid: 100, uid: 1000, ses: 7 })
        .call('setgid', { pid: 200, ppid: 100, uid: 1000, ses: 7 }),
    );
    expect(short.slice(1)).toEqual([
      `${processAt(200, 2)} setuid uid:1000`,
      `${processAt(200, 2)} setgid gid:1000`,
    ]);
    expect(skipped).toEqual({ unchangedUser: 1 });
    expect(entities.get(processAt(200, 2))).toMatchObject({ user: 'uid:1000', session: 'ses:7' });
    expect(entities.get('uid:1000')).toMatchObject({ type: 'principal' });
  });

  it('are targets of signals and of ptrace', async () => {
    const target = [['OBJ_PID', 'opid=300 oauid=0 ouid=0 oses=1 ocomm="victim"']] as const;
    const { short, events, skipped } = await read(
      new AuditLog()
        .call('kill', { args: [300, 9], records: target })
        .call('kill', { args: [300, 0] })
        .call('kill', { args: [999, 9] })
        .call('ptrace', { args: [16, 300], records: target })
        .call('ptrace', { args: [1, 300], records: target })
        .call('ptrace', { args: [0, 0] }),
    );
    const [self, victim] = [processAt(100, 1), processAt(300, 1)];
    expect(short).toEqual([
      `${self} kill ${victim}`,
      `${self} kill_probe ${victim}`,
      `${self} ptrace ${victim}`,
      `${self} ptrace_peek ${victim}`,
    ]);
    expect(events.map(({ action }) => action)).toEqual(['signal', 'query', 'inject', 'access']);
    expect(skipped).toEqual({ unknownProcess: 2 });
  });

  it('are all new after a boot', async () => {
    const { short } = await read(
      new AuditLog()
        .call('unlink', unlink('/a'))
        .record('SYSTEM_BOOT', 'pid=9 uid=0 msg=\'comm="systemd-update-utmp" res=success\'')
        .call('unlink', unlink('/b')),
    );
    expect(short).toEqual([`${processAt(100, 1)} unlink /a`, `${processAt(100, 3)} unlink /b`]);
  });

  it('of different hosts are apart', async () => {
    const [one, two] = [
      new AuditLog('one').call('unlink', unlink('/a')),
      new AuditLog('two').call('unlink', { ms: 2, ...unlink('/a') }),
    ];
    const { events } = await readBlocks(one.text + two.text, 'auditd');
    expect(events.map(({ host, subj }) => [host, subj?.id])).toEqual([
      ['one', processAt(100, 1)],
      ['two', processAt(100, 2)],
    ]);
  });

  it('that fail are left out, unless they were not allowed', async () => {
    const opened = (exit: number) => ({
      exit,
      args: [WORKING_FOLDER, 1, 0] as const,
      records: [cwd('/'), path(0, '/etc/shadow')],
    });
    const { events, skipped } = await read(
      new AuditLog().call('openat', opened(-2)).call('openat', opened(-13)).call('openat', opened(-1)),
    );
    expect(skipped).toEqual({ failedCall: 1 });
    expect(events.map(({ ok }) => ok)).toEqual([false, false]);
  });
});
