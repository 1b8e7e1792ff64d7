/** A probe of a kernel function, with what its arguments are. */
interface Probe {
  readonly call: string;
  readonly args: readonly string[];
  readonly comments: readonly string[];
  /** True if some kernels do not have the function. Without this, one missing function makes the whole policy fail. */
  readonly optional?: boolean;
  readonly returns?: string;
}

interface Policy {
  readonly name: string;
  readonly comments: readonly string[];
  readonly probes: readonly Probe[];
}

const POLICIES: readonly Policy[] = [
  {
    name: 'recal-files',
    comments: [
      'Files. Cost: most of all events. To record less, add selectors with matchArgs, operator Prefix, on your folders.',
    ],
    probes: [
      {
        call: 'security_file_permission',
        args: ['file', 'int'],
        comments: ['Reads and writes: the number is 4 for a read and 2 for a write.'],
      },
      {
        call: 'security_mmap_file',
        args: ['file', 'uint32', 'uint32'],
        comments: ['Files mapped into memory, such as libraries.'],
      },
      {
        call: 'security_path_truncate',
        args: ['path'],
        optional: true,
        comments: ['Truncation, on kernels up to 6.1.'],
      },
      {
        call: 'security_file_truncate',
        args: ['file'],
        optional: true,
        comments: ['Truncation, on kernels from 6.2.'],
      },
      {
        call: 'security_path_unlink',
        args: ['path'],
        optional: true,
        comments: ['Deletion. Needs a kernel with path hooks (AppArmor, TOMOYO or Landlock).'],
      },
    ],
  },
  {
    name: 'recal-network',
    comments: ['TCP connections. Cost: two events per connection.'],
    probes: [
      { call: 'tcp_connect', args: ['sock'], comments: ['Connections to other hosts.'] },
      {
        call: 'inet_csk_accept',
        args: [],
        returns: 'sock',
        comments: ['Connections from other hosts.'],
      },
    ],
  },
  {
    name: 'recal-identity',
    comments: ['Changes of user, kernel modules. Cost: few events.'],
    probes: [
      {
        call: 'security_task_fix_setuid',
        args: ['cred', 'cred'],
        optional: true,
        comments: ['Changes of user.'],
      },
      { call: 'do_init_module', args: ['module'], optional: true, comments: ['Kernel modules.'] },
    ],
  },
];

function probeLines({ call, args, comments, optional = false, returns }: Probe): string[] {
  return [
    ...comments.map((comment) => `    # ${comment}`),
    `    - call: ${call}`,
    '      syscall: false',
    ...(optional ? ['      ignore:', '        callNotFound: true'] : []),
    ...(returns === undefined
      ? []
      : ['      return: true', '      returnArg:', '        index: 0', `        type: ${returns}`]),
    ...(args.length === 0
      ? []
      : [
          '      args:',
          ...args.flatMap((type, index) => [`        - index: ${index}`, `          type: ${type}`]),
        ]),
  ];
}

/** Tracing policies for Tetragon. Process starts and ends need none. */
export const TETRAGON_RULES = [
  '# What Tetragon records for RECAL. Starts and ends of processes are always recorded and need no policy.',
  '#',
  '# Kubernetes: kubectl apply -f recal-tetragon.yaml',
  '# Host:       tetra tracingpolicy add recal-tetragon.yaml, or copy it to /etc/tetragon/tetragon.tp.d/',
  '# Export:     set export-filename to a file, and leave out export-allowlist, export-denylist and redaction filters:',
  '#             what they remove, RECAL does not see. With export-rate-limit, losses are in the log as process_throttle.',
  '# Check:      tetra tracingpolicy list shows the policies as enabled',
  '#',
  '# Not yet tried on a running Tetragon: the hooks follow its documentation and examples.',
  ...POLICIES.flatMap(({ name, comments, probes }) => [
    '---',
    ...comments.map((comment) => `# ${comment}`),
    'apiVersion: cilium.io/v1alpha1',
    'kind: TracingPolicy',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  kprobes:',
    ...probes.flatMap(probeLines),
  ]),
  '',
].join('\n');
