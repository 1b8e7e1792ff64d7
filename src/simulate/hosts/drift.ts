import { DAY, HOUR } from '../calendar.js';
import type { ProgramTable } from '../kernel/programs.js';
import {
  type Backup,
  backUp,
  type Collector,
  collect,
  startCollector,
  systemUpdate,
} from '../workloads/drift-work.js';
import { newUser } from '../workloads/rare-work.js';
import { type Habit, remoteShell } from '../workloads/remote-shell.js';
import type { HostProfile, Schedule } from './host-profile.js';
import type { ScheduledJob, Workload } from './world.js';

/** Benign and lasting changes of a host from the start of the test. */
export interface Drift {
  readonly jobs: readonly ScheduledJob[];
  readonly workloads: readonly Workload[];
  /** Factor on the number of events. */
  readonly load: number;
}

/** Additional load at drift 1. */
const MORE_LOAD = 0.5;

/**
 * Plans drift for an amount above 0 and at most 1. On the first night of the test all software is updated. In the morning
 * a service and a backup are added, and a colleague starts work. The load grows.
 */
export function planDrift(profile: HostProfile, schedule: Schedule, amount: number): Drift {
  const { release, collector, backup, homes, adduser } = DRIFTS[profile.system];
  const { testFrom } = schedule;
  const once = (hour: number, name: string, steps: ScheduledJob['steps']): ScheduledJob => {
    return { at: testFrom + hour * HOUR, name, unusual: true, steps };
  };
  const since = (hour: number, workload: Workload): Workload => {
    return { ...workload, share: workload.share * amount, since: testFrom + hour * HOUR };
  };
  return {
    jobs: [
      once(4, 'system-update', systemUpdate(release, amount)),
      once(7, 'new-collector', startCollector(collector)),
      once(8.5, 'new-colleague', newUser('sshd', adduser, COLLEAGUE, 1010, homes)),
      ...workingHours(schedule, Math.ceil(HOURS.length * amount)).map((hour) =>
        once(
          hour,
          'colleague',
          remoteShell(HABITS, 'zsh', (world) => world.user(COLLEAGUE)),
        ),
      ),
    ],
    workloads: [
      since(7.5, {
        name: 'collector',
        share: 0.04,
        rhythm: 'machine',
        size: 20,
        session: collect(collector),
      }),
      since(8, { name: 'backup', share: 0.03, rhythm: 'machine', size: 130, session: backUp(backup) }),
    ],
    load: 1 + MORE_LOAD * amount,
  };
}

const COLLEAGUE = 'nora';
/** Hours at which the colleague logs in on a working day; fixed, because the pacing of a quiet host would start few. */
const HOURS = [9.2, 13.1, 16.4] as const;

/** Login hours of the colleague, counted from the start of the test. */
function workingHours({ testFrom, testUntil, timeline: { local } }: Schedule, sessions: number): number[] {
  const days = Array.from({ length: Math.floor((testUntil - testFrom) / DAY) }, (_, day) => day * 24);
  return days
    .filter((hours) => local.weekday(testFrom + hours * HOUR) % 6 !== 0)
    .flatMap((hours) => HOURS.slice(0, sessions).map((hour) => hours + hour));
}

/** The colleague uses other tools for the same work. */
const HABITS: readonly Habit[] = [
  { program: 'ls', weight: 5, options: { reads: ['~/src/'] } },
  {
    program: 'rg',
    weight: 5,
    options: { reads: ['~/src/main.go', '~/src/main_test.go', '/var/log/auth.log'] },
  },
  { program: 'nano', weight: 3, options: { reads: ['~/src/main.go'], writes: ['~/src/main.go'] } },
  { program: 'jq', weight: 3, options: { reads: ['~/src/fixtures/answer.json'] } },
  { program: 'htop', weight: 2 },
  { program: 'cat', weight: 2, options: { reads: ['~/src/README', '/etc/passwd'] } },
  { program: 'ssh', weight: 1, options: { reads: ['~/.ssh/id_ed25519', '~/.ssh/known_hosts'] } },
];

interface SystemDrift {
  readonly release: Parameters<typeof systemUpdate>[0];
  readonly collector: Collector;
  readonly backup: Backup;
  readonly homes: string;
  readonly adduser: string;
}

const FREEBSD_ADDED: ProgramTable = {
  node_exporter: '/usr/local/bin/node_exporter | m.so.5 thr.so.3 c.so.7 | /usr/local/etc/node_exporter.yml',
  restic: '/usr/local/bin/restic | thr.so.3 c.so.7 | /usr/local/etc/restic.env',
  'restic-lock': '/usr/local/libexec/restic-lock | c.so.7',
  zsh: '/usr/local/bin/zsh | ncursesw.so.8 m.so.5 c.so.7 | /usr/local/etc/zshrc',
  rg: '/usr/local/bin/rg | +pcre2-8.so.0 thr.so.3 c.so.7',
  nano: '/usr/local/bin/nano | ncursesw.so.8 c.so.7 | /usr/local/etc/nanorc',
  jq: '/usr/local/bin/jq | +jq.so.1 +onig.so.5 m.so.5 c.so.7',
  htop: '/usr/local/bin/htop | ncursesw.so.8 kvm.so.7 m.so.5 c.so.7',
};

