import { describe, expect, it } from 'vitest';
import { mergeEntities, readBlocks } from '../../records.js';
import { AuditLog, type CallOptions, cwd, path, processAt, WORKING_FOLDER } from './audit-lines.js';

async function read(log: AuditLog) {
  const decoded = await readBlocks(log.text, 'auditd');
  expect(decoded.problems).toEqual([]);
  const short = decoded.events.map(({ rel, obj, obj2, flow }) =>
    [rel, flow === 'in' ? '<-' : '->', obj?.id, obj2?.id].filter(Boolean).join(' '),
  );
  return { ...decoded, short, entities: mergeEntities(decoded.upserts) };
}

const opened = (
  name: string,
  fd: number,
  { flags = 0, folder = WORKING_FOLDER, role = 'NORMAL', inode = 1, mode = '0100644' } = {},
): CallOptions => ({
  exit: fd,
  args: [folder, 1, flags],
  records: [cwd('/home/bob'), path(0, name, role, inode, mode)],
});
const DIRECTORY = { mode: '040755', inode: 9 };

describe('files', () => {
  it('are opened for what the flags say', async () => {
    const { short, events } = await read(
      new AuditLog()
        .call('openat', opened('r', 3))
        .call('openat', opened('w', 3, { flags: 1 }))
        .call('openat', opened('rw', 3, { flags: 2 }))
        .call('openat', opened('new', 3, { flags: 0x241, role: 'CREATE' }))
        .call('openat', opened('p', 3, { flags: 0x200000 })),
    );
    expect(short).toEqual([
      'openat_read <- /home/bob/r',
      'openat_write -> /home/bob/w',
      'openat_read <- /home/bob/rw',
      'openat_write -> /home/bob/rw',
      'openat_create -> /home/bob/new',
    ]);
    expect(events.map(({ action }) => action)).toEqual(['read', 'write', 'read', 'write', 'create']);
  });

  it('have flags of their own record for openat2, or none', async () => {
    const { short } = await read(
      new AuditLog()
        .call('openat2', {
          ...opened('a', 3),
          records: [['OPENAT2', 'oflag=0100001 mode=00 resolve=0x0'], cwd('/'), path(0, 'a')],
        })
        .call('openat2', opened('b', 3)),
    );
    expect(short).toEqual(['openat2_write -> /a', 'openat2 <- /home/bob/b']);
  });

  it('have absolute paths without detours', async () => {
    const names = [
      'a',
      './a',
      'b/../a',
      '/home/bob//a',
      '/home/./bob/a/',
      '/x/../home/bob/a',
      '../bob/a',
      'ä b',
    ];
    const log = new AuditLog();
    for (const name of names) log.call('openat', opened(name, 3));
    const { short } = await read(log);
    expect(short).toEqual([
      ...Array.from({ length: 7 }, () => 'openat_read <- /home/bob/a'),
      'openat_read <- /home/bob/ä b',
    ]);
  });

  it('below a descriptor are found by what was opened as it, or by the inode of their folder', async () => {
    const { short, skipped } = await read(
      new AuditLog()
        .call('openat', opened('/srv/data', 5, DIRECTORY))
        .call('openat', opened('x', 6, { folder: 5 }))
        // Another process has the folder as an unknown descriptor.
        .call('openat', {
          ...opened('', 7),
          pid: 200,
          args: [40, 1, 1],
          records: [cwd('/'), path(0, 'ignored/', 'PARENT', 9, '040755'), path(1, 'y', 'NORMAL', 10)],
        })
        .call('openat', { ...opened('z', 7, { folder: 41, inode: 99 }), pid: 200 }),
    );
    expect(short).toEqual([
      'openat_read <- /srv/data',
      'openat_read <- /srv/data/x',
      'openat_write -> /srv/data/y',
    ]);
    expect(skipped).toEqual({ unknownFolder: 1 });
  });

  it('below a descriptor are not in the working folder, although the kernel gives it as the folder', async () => {
    const remove = (inode: number): CallOptions => ({
      pid: 200,
      args: [40, 1],
      records: [
        cwd('/home/bob'),
        path(0, '/home/bob', 'PARENT', inode, '040755'),
        path(1, 'x', 'DELETE', 10),
      ],
    });
    const { short, skipped } = await read(
      new AuditLog()
        .call('openat', opened('/srv/data', 5, DIRECTORY))
        .call('unlinkat', remove(9))
        .call('unlinkat', remove(77))
        // It did not become the path of the folder.
        .call('unlinkat', remove(77)),
    );
    expect(short).toEqual(['openat_read <- /srv/data', 'unlinkat -> /srv/data/x']);
    expect(skipped).toEqual({ unknownFolder: 2 });
  });

  it('are not below a descriptor that stands for a file', async () => {
    const { short, skipped } = await read(
      new AuditLog()
        .call('openat', opened('/etc/ca.crt', 5))
        .call('openat', opened('x', 6, { folder: 5, inode: 10 })),
    );
    expect(short).toEqual(['openat_read <- /etc/ca.crt']);
    expect(skipped).toEqual({ unknownFolder: 1 });
  });

  it('are renamed in two folders', async () => {
    const { short } = await read(
      new AuditLog().call('openat', opened('/srv/data', 5, DIRECTORY)).call('renameat', {
        args: [WORKING_FOLDER, 1, 5, 2],
        records: [
          cwd('/home/bob'),
          path(0, '/home/bob', 'PARENT', 8, '040755'),
          path(1, '/srv/data', 'PARENT', 9, '040755'),
          path(2, 'old', 'DELETE', 3),
          path(3, 'target', 'DELETE', 4),
          path(4, 'target', 'CREATE', 3),
        ],
      }),
    );
    expect(short.at(-1)).toBe('renameat -> /home/bob/old /srv/data/target');
  });

  it('have a kind', async () => {
    const { entities } = await read(
      new AuditLog()
        .call('openat', opened('/d', 3, DIRECTORY))
        .call('openat', opened('/f', 3))
        .call('openat', opened('/dev/null', 3, { mode: '020666' })),
    );
    expect(['/d', '/f', '/dev/null'].map((id) => entities.get(id)?.kind)).toEqual([
      'directory',
      'file',
      'character-device',
    ]);
  });
});

