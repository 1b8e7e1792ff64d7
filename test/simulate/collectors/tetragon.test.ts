import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSimulation, removeSimulations, type TestSimulation } from '../simulations.js';
import { logLines, type TetragonEvent, tetragonEvent } from './plain-readers.js';

afterAll(removeSimulations);

describe('a simulated Tetragon log', () => {
  let simulation: TestSimulation;
  let log: TetragonEvent[];
  beforeAll(async () => {
    simulation = await makeSimulation({
      scenario: 'linux-desktop',
      format: 'tetragon',
      events: 25_000,
      seed: 2,
    });
    log = (await logLines(simulation)).map(tetragonEvent);
  });

  it('builds exec_id from node, time since boot and pid', () => {
    for (const { process } of log) {
      const [node, uptime, pid] = Buffer.from(process.exec_id, 'base64').toString().split(':');
      expect(node).toBe(simulation.manifest.hosts[0].name);
      expect(uptime).toMatch(/^\d+$/);
      expect(Number(pid)).toBe(process.pid);
    }
  });

  it('describes the parent with the id that the process names', () => {
    const described = log.filter(({ parent }) => parent !== undefined);
    expect(described.length).toBeGreaterThan(1_000);
    for (const { process, parent } of described) {
      // A parent that executes a program after a fork has another id than at the fork; no simulated one does.
      expect(process.parent_exec_id).toBe(parent?.exec_id);
    }
  });

  it('lists the running processes first, and gives each execution an id of its own', () => {
    const executions = log.filter(({ type }) => type === 'process_exec');
    const running = executions.findIndex(({ process }) => !process.flags.includes('procFS'));
    expect(running).toBe(10);
    expect(new Set(executions.map(({ process }) => process.exec_id)).size).toBe(executions.length);
    expect(new Set(executions.slice(running).map(({ process }) => process.flags.split(' ')[0]))).toEqual(
      new Set(['execve']),
    );
  });

  it('passes the arguments that the hooks of its policies have', () => {
    const shapes = new Map<string, Set<string>>();
    for (const { function_name, args = [] } of log) {
      if (function_name === undefined) continue;
      const shape = args.map((argument) => Object.keys(argument)[0]).join(' ');
      shapes.set(function_name, (shapes.get(function_name) ?? new Set()).add(shape));
    }
    expect(Object.fromEntries([...shapes].map(([name, set]) => [name, [...set].join('|')]))).toMatchObject({
      fd_install: 'int_arg file_arg',
      security_file_permission: 'file_arg int_arg',
      security_mmap_file: 'file_arg uint_arg',
      tcp_connect: 'sock_arg',
      inet_csk_accept: 'sock_arg',
      __x64_sys_setuid: 'int_arg',
    });
  });
});
