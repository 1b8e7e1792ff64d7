/** The fields that RECAL needs. Falco writes only those that the output of a rule names. */
const FIELDS = [
  'evt.type=%evt.type',
  'evt.res=%evt.res',
  'evt.arg.flags=%evt.arg.flags',
  'proc.pid=%proc.pid',
  'proc.ppid=%proc.ppid',
  'proc.pid.ts=%proc.pid.ts',
  'proc.ppid.ts=%proc.ppid.ts',
  'proc.name=%proc.name',
  'proc.exepath=%proc.exepath',
  'proc.cmdline=%proc.cmdline',
  'proc.pname=%proc.pname',
  'proc.aexepath[1]=%proc.aexepath[1]',
  'user.uid=%user.uid',
  'user.loginuid=%user.loginuid',
  'fd.num=%fd.num',
  'fd.name=%fd.name',
  'fd.type=%fd.type',
  'fd.typechar=%fd.typechar',
  'fd.cip=%fd.cip',
  'fd.cport=%fd.cport',
  'fd.sip=%fd.sip',
  'fd.sport=%fd.sport',
  'fs.path.name=%fs.path.name',
  'fs.path.source=%fs.path.source',
  'fs.path.target=%fs.path.target',
  'container.id=%container.id',
].join(' ');

interface FalcoRule {
  readonly name: string;
  readonly comments: readonly string[];
  readonly condition: string;
}

const RULES: readonly FalcoRule[] = [
  {
    name: 'processes',
    comments: [
      'Processes: who started what. The process tree depends on it.',
      'Cost: about ten events per second on a busy server.',
    ],
    condition: 'evt.type in (execve, execveat, clone, clone3, fork, vfork, procexit)',
  },
  {
    name: 'files',
    comments: [
      'Files that are opened. The flags of an open tell whether it is a read or a write.',
      'Cost: two thirds of all events. Narrow it with: and fd.name startswith /etc (or in your folders).',
    ],
    condition: "evt.type in (open, openat, openat2, creat) and evt.failed=false and fd.typechar='f'",
  },
  {
    name: 'file changes',
    comments: ['Files that are renamed, deleted, linked or made executable. Cost: few events.'],
    condition:
      'evt.type in (rename, renameat, renameat2, unlink, unlinkat, rmdir, mkdir, mkdirat, link, linkat, symlink, symlinkat, chmod, fchmod, fchmodat, chown, fchown, lchown, fchownat) and evt.failed=false',
  },
  {
    name: 'connections',
    comments: ['Connections to and from other hosts. Cost: a sixth of the events of a web server.'],
    condition: 'evt.type in (connect, accept, accept4, bind) and fd.typechar in (4, 6)',
  },
  {
    name: 'rare calls',
    comments: ['Changes of user, tracing, memory files, kernel modules, mounts. Cost: few events.'],
    condition:
      'evt.type in (setuid, setresuid, ptrace, process_vm_writev, memfd_create, init_module, finit_module, mount, kill, tgkill)',
  },
];

/** A collection ruleset for Falco. It alerts on everything, so it must not go to the channel of real alerts. */
export const FALCO_RULES = [
  '# What Falco records for RECAL. These rules report ordinary activity, not attacks: write them to a file of their own.',
  '#',
  '# Keep: save as /etc/falco/rules.d/recal.yaml and set in /etc/falco/falco.yaml:',
  '#   json_output: true',
  '#   json_include_output_fields_property: true',
  '#   priority: debug',
  '#   rule_matching: all                    # rules after the first match run too, so that your own rules still alert',
  '#   file_output: { enabled: true, keep_alive: true, filename: /var/log/falco/recal.log }',
  '#   outputs: { rate: 0 }                  # no limit on the rate of alerts; older versions call it outputs_rate',
  '#   syscall_event_drops: { actions: [alert], threshold: 0 }   # so that losses are in the log',
  '# Keep other outputs (syslog, http) at a higher priority or on another instance.',
  '#',
  '# Every field of the output is needed: Falco writes no others. proc.pid.ts tells processes with the same number apart.',
  '# Not yet tried on a running Falco: the fields follow its documentation.',
  '',
  ...RULES.flatMap(({ name, comments, condition }) => [
    ...comments.map((comment) => `# ${comment}`),
    `- rule: RECAL ${name}`,
    `  desc: Ordinary activity, for RECAL`,
    `  condition: ${condition}`,
    `  output: ${FIELDS}`,
    '  priority: DEBUG',
    '  source: syscall',
    '  tags: [recal]',
    '',
  ]),
].join('\n');
