import type { Action } from '../../actions.js';

/** What the object of a call is taken for. */
export type FalcoObject = 'program' | 'opened' | 'path' | 'twoPaths' | 'file' | 'remote' | 'server' | 'none';

export interface FalcoMeaning {
  readonly action: Action;
  readonly flow?: 'in' | 'out' | undefined;
  readonly object: FalcoObject;
}

type Row = readonly [names: string, action: Action, object: FalcoObject, flow?: 'in' | 'out'];

/** The calls that rules report, by `evt.type`. Others have the action `other` and their descriptor as object. */
const ROWS: readonly Row[] = [
  ['execve execveat', 'exec', 'program', 'in'],
  ['procexit exit exit_group', 'exit', 'none'],
  ['open openat openat2 open_by_handle_at', 'open', 'opened'],
  ['creat', 'create', 'opened', 'out'],
  ['read readv pread preadv getdents getdents64', 'read', 'file', 'in'],
  ['write writev pwrite pwritev', 'write', 'file', 'out'],
  ['close', 'close', 'file'],
  ['unlink unlinkat rmdir', 'delete', 'path', 'out'],
  ['mkdir mkdirat mknod mknodat', 'create', 'path', 'out'],
  ['rename renameat renameat2', 'rename', 'twoPaths', 'out'],
  ['link linkat symlink symlinkat', 'link', 'twoPaths', 'out'],
  ['chmod fchmod fchmodat chown fchown lchown fchownat', 'chmod', 'path', 'out'],
  ['truncate ftruncate', 'truncate', 'path', 'out'],
  ['mmap mmap2 mprotect', 'mmap', 'file', 'in'],
  ['mount umount umount2', 'mount', 'path', 'out'],
  ['connect', 'connect', 'remote', 'out'],
  ['accept accept4', 'accept', 'remote', 'in'],
  ['bind listen', 'bind', 'server', 'out'],
  ['send sendto sendmsg sendmmsg', 'send', 'remote', 'out'],
  ['recv recvfrom recvmsg recvmmsg', 'recv', 'remote', 'in'],
  ['kill tkill tgkill', 'signal', 'none', 'out'],
  ['ptrace process_vm_writev', 'inject', 'none', 'out'],
  ['setuid setreuid setresuid setgid setregid setresgid', 'setid', 'none', 'out'],
  ['memfd_create', 'create', 'file', 'out'],
  ['init_module finit_module delete_module bpf', 'load', 'file', 'in'],
];

const MEANINGS = new Map(
  ROWS.flatMap(([names, action, object, flow]) =>
    names.split(' ').map((name): [string, FalcoMeaning] => [name, { action, object, flow }]),
  ),
);
const UNLISTED: FalcoMeaning = { action: 'other', object: 'file' };

export const FORKS = new Set(['clone', 'clone3', 'fork', 'vfork']);

export function falcoMeaning(name: string): FalcoMeaning {
  return MEANINGS.get(name) ?? UNLISTED;
}
