import type { Action } from '../../actions.js';

/** What an argument of a probe is taken for. */
export type ObjectKind =
  | 'path' // a file, path or program argument, else a text
  | 'remote' // the remote end of a socket
  | 'sender' // the source of a packet
  | 'local' // the local end of a socket
  | 'module'
  | 'memory' // a text that names anonymous memory
  | 'user' // the new user of the process
  | 'none';

/** How the calls of one kernel function are read. */
export interface FunctionMeaning {
  readonly action: Action;
  readonly flow?: 'in' | 'out';
  readonly object: ObjectKind;
  /** True if the access is in the first number: 4 read, 2 write, as MAY_READ and MAY_WRITE of Linux. */
  readonly mask?: boolean;
}

const READ: FunctionMeaning = { action: 'read', flow: 'in', object: 'path' };
const WRITE: FunctionMeaning = { action: 'write', flow: 'out', object: 'path' };
const OPEN: FunctionMeaning = { action: 'open', object: 'path' };
const CREATE: FunctionMeaning = { action: 'create', flow: 'out', object: 'path' };
const DELETE: FunctionMeaning = { action: 'delete', flow: 'out', object: 'path' };
const RENAME: FunctionMeaning = { action: 'rename', flow: 'out', object: 'path' };
const LINK: FunctionMeaning = { action: 'link', flow: 'out', object: 'path' };
const CHMOD: FunctionMeaning = { action: 'chmod', flow: 'out', object: 'path' };
const TRUNCATE: FunctionMeaning = { action: 'truncate', flow: 'out', object: 'path' };
const MMAP: FunctionMeaning = { action: 'mmap', flow: 'in', object: 'path' };
const EXEC: FunctionMeaning = { action: 'exec', flow: 'in', object: 'path' };
const LOAD_FILE: FunctionMeaning = { action: 'load', flow: 'in', object: 'path' };
const CONNECT: FunctionMeaning = { action: 'connect', flow: 'out', object: 'remote' };
const ACCEPT: FunctionMeaning = { action: 'accept', flow: 'in', object: 'remote' };
const BIND: FunctionMeaning = { action: 'bind', flow: 'out', object: 'local' };
const SEND: FunctionMeaning = { action: 'send', flow: 'out', object: 'remote' };
const RECEIVE: FunctionMeaning = { action: 'recv', flow: 'in', object: 'remote' };
const SET_ID: FunctionMeaning = { action: 'setid', flow: 'out', object: 'user' };
const MODULE: FunctionMeaning = { action: 'load', flow: 'in', object: 'module' };
const INJECT: FunctionMeaning = { action: 'inject', flow: 'out', object: 'none' };
const SIGNAL: FunctionMeaning = { action: 'signal', flow: 'out', object: 'none' };
const MOUNT: FunctionMeaning = { action: 'mount', flow: 'out', object: 'path' };

const named = (meaning: FunctionMeaning, ...names: string[]): [string, FunctionMeaning][] =>
  names.map((name) => [name, meaning]);

/**
 * The kernel functions that tracing policies watch, without `security_`, and system calls as `sys_NAME`. A function that is
 * not listed has the action `other`, and its file or socket is its object.
 */