describe('descriptors', () => {
  const on = (fd: number, more: CallOptions = {}): CallOptions => ({ args: [fd], ...more });

  it('stand for what they were opened as', async () => {
    const { short, skipped, merged } = await read(
      new AuditLog()
        .call('openat', opened('/f', 3))
        .call('dup2', { args: [3, 9], exit: 9 })
        .call('fcntl', { args: [3, 1030], exit: 10 })
        .call('fcntl', { args: [3, 3], exit: 0 })
        .call('close', on(3))
        .call('read', on(3))
        .call('read', on(9))
        .call('write', on(10)),
    );
    expect(short.slice(1)).toEqual(['read <- /f', 'write -> /f']);
    expect(skipped).toEqual({ otherCall: 1, unknownDescriptor: 1 });
    expect(merged.calls).toBe(3);
  });

  it('go to children; an exec closes those that ask for it', async () => {
    const { short, skipped } = await read(
      new AuditLog()
        .call('openat', opened('/kept', 3))
        .call('openat', opened('/closed', 4, { flags: 0x80000 }))
        .call('fork', { exit: 200 })
        .call('execve', {
          pid: 200,
          ppid: 100,
          records: [['EXECVE', 'argc=1 a0="x"'], cwd('/'), path(0, '/bin/x')],
        })
        .call('read', { pid: 200, ppid: 100, args: [3] })
        .call('read', { pid: 200, ppid: 100, args: [4] })
        .call('read', { args: [4] }),
    );
    expect(short.slice(-2)).toEqual(['read <- /kept', 'read <- /closed']);
    expect(skipped).toEqual({ unknownDescriptor: 1 });
  });

  it('of pipes and of memory are entities of their own', async () => {
    const { short, entities } = await read(
      new AuditLog()
        .call('pipe2', { records: [['FD_PAIR', 'fd0=3 fd1=4']] })
        .call('write', on(4))
        .call('memfd_create', { exit: 5 })
        .call('write', on(5))
        .call('sendfile', { args: [4, 5] }),
    );
    const pipe = 'pipe:100@1700000000001000000#3';
    const memory = 'memfd:100@1700000000003000000#5';
    expect(short).toEqual([
      `pipe2 -> ${pipe}`,
      `write -> ${pipe}`,
      `memfd_create -> ${memory}`,
      `write -> ${memory}`,
      `sendfile_read <- ${memory}`,
      `sendfile_write -> ${pipe}`,
    ]);
    expect(entities.get(pipe)?.type).toBe('pipe');
    expect(entities.get(memory)).toMatchObject({ type: 'memory', kind: 'memfd' });
  });

  it('map files into memory', async () => {
    const { short } = await read(
      new AuditLog()
        .call('openat', opened('/lib.so', 3))
        .call('mmap', { args: [0, 4096, 5, 2], records: [['MMAP', 'fd=3 flags=0x2']] })
        .call('mmap', { args: [0, 4096, 1, 2], records: [['MMAP', 'fd=3 flags=0x2']] }),
    );
    expect(short.slice(1)).toEqual(['mmap_exec <- /lib.so', 'mmap <- /lib.so']);
  });
});