const LINUX_ADDED: ProgramTable = {
  node_exporter:
    '/usr/bin/prometheus-node-exporter | pthread.so.0 c.so.6 | /etc/default/prometheus-node-exporter',
  restic: '/usr/bin/restic | pthread.so.0 c.so.6 | /etc/restic/environment',
  'restic-lock': '/usr/lib/restic/lock | c.so.6',
  zsh: '/bin/zsh | tinfo.so.5 m.so.6 c.so.6 | /etc/zsh/zshrc',
  rg: '/usr/bin/rg | +pcre2-8.so.0 pthread.so.0 c.so.6',
  nano: '/bin/nano | ncursesw.so.5 tinfo.so.5 c.so.6 | /etc/nanorc',
  jq: '/usr/bin/jq | +jq.so.1 +onig.so.2 m.so.6 c.so.6',
  htop: '/usr/bin/htop | ncursesw.so.5 tinfo.so.5 m.so.6 c.so.6 | /proc/meminfo',
};

const DRIFTS: Readonly<Record<HostProfile['system'], SystemDrift>> = {
  freebsd: {
    release: {
      manager: {
        parent: 'cron',
        tool: 'pkg',
        unpacker: 'tar',
        mirror: '10.0.4.80',
        database: '/var/db/pkg/local.sqlite',
        targets: ['/usr/local/bin/%', '/usr/local/lib/lib%.so', '/usr/local/share/doc/%/README'],
      },
      packages: ['openssl', 'openssh-portable', 'python', 'postfix', 'zstd', 'brotli', 'bash'],
      moved: {
        sshd: '/usr/libexec/sshd-session | privatessh.so.5 util.so.9 pam.so.6 crypto.so.8 z.so.6 c.so.7 | /etc/ssh/sshd_config /etc/spwd.db /etc/login.conf.db /etc/pam.d/sshd',
        'python2.7':
          '/usr/local/bin/python3.11 | +python3.11.so.1 util.so.9 m.so.5 thr.so.3 c.so.7 | /usr/local/lib/python3.11/site.py /usr/local/lib/python3.11/lib-dynload/_datetime.so',
        smtpd:
          '/usr/local/libexec/postfix/smtpd-dane | +pcre2-8.so.0 ssl.so.8 crypto.so.8 c.so.7 | /usr/local/etc/postfix/main.cf /usr/local/etc/postfix/dane.cf',
      },
      added: FREEBSD_ADDED,
      dependencies: [
        '/usr/local/lib/libzstd.so.1',
        '/usr/local/lib/libbrotlidec.so.1',
        '/lib/libcap_net.so.1',
      ],
      restarted: [
        ['cron', 'cron'],
        ['syslogd', 'syslogd'],
      ],
      init: 'init',
    },
    collector: {
      role: 'collector',
      program: 'node_exporter',
      init: 'init',
      port: 9100,
      reads: ['/var/run/dmesg.boot', '/var/db/node_exporter/pkg.prom', '/etc/fstab'],
    },
    backup: {
      program: 'restic',
      helper: 'restic-lock',
      cache: '/root/.cache/restic',
      reads: [
        '/usr/home/bob/notes/note#.txt',
        '/usr/local/etc/postfix/main.cf',
        '/etc/passwd',
        '/var/db/report/daily.csv',
      ],
    },
    homes: '/usr/home',
    adduser: 'pw',
  },
  linux: {
    release: {
      manager: {
        parent: 'cron',
        tool: 'apt-get',
        unpacker: 'dpkg',
        mirror: '10.0.4.80',
        database: '/var/lib/dpkg/status',
        targets: ['/usr/bin/%', '/usr/lib/x86_64-linux-gnu/lib%.so', '/var/lib/dpkg/info/%.list'],
      },
      packages: ['openssl', 'openssh', 'firefox', 'python3', 'zstd', 'brotli', 'bash'],
      moved: {
        sshd: '/usr/lib/openssh/sshd-session | pam.so.0 audit.so.1 +crypto.so.1 z.so.1 c.so.6 | /etc/ssh/sshd_config /etc/passwd /etc/pam.d/sshd',
        'soffice.bin':
          '/opt/libreoffice/program/soffice.bin | +uno_sal.so.3 +stdc++.so.6 +gtk-4.so.1 c.so.6 | /opt/libreoffice/share/registry/main.xcd',
        cc1: '/usr/libexec/gcc/x86_64-linux-gnu/13/cc1 | +isl.so.23 +mpc.so.3 +mpfr.so.6 +gmp.so.10 +zstd.so.1 m.so.6 c.so.6',
      },
      added: LINUX_ADDED,
      dependencies: [
        '/usr/lib/x86_64-linux-gnu/libzstd.so.1',
        '/usr/lib/x86_64-linux-gnu/libbrotlidec.so.1',
        '/lib/x86_64-linux-gnu/libcap-ng.so.0',
      ],
      restarted: [
        ['cron', 'cron'],
        ['syslogd', 'rsyslogd'],
      ],
      init: 'systemd',
    },
    collector: {
      role: 'collector',
      program: 'node_exporter',
      init: 'systemd',
      port: 9100,
      reads: ['/proc/stat', '/proc/meminfo', '/sys/class/thermal/thermal_zone0/temp'],
    },
    backup: {
      program: 'restic',
      helper: 'restic-lock',
      cache: '/root/.cache/restic',
      reads: [
        '/home/admin/notes/note#.txt',
        '/home/admin/Documents/report#.odt',
        '/etc/passwd',
        '/var/lib/dpkg/status',
      ],
    },
    homes: '/home',
    adduser: 'useradd',
  },
};