const FUNCTIONS: ReadonlyMap<string, FunctionMeaning> = new Map([
  ['file_permission', { action: 'access', object: 'path', mask: true }] as [string, FunctionMeaning],
  ...named(READ, 'vfs_read', 'vfs_readv', 'ksys_read', 'sys_read', 'sys_readv', 'sys_pread64', 'sys_preadv'),
  ...named(
    WRITE,
    'vfs_write',
    'vfs_writev',
    'ksys_write',
    'sys_write',
    'sys_writev',
    'sys_pwrite64',
    'sys_pwritev',
  ),
  ...named(
    OPEN,
    'fd_install',
    'file_open',
    'do_sys_open',
    'do_sys_openat2',
    'sys_open',
    'sys_openat',
    'sys_openat2',
  ),
  ...named(
    CREATE,
    'sys_creat',
    'inode_create',
    'path_mkdir',
    'path_mknod',
    'inode_mkdir',
    'inode_mknod',
    'vfs_create',
  ),
  ...named(CREATE, 'sys_mkdir', 'sys_mkdirat', 'sys_mknod', 'sys_mknodat'),
  ...named(DELETE, 'path_unlink', 'path_rmdir', 'inode_unlink', 'inode_rmdir', 'vfs_unlink', 'vfs_rmdir'),
  ...named(DELETE, 'sys_unlink', 'sys_unlinkat', 'sys_rmdir'),
  ...named(
    RENAME,
    'path_rename',
    'inode_rename',
    'vfs_rename',
    'sys_rename',
    'sys_renameat',
    'sys_renameat2',
  ),
  ...named(LINK, 'path_link', 'path_symlink', 'inode_link', 'inode_symlink', 'vfs_link', 'vfs_symlink'),
  ...named(LINK, 'sys_link', 'sys_linkat', 'sys_symlink', 'sys_symlinkat'),
  ...named(CHMOD, 'path_chmod', 'path_chown', 'inode_setattr', 'inode_setxattr', 'sys_chmod', 'sys_fchmod'),
  ...named(CHMOD, 'sys_fchmodat', 'sys_chown', 'sys_fchown', 'sys_fchownat', 'sys_lchown'),
  ...named(TRUNCATE, 'path_truncate', 'file_truncate', 'sys_truncate', 'sys_ftruncate'),
  ...named(MMAP, 'mmap_file', 'file_mprotect', 'sys_mmap', 'sys_mprotect'),
  ...named(
    EXEC,
    'bprm_check',
    'bprm_check_security',
    'bprm_creds_from_file',
    'bprm_committing_creds',
    'sys_execve',
  ),
  ...named(EXEC, 'sys_execveat', 'bprm_creds_for_exec'),
  ...named(LOAD_FILE, 'kernel_read_file', 'kernel_load_data'),
  ...named(CONNECT, 'tcp_connect', 'tcp_v4_connect', 'tcp_v6_connect', 'socket_connect', 'sys_connect'),
  ...named(CONNECT, 'ip4_datagram_connect', 'ip6_datagram_connect'),
  ...named(ACCEPT, 'inet_csk_accept', 'socket_accept', 'sys_accept', 'sys_accept4'),
  ...named(
    BIND,
    'inet_bind',
    'inet_listen',
    'inet_csk_listen_start',
    'socket_bind',
    'socket_listen',
    'sys_bind',
  ),
  ...named(BIND, 'sys_listen'),
  ...named(
    SEND,
    'tcp_sendmsg',
    'udp_sendmsg',
    'udpv6_sendmsg',
    'socket_sendmsg',
    'sock_sendmsg',
    'sys_sendto',
  ),
  ...named(SEND, 'sys_sendmsg', 'ip_output', 'ip_send_skb', 'tcp_sendpage'),
  ...named(
    RECEIVE,
    'tcp_recvmsg',
    'udp_recvmsg',
    'udpv6_recvmsg',
    'socket_recvmsg',
    'sock_recvmsg',
    'sys_recvfrom',
  ),
  ...named(RECEIVE, 'sys_recvmsg'),
  ['ip_rcv', { action: 'recv', flow: 'in', object: 'sender' }],
  ['tcp_close', { action: 'close', object: 'remote' }],
  ['sys_close', { action: 'close', object: 'path' }],
  ...named(
    SET_ID,
    'commit_creds',
    'task_fix_setuid',
    'task_fix_setgid',
    'sys_setuid',
    'sys_setreuid',
    'sys_setresuid',
  ),
  ...named(SET_ID, 'sys_setgid', 'sys_setregid', 'sys_setresgid', 'sys_setfsuid'),
  ...named(MODULE, 'do_init_module', 'find_module_sections', 'kernel_module_request', 'sys_init_module'),
  ...named(MODULE, 'sys_finit_module', 'bpf', 'bpf_check', 'bpf_prog_load', 'sys_bpf'),
  ['sys_delete_module', { action: 'delete', flow: 'out', object: 'module' }],
  ['free_module', { action: 'delete', flow: 'out', object: 'module' }],
  ...named(INJECT, 'sys_ptrace', 'ptrace_access_check', 'sys_process_vm_writev'),
  ...named(SIGNAL, 'task_kill', 'sys_kill', 'sys_tgkill', 'sys_tkill'),
  ...named(
    MOUNT,
    'sb_mount',
    'sb_umount',
    'move_mount',
    'path_mount',
    'sys_mount',
    'sys_umount',
    'sys_move_mount',
  ),
  ['sys_memfd_create', { action: 'create', flow: 'out', object: 'memory' }],
]);

const UNLISTED: FunctionMeaning = { action: 'other', object: 'path' };

/** Removes the architecture from a system call, so that hosts of several architectures share names. */
export function functionName(written: string): string {
  return written.replace(/^__(?:x64|ia32|arm64|se|s390x?|riscv|do)_(?:compat_)?(?=sys_)/, '');
}

export function meaningOf(name: string): FunctionMeaning {
  return FUNCTIONS.get(name.startsWith('security_') ? name.slice('security_'.length) : name) ?? UNLISTED;
}
