import type { RuleArchitecture, RuleOptions } from './rule-options.js';

/** System calls that x86-64 has and aarch64 does not. A rule that names an unknown call does not load. */
const LEGACY_CALLS = new Set([
  'fork',
  'vfork',
  'open',
  'creat',
  'mkdir',
  'mknod',
  'rename',
  'unlink',
  'rmdir',
  'link',
  'symlink',
  'chmod',
  'chown',
  'lchown',
]);

/** A group of system calls that one rule records. */
interface CallGroup {
  readonly key: string;
  readonly calls: readonly string[];
  /** Why, one comment line each. */
  readonly comments: readonly string[];
  /** Only calls with such an argument. */
  readonly only?: string;
  /** True if failed calls are left out. */
  readonly succeeded?: boolean;
}

const GROUPS: readonly CallGroup[] = [
  {
    key: 'recal_process',
    calls: ['execve', 'execveat', 'fork', 'vfork', 'clone', 'clone3', 'exit_group'],
    comments: [
      'Processes: who started what, with which command line, and when it ended. The process tree depends on it.',
      'Cost: 11 % of the events of a busy web server, about ten per second; several hundred per second in a build.',
    ],
  },
  {
    key: 'recal_file',
    calls: ['open', 'openat', 'openat2', 'creat', 'mkdir', 'mkdirat', 'mknod', 'mknodat'],
    succeeded: true,
    comments: [
      'Files that are opened or created. The flags of an open tell whether it is a read or a write.',
      'Cost: two thirds of all events. If that is too much, add -F dir=/path to record one folder, with one line per folder;',
      'keep /etc, /home, /root, /tmp, /var/tmp, /dev/shm and the folders of your services.',
    ],
  },
  {
    key: 'recal_folder',
    calls: ['fcntl'],
    only: 'a1=1030',
    succeeded: true,
    comments: [
      'Copies of descriptors (F_DUPFD_CLOEXEC). Programs that walk through folders, such as grep -r, open files below such a',
      'copy. Without this rule their paths are unknown. Cost: one event for each folder that is walked through.',
    ],
  },
  {
    key: 'recal_change',
    calls: [
      'rename',
      'renameat',
      'renameat2',
      'unlink',
      'unlinkat',
      'rmdir',
      'link',
      'linkat',
      'symlink',
      'symlinkat',
      'truncate',
      'ftruncate',
      'chmod',
      'fchmod',
      'fchmodat',
      'chown',
      'fchown',
      'lchown',
      'fchownat',
    ],
    succeeded: true,
    comments: [
      'Files that are renamed, deleted, linked, truncated or made executable. Cost: 2 % of the events.',
    ],
  },
  {
    key: 'recal_network',
    calls: ['connect', 'accept', 'accept4', 'bind'],
    comments: [
      'Connections. Failed calls too: connect returns EINPROGRESS for every non-blocking connection.',
      'Cost: 16 % of the events of a web server.',
    ],
  },
  {
    key: 'recal_identity',
    calls: ['setuid', 'setreuid', 'setresuid', 'setgid', 'setregid', 'setresgid'],
    succeeded: true,
    comments: ['Changes of user. Cost: 6 % of the events; logins, cron jobs and sudo.'],
  },
  {
    key: 'recal_rare',
    calls: [
      'ptrace',
      'process_vm_writev',
      'memfd_create',
      'init_module',
      'finit_module',
      'delete_module',
      'mount',
      'umount2',
      'kill',
      'tgkill',
    ],
    comments: [
      'Rare calls that intruders need: tracing and writing into other processes, programs that exist only in memory,',
      'kernel modules, mounts, signals. Cost: almost nothing, except under a debugger.',
    ],
  },
];

const HEADER: Readonly<Record<RuleArchitecture, string>> = {
  x86_64: 'x86-64',
  aarch64: '64-bit Arm (aarch64)',
};

/**
 * Audit rules for RECAL. There is no -D, which would remove the rules of other tools, and no -e 2, which would lock them.
 * Comments stand on lines of their own: auditctl takes one at the end of a rule for a part of the rule.
 */
export function auditdRules({ architecture, without }: RuleOptions): string {
  const lines = [
    `# What the Linux audit system records for RECAL, on ${HEADER[architecture]}.`,
    '#',
    '# Keep:   save as /etc/audit/rules.d/recal.rules, then run: augenrules --load',
    '# Try:    auditctl -R recal.rules   (until the next restart)',
    '# Check:  auditctl -l lists the rules; auditctl -s shows lost: it should stay 0',
    '# Then:   restart the services, or the host: processes that ran before auditing was first switched on stay invisible',
    '# Remove: delete the file, then run: augenrules --load',
    '#',
    '# The first matching rule wins. Rules of other tools stay loaded, because this file has no -D. Earlier rules with',
    '# "never" hide events from RECAL, and the rules with "never" below hide events from later rules.',
    '# Costs are shares of the events of a web server that recorded 95 events (64 kB) per second.',
    '# Operations through io_uring do not pass through system calls, so no rule here sees them.',
    '',
    '# Room for bursts: 65536 records wait in the kernel (about 60 MB at most) before any are lost. The default is 64.',
    '-b 65536',
    '# A process waits up to 60 seconds for room instead of losing the record.',
    '--backlog_wait_time 60000',
    '',
    '# Threads are not processes (CLONE_THREAD). This rule only saves events.',
    '-a never,exit -F arch=b64 -S clone -F a0&0x10000',
  ];
  if (without !== undefined) {
    lines.push(
      '',
      `# Leave out the user ${without}, such as that of RECAL or a log shipper. The user must exist on this host.`,
      `-a never,exit -F uid=${without}`,
    );
  }
  for (const group of GROUPS) {
    const calls = group.calls.filter((call) => architecture === 'x86_64' || !LEGACY_CALLS.has(call));
    lines.push(
      '',
      ...group.comments.map((comment) => `# ${comment}`),
      `-a always,exit -F arch=b64 -S ${calls.join(',')}${group.only === undefined ? '' : ` -F ${group.only}`}${group.succeeded === true ? ' -F success=1' : ''} -F key=${group.key}`,
    );
  }
  lines.push(
    '',
    '# 32-bit programs use other numbers for the same calls. Without this rule they are invisible. Cost: nothing, if none run.',
    `-a always,exit -F arch=b32 -S execve,execveat,fork,vfork,clone,exit_group,open,openat,creat,rename,unlink,unlinkat,chmod,connect,ptrace${architecture === 'x86_64' ? ',socketcall' : ''} -F key=recal_32bit`,
    '',
    '# Changes of these rules themselves. Cost: nothing.',
    '-w /etc/audit/ -p wa -k recal_tamper',
    '',
    '# Reads and writes of open files and sockets, if you want their order and not only the opens. Remove the # to record',
    '# them. Cost: ten times the events, and noticeable load.',
    '# -a always,exit -F arch=b64 -S read,readv,write,writev,sendto,sendmsg,recvfrom,recvmsg,dup,dup3,close -F success=1 -F key=recal_data',
    '',
  );
  return lines.join('\n');
}