describe('sockets', () => {
  const to = (saddr: string, more: CallOptions = {}): CallOptions => ({
    args: [5],
    records: [['SOCKADDR', `saddr=${saddr}`]],
    ...more,
  });
  const INET = '020001BB0A0000050000000000000000';

  it('connect, also when the result is not known yet or a failure', async () => {
    const { events, short } = await read(
      new AuditLog()
        .call('connect', to(INET))
        .call('connect', to(INET, { exit: -115 }))
        .call('connect', to(INET, { exit: -111 }))
        .call('recvfrom', { args: [5] })
        .call('sendto', to('020000350A0000020000000000000000')),
    );
    expect(short).toEqual([
      ...Array.from({ length: 3 }, () => 'connect -> 10.0.0.5:443'),
      'recvfrom <- 10.0.0.5:443',
      'sendto -> 10.0.0.2:53',
    ]);
    expect(events.slice(0, 3).map(({ ok }) => ok)).toEqual([true, undefined, false]);
  });

  it('have a local address if they were bound', async () => {
    const { entities } = await read(
      new AuditLog()
        .call('bind', to('02001F900A0000010000000000000000'))
        .call('accept4', to('0200D4310A0000090000000000000000', { exit: 6 })),
    );
    expect(entities.get('10.0.0.9:54321')).toMatchObject({ type: 'flow', local: '10.0.0.1:8080' });
  });

  it('of the host itself are files', async () => {
    const unix = `0100${Buffer.from('/run/x.sock\0').toString('hex').toUpperCase()}`;
    const { short, skipped, entities } = await read(
      new AuditLog()
        .call('bind', to(unix))
        .call('accept', to('0100', { exit: 7 }))
        .call('connect', to(`010000${Buffer.from('name').toString('hex').toUpperCase()}`))
        .call('connect', to('100000000000000000000000'))
        .call('connect', to('0100', { args: [8] })),
    );
    expect(short).toEqual(['bind -> /run/x.sock', 'accept <- /run/x.sock', 'connect -> @name']);
    expect(entities.get('/run/x.sock')?.kind).toBe('socket');
    expect(skipped).toEqual({ otherAddress: 1, noAddress: 1 });
  });
});

it('a login gives the process a session and an event with the account', async () => {
  const { events, entities, skipped } = await read(
    new AuditLog()
      .call('unlink', { records: [cwd('/'), path(0, '/a', 'DELETE')] })
      .record('USER_LOGIN', `pid=100 uid=0 auid=7 ses=3 msg='op=login acct="bob" addr=10.0.0.9 res=failed'`)
      .record(
        'USER_LOGIN',
        `pid=555 uid=0 auid=7 ses=3 msg='op=login acct="bob" exe="/usr/sbin/sshd" res=success'`,
      )
      .record('CRED_ACQ', `pid=100 uid=0 msg='op=PAM:setcred acct="bob" res=success'`),
  );
  expect(events[1]).toMatchObject({ rel: 'USER_LOGIN', action: 'login', obj: { id: 'user:bob' }, ok: false });
  expect(entities.get(processAt(100, 1))).toMatchObject({ session: 'ses:3' });
  expect(entities.get(processAt(555, 3))).toMatchObject({ name: '/usr/sbin/sshd' });
  expect(skipped).toEqual({ notACall: 1 });
});
