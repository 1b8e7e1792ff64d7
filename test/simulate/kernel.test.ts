import { describe, expect, it } from 'vitest';
import { Random } from '../../src/base/random.js';
import { FileTree } from '../../src/simulate/kernel/file-tree.js';
import { ProcessTable } from '../../src/simulate/kernel/process-table.js';
import { Programs } from '../../src/simulate/kernel/programs.js';
import { Scheduler, type Steps } from '../../src/simulate/kernel/scheduler.js';
import { cadetsUuids, theiaUuids, traceUuids } from '../../src/simulate/kernel/uuid-schemes.js';

describe('Scheduler', () => {
  it('runs tasks in order of time, ties in order of start, and calls observers', () => {
    const scheduler = new Scheduler();
    const log: string[] = [];
    function* task(name: string, waits: number[]): Steps {
      for (const wait of waits) {
        log.push(`${name}@${scheduler.now}`);
        yield wait;
      }
      log.push(`${name} ends`);
    }
    const turns: boolean[] = [];
    scheduler.start(10, task('a', [5, 5]), { resume: () => {}, pause: (finished) => turns.push(finished) });
    scheduler.start(10, task('b', [5]));
    scheduler.start(0, task('c', [100]));
    scheduler.runUntil(50);
    expect(log).toEqual(['c@0', 'a@10', 'b@10', 'a@15', 'b ends', 'a ends']);
    expect(turns).toEqual([false, false, true]);
    expect(scheduler.now).toBe(50);
    scheduler.runUntil(101);
    expect(log.at(-1)).toBe('c ends');
  });

  it('never sets the clock back', () => {
    const scheduler = new Scheduler();
    const times: number[] = [];
    const random = new Random(4);
    function* walker(): Steps {
      for (let i = 0; i < 50; i++) {
        times.push(scheduler.now);
        // The recorder also moves the clock while a task runs.
        scheduler.now += random.below(30);
        yield random.below(100);
      }
    }
    for (let i = 0; i < 20; i++) scheduler.start(random.below(500), walker());
    scheduler.runUntil(1e6);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times).toHaveLength(1_000);
  });
});

describe('ProcessTable', () => {
  it('wraps round, skips ids in use and counts reuse', () => {
    const table = new ProcessTable(302, 301);
    expect([table.allocate(), table.allocate(), table.allocate()]).toEqual([301, 302, 300]);
    expect(() => table.allocate()).toThrow(RangeError);
    table.release({ pid: 302 } as Parameters<ProcessTable['release']>[0]);
    expect(table.allocate()).toBe(302);
    expect(table.reused).toBe(1);
  });
});

describe('FileTree', () => {
  const root = { name: 'root', uid: 0, home: '/root', principal: '' };

  it('keeps one node per path, replaces it on creation, and moves nodes', () => {
    const tree = new FileTree(traceUuids(new Random(1)), root, 10);
    const log = tree.get('/var/log/x');
    expect(tree.get('/var/log/x')).toBe(log);
    tree.move(log, '/var/log/x.0');
    expect(tree.has('/var/log/x')).toBe(false);
    expect(tree.get('/var/log/x.0')).toBe(log);
    const fresh = tree.create('/var/log/x.0', root, true);
    expect(tree.get('/var/log/x.0')).toBe(fresh);
    tree.remove(log); // the path belongs to another node now
    expect(tree.has('/var/log/x.0')).toBe(true);
    expect([tree.get('/dev/null').kind, tree.get('/dev/sda1').kind, tree.get('/home/').kind]).toEqual([
      'char',
      'block',
      'directory',
    ]);
  });
});

describe('Programs', () => {
  it('reads its table and rejects an unknown program', () => {
    const programs = new Programs(
      { sh: '/bin/sh | c.so.7 edit.so.7 | /etc/profile' },
      (library) => `/lib/lib${library}`,
    );
    expect(programs.get('sh')).toEqual({
      name: 'sh',
      path: '/bin/sh',
      libraries: ['/lib/libc.so.7', '/lib/libedit.so.7'],
      configuration: ['/etc/profile'],
    });
    expect(() => programs.get('zsh')).toThrow(RangeError);
  });
});

describe('ids', () => {
  it.each([
    ['CADETS', cadetsUuids, /^[0-9A-F]{8}-[0-9A-F]{4}-11E8-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/],
    ['THEIA', theiaUuids, /^[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-0000-000000000020$/],
    ['TRACE', traceUuids, /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/],
  ])('of %s have its format and never repeat', (_, make, shape) => {
    const uuids = make(new Random(9));
    const all = new Set<string>();
    for (let i = 0; i < 20_000; i++) {
      const process = uuids.process(300 + (i % 3_000), i * 5e6);
      if (i < 100) expect(process).toMatch(shape);
      for (const uuid of [
        process,
        uuids.file(i),
        uuids.flow(),
        uuids.pipe(),
        uuids.memory(i % 3_000, 0x7f00_0000_0000),
        uuids.event(),
      ]) {
        all.add(uuid);
      }
    }
    expect(all.size).toBe(120_000);
  });
});
