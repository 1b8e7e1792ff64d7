import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBlocks, readBytes } from '../../records.js';

const HEAD = { node_name: 'n', time: '2025-03-04T05:06:07.000000009Z' };
const PROCESS = { exec_id: 'cA==', pid: 7, uid: 0, binary: '/bin/p' };

const line = (kind: string, body: object, head: object = HEAD): string =>
  `${JSON.stringify({ [kind]: { process: PROCESS, ...body }, ...head })}\n`;

const call = (name: string, args: unknown, more: object = {}): string =>
  line('process_kprobe', { function_name: name, args, ...more });

const read = (content: string) => readBlocks(content, 'tetragon');

describe('Tetragon calls', () => {
  it.each([
    [
      'security_file_permission',
      [{ file_arg: { path: '/a' } }, { int_arg: 4 }],
      'security_file_permission:read',
      'read',
      '/a',
    ],
    [
      'security_file_permission',
      [{ file_arg: { path: '/a' } }, { int_arg: 6 }],
      'security_file_permission:write',
      'write',
      '/a',
    ],
    [
      '__x64_sys_openat',
      [{ int_arg: -100 }, { string_arg: '/b' }, { int_arg: 0 }],
      'sys_openat',
      'open',
      '/b',
    ],
    ['__arm64_sys_unlinkat', [{ string_arg: '/b' }], 'sys_unlinkat', 'delete', '/b'],
    ['tcp_close', [{ sock_arg: { daddr: '::1', dport: 9 } }], 'tcp_close', 'close', '[::1]:9'],
    [
      'ip_rcv',
      [{ skb_arg: { saddr: '10.0.0.1', sport: 5, daddr: '10.0.0.2', dport: 6 } }],
      'ip_rcv',
      'recv',
      '10.0.0.1:5',
    ],
    [
      'security_socket_bind',
      [{ sockaddr_arg: { addr: '0.0.0.0', port: 80 } }],
      'security_socket_bind',
      'bind',
      '0.0.0.0:80',
    ],
    ['sys_setuid', [{ int_arg: 0 }], 'sys_setuid', 'setid', 'uid:0'],
    ['my_own_probe', [{ file_arg: { path: '/c' } }], 'my_own_probe', 'other', '/c'],
    [
      'security_socket_connect',
      [{ sockaddrun_arg: { path: '/run/x.sock' } }],
      'security_socket_connect',
      'connect',
      '/run/x.sock',
    ],
    ['inet_csk_accept', [], 'inet_csk_accept', 'accept', '10.0.0.9:1234'],
  ])('%s %j', async (name, args, rel, action, object) => {
    const result = { return: { sock_arg: { daddr: '10.0.0.9', dport: 1234 } } };
    const { events } = await read(call(name, args, name === 'inet_csk_accept' ? result : {}));
    expect(events).toMatchObject([{ rel, action, subj: { id: 'cA==' }, obj: { id: object } }]);
  });

  it('keeps calls whose arguments are missing, redacted or of another shape', async () => {
    const odd = [
      undefined,
      null,
      {},
      [],
      [null, 1, 'x'],
      [{ file_arg: '*****' }],
      [{ file_arg: { path: 7 } }],
      [{}],
    ];
    const { events, counts } = await read(odd.map((args) => call('vfs_read', args)).join(''));
    expect(counts.malformed).toBe(0);
    expect(events.map(({ action }) => action)).toEqual(odd.map(() => 'read'));
  });

  it('marks calls that failed', async () => {
    const content = [{ int_arg: -13 }, { int_arg: 0 }, { size_arg: '9' }, {}]
      .map((result) => call('vfs_read', [], { return: result }))
      .join('');
    expect((await read(content)).events.map(({ ok }) => ok)).toEqual([false, true, true, undefined]);
  });
});

describe('Tetragon records', () => {
  it('keep all nine digits of times, and repair a bad one', async () => {
    const at = (time: unknown): string => line('process_exit', {}, { node_name: 'n', time });
    const times = [
      '2025-03-04T05:06:07.123456789Z',
      'soon',
      '2025-03-04T05:06:07.5Z',
      '2025-03-04T07:06:08.1+02:00',
    ];
    const [{ events, report }] = await readBytes(times.map(at).join(''));
    expect(events.map(({ ts }) => ts)).toEqual([
      1741064767123456789n,
      1741064767123456789n,
      1741064767500000000n,
      1741064768100000000n,
    ]);
    expect(report.badTime).toBe(1);
  });

  it('without a process id are skipped', async () => {
    const { events, skipped } = await read(line('process_exit', { process: { pid: 4 } }));
    expect([events, skipped]).toEqual([[], { noProcess: 1 }]);
  });

  it('of throttling become losses, from start to stop', async () => {
    const at = (type: string, second: number, cgroup: string, host = 'n'): string =>
      line('process_throttle', { type, cgroup }, { node_name: host, time: `2025-03-04T05:06:0${second}Z` });
    const { losses } = await read(
      at('THROTTLE_START', 1, 'a') +
        at('THROTTLE_START', 2, 'b') +
        at('THROTTLE_STOP', 3, 'a', 'other') +
        at('THROTTLE_STOP', 5, 'a') +
        at('THROTTLE_STOP', 6, 'a'),
    );
    const t = (second: number): bigint => 1741064760n * 1_000_000_000n + BigInt(second) * 1_000_000_000n;
    const common = { records: 0, reason: 'throttle' };
    expect(losses).toEqual([
      { host: 'other', from: t(3), to: t(3), ...common },
      { host: 'n', from: t(1), to: t(5), ...common },
      { host: 'n', from: t(6), to: t(6), ...common },
      { host: 'n', from: t(2), to: t(2), ...common },
    ]);
  });

  it('of any shape are read without throwing', async () => {
    const key = fc.constantFrom(
      'process',
      'parent',
      'args',
      'return',
      'function_name',
      'exec_id',
      'pid',
      'file_arg',
      'path',
      'sock_arg',
      'type',
    );
    const { any } = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, 1, -1, 1e300, '', 'x', '\ud800', '18446744073709551616', true, []),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 4 }),
      ),
    }));
    const kind = fc.constantFrom(
      'process_exec',
      'process_kprobe',
      'process_tracepoint',
      'process_throttle',
      'process_lsm',
    );
    await fc.assert(
      fc.asyncProperty(kind, any, fc.dictionary(key, any), async (name, args, body) => {
        const { counts, lines } = await read(line(name, { ...body, args, function_name: 'vfs_read' }));
        expect(new Set(lines).size + counts.malformed).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });
});
