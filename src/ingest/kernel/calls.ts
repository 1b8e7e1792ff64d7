import { NONE } from './act.js';
import { AARCH64_CALLS } from './syscalls/aarch64.js';
import { I386_CALLS } from './syscalls/i386.js';
import { X86_64_CALLS } from './syscalls/x86-64.js';

/** How the state treats a call. Calls of one kind share their arguments and their effect. */
export type CallKind =
  | 'fork'
  | 'exec'
  | 'exit'
  | 'open'
  | 'path'
  | 'twoPaths'
  | 'mount'
  | 'descriptor'
  | 'transfer'
  | 'socketData'
  | 'connect'
  | 'bind'
  | 'accept'
  | 'dup'
  | 'fcntl'
  | 'close'
  | 'socket'
  | 'pair'
  | 'memfd'
  | 'map'
  | 'setuid'
  | 'setgid'
  | 'signal'
  | 'trace'
  | 'module'
  | 'bpf'
  | 'alone'
  | 'socketcall'
  | 'other';

import type { Action } from '../actions.js';

/** What the state needs to know of a call. */
export interface Call {
  readonly name: string;
  readonly kind: CallKind;
  readonly action: Action;
  /** True if information goes from the object to the process. */
  readonly inward: boolean;
  /** The arguments that hold the folder descriptors of the (first and second) path. */
  readonly folders: readonly number[];
  /** The argument that holds the descriptor, process number or flags, by kind. */
  readonly argument: number;
}

type Row = readonly [names: string, kind: CallKind, action: Action, options?: Partial<Call>];

/** The calls that matter, by kind. A name ends in the argument numbers of its folder descriptors after `@`. */
const ROWS: readonly Row[] = [
  ['fork vfork clone clone3', 'fork', 'fork'],
  ['execve execveat@0', 'exec', 'exec', { inward: true }],
  ['exit exit_group', 'exit', 'exit'],
  ['open', 'open', 'open', { argument: 1 }],
  ['openat@0', 'open', 'open', { argument: 2 }],
  ['openat2@0 creat open_by_handle_at', 'open', 'open', { argument: -1 }],
  ['unlink unlinkat@0 rmdir', 'path', 'delete'],
  ['mkdir mkdirat@0 mknod mknodat@0', 'path', 'create'],
  [
    'chmod fchmodat@0 fchmodat2@0 chown lchown fchownat@0 chown32 lchown32 setxattr lsetxattr removexattr lremovexattr setxattrat@0 removexattrat@0 utime utimes futimesat@0 utimensat@0',
    'path',
    'chmod',
  ],
  ['truncate truncate64', 'path', 'truncate'],
  ['umount umount2 pivot_root chroot move_mount fsmount swapon swapoff', 'path', 'mount'],
  ['mount', 'mount', 'mount'],
  [
    'stat lstat newfstatat@0 fstatat64@0 stat64 lstat64 statx@0 access faccessat@0 faccessat2@0 readlink readlinkat@0 getxattr lgetxattr',
    'path',
    'query',
    { inward: true },
  ],
  ['rename renameat@0,2 renameat2@0,2', 'twoPaths', 'rename'],
  ['link linkat@0,2 symlink symlinkat@1,1', 'twoPaths', 'link'],
  ['read readv pread pread64 preadv preadv2 getdents getdents64', 'descriptor', 'read', { inward: true }],
  ['write writev pwrite pwrite64 pwritev pwritev2 vmsplice', 'descriptor', 'write'],
  ['ftruncate ftruncate64 fallocate', 'descriptor', 'truncate'],
  ['fchmod fchown fchown32 fsetxattr fremovexattr', 'descriptor', 'chmod'],
  ['fstat fstat64 fgetxattr', 'descriptor', 'query', { inward: true }],
  ['sendfile sendfile64', 'transfer', 'write'],
  ['splice tee copy_file_range', 'transfer', 'read'],
  ['sendto sendmsg sendmmsg send', 'socketData', 'send'],
  ['recvfrom recvmsg recvmmsg recv', 'socketData', 'recv', { inward: true }],
  ['connect', 'connect', 'connect'],
  ['bind', 'bind', 'bind'],
  ['accept accept4', 'accept', 'accept', { inward: true }],
  ['dup dup2 dup3', 'dup', 'other'],
  ['fcntl fcntl64', 'fcntl', 'other'],
  ['close close_range', 'close', 'close'],
  ['socket listen shutdown chdir fchdir', 'socket', 'other'],
  ['pipe pipe2 socketpair', 'pair', 'create'],
  ['memfd_create memfd_secret', 'memfd', 'create'],
  ['mmap mmap2', 'map', 'mmap', { inward: true }],
  ['setuid setreuid setresuid setfsuid setuid32 setreuid32 setresuid32 setfsuid32', 'setuid', 'setid'],
  ['setgid setregid setresgid setfsgid setgid32 setregid32 setresgid32 setfsgid32', 'setgid', 'setid'],
  ['kill tkill', 'signal', 'signal', { argument: 0 }],
  ['tgkill rt_sigqueueinfo rt_tgsigqueueinfo', 'signal', 'signal', { argument: 0 }],
  ['pidfd_send_signal', 'signal', 'signal', { argument: -1 }],
  ['process_vm_writev', 'signal', 'inject', { argument: 0 }],
  ['process_vm_readv', 'signal', 'access', { argument: 0, inward: true }],
  ['ptrace', 'trace', 'inject', { argument: 1 }],
  ['init_module finit_module delete_module', 'module', 'load'],
  ['bpf', 'bpf', 'load'],
  ['io_uring_setup unshare setns kexec_load kexec_file_load', 'alone', 'other'],
  ['socketcall', 'socketcall', 'other'],
];

