import { describe, expect, it } from 'vitest';
import { NONE } from '../../../src/ingest/kernel/act.js';
import { CALLS, callByName, callByNumber } from '../../../src/ingest/kernel/calls.js';

const X86_64 = 0xc000003e;
const I386 = 0x40000003;
const AARCH64 = 0xc00000b7;
const nameOf = (arch: number, number: number) => CALLS[callByNumber(arch, number)]?.name;

describe('system calls', () => {
  it.each([
    ['execve', 59, 11, 221],
    ['openat', 257, 295, 56],
    ['openat2', 437, 437, 437],
    ['connect', 42, 362, 203],
    ['accept4', 288, 364, 242],
    ['clone', 56, 120, 220],
    ['clone3', 435, 435, 435],
    ['exit_group', 231, 252, 94],
    ['renameat2', 316, 353, 276],
    ['unlinkat', 263, 301, 35],
    ['ptrace', 101, 26, 117],
    ['kill', 62, 37, 129],
    ['setresuid', 117, 164, 147],
    ['finit_module', 313, 350, 273],
    ['memfd_create', 319, 356, 279],
    ['process_vm_writev', 311, 348, 271],
    ['mount', 165, 21, 40],
    ['bpf', 321, 357, 280],
    ['io_uring_setup', 425, 425, 425],
  ])('%s has its number on each architecture', (name, x64, x86, arm) => {
    expect([nameOf(X86_64, x64), nameOf(I386, x86), nameOf(AARCH64, arm)]).toEqual([name, name, name]);
    expect(CALLS[callByName(name)].kind).not.toBe('other');
  });

  it('has those of the x32 interface', () => {
    expect(nameOf(X86_64, 0x40000000 + 257)).toBe('openat');
  });

  it('is unknown for other numbers, architectures and names', () => {
    for (const [arch, number] of [
      [X86_64, 5000],
      [X86_64, -1],
      [X86_64, Number.NaN],
      [0x15, 2],
    ])
      expect(callByNumber(arch, number)).toBe(NONE);
    expect(callByName('none')).toBe(NONE);
  });

  it('has each name once, and only folders that are arguments', () => {
    expect(new Set(CALLS.map(({ name }) => name)).size).toBe(CALLS.length);
    for (const { folders } of CALLS)
      expect(folders.every((argument) => argument >= 0 && argument < 4)).toBe(true);
  });

  it('maps only calls that some architecture has', () => {
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    const known = new Set(
      [X86_64, I386, AARCH64].flatMap((arch) => numbers.map((number) => nameOf(arch, number))),
    );
    // The last ones are behind `socketcall`, or have another name in newer kernels.
    const elsewhere = new Set(['send', 'recv', 'pread64', 'pwrite64']);
    expect(
      CALLS.filter(({ name }) => !known.has(name) && !elsewhere.has(name)).map(({ name }) => name),
    ).toEqual([]);
  });
});
