import type { Call } from '../../kernel/calls.js';

export interface Syscall {
  /** The name, which is also the relation in the manifest. */
  readonly name: string;
  /** The number on x86-64. */
  readonly number: number;
  /** The key of the rule that records it, as in the rules that recal prints. */
  readonly key: string;
}

const syscall = (name: string, number: number, key: string): Syscall => ({ name, number, key });

/**
 * The calls that the rules record: processes, opens, changes of files, sockets, identities and signals. Reads, writes,
 * messages, mappings and closes are too many for auditd on a real host.
 */
export const SYSCALLS: Partial<Record<Call, Syscall>> = {
  open: syscall('openat', 257, 'recal_file'),
  openForWriting: syscall('openat', 257, 'recal_file'),
  create: syscall('openat', 257, 'recal_file'),
  fork: syscall('vfork', 58, 'recal_proc'),
  clone: syscall('clone', 56, 'recal_proc'),
  execute: syscall('execve', 59, 'recal_proc'),
  exit: syscall('exit_group', 231, 'recal_proc'),
  connect: syscall('connect', 42, 'recal_net'),
  accept: syscall('accept4', 288, 'recal_net'),
  makeDirectory: syscall('mkdir', 83, 'recal_fmod'),
  unlink: syscall('unlink', 87, 'recal_fmod'),
  rename: syscall('rename', 82, 'recal_fmod'),
  truncate: syscall('truncate', 76, 'recal_fmod'),
  changeMode: syscall('chmod', 90, 'recal_fmod'),
  changeUser: syscall('setuid', 105, 'recal_id'),
  signal: syscall('kill', 62, 'recal_rare'),
};

/** The write to `/proc/self/loginuid`, which the kernel logs without a rule. */
export const LOGIN_WRITE: Syscall = syscall('write', 1, '');