/** All calls of all architectures. Acts refer to them by index. */
export const CALLS: readonly Call[] = collectCalls();
const INDEX = new Map(CALLS.map(({ name }, index) => [name, index]));

/** The calls by number, as indices into CALLS, for each architecture of an audit record. */
const TABLES: Readonly<Record<number, Int32Array>> = {
  3221225534: numberTable(X86_64_CALLS),
  1073741827: numberTable(I386_CALLS),
  3221225655: numberTable(AARCH64_CALLS),
};

/** Calls of the x32 interface have this bit in their number. */
const X32_BIT = 0x40000000;

/** Most logs are of one architecture. */
let lastArch = -1;
let lastTable: Int32Array | undefined;

/** Returns the index of a call by architecture and number, or NONE. */
export function callByNumber(arch: number, number: number): number {
  if (arch !== lastArch) {
    lastArch = arch;
    lastTable = TABLES[arch];
  }
  const table = lastTable;
  if (table === undefined || !(number >= 0)) return NONE;
  return table[number & ~X32_BIT] ?? NONE;
}

/** Returns the index of a call by name, or NONE. */
export function callByName(name: string): number {
  return INDEX.get(name) ?? NONE;
}

function collectCalls(): Call[] {
  const known = ROWS.flatMap(([names, kind, action, options]) =>
    names.split(' ').map((entry): Call => {
      const [name, folders] = entry.split('@');
      const arguments_ = folders === undefined ? [] : folders.split(',').map(Number);
      return { name, kind, action, inward: false, folders: arguments_, argument: 0, ...options };
    }),
  );
  const names = new Set(known.map(({ name }) => name));
  const others = [X86_64_CALLS, I386_CALLS, AARCH64_CALLS].flatMap((table) =>
    parseTable(table).map(([, name]) => name),
  );
  const rest = [...new Set(others)].filter((name) => !names.has(name)).sort();
  return [
    ...known,
    ...rest.map(
      (name): Call => ({ name, kind: 'other', action: 'other', inward: false, folders: [], argument: 0 }),
    ),
  ];
}

function numberTable(text: string): Int32Array {
  const rows = parseTable(text);
  const table = new Int32Array(Math.max(...rows.map(([number]) => number)) + 1).fill(NONE);
  for (const [number, name] of rows) table[number] = INDEX.get(name) ?? NONE;
  return table;
}

function parseTable(text: string): [number: number, name: string][] {
  const rows: [number, string][] = [];
  let next = 0;
  for (const word of text.trim().split(/\s+/)) {
    if (word.endsWith(':')) next = Number(word.slice(0, -1));
    else rows.push([next++, word]);
  }
  return rows;
}
