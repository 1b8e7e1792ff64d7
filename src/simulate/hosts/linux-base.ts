import type { Toolkit } from '../workloads/operators.js';
import type { PackageManager } from '../workloads/rare-work.js';
import type { Habit } from '../workloads/remote-shell.js';
import type { World } from './world.js';

/** The commands that people use on a Linux host on a normal day. */
export const LINUX_HABITS: readonly Habit[] = [
  {
    program: 'ls',
    weight: 8,
    options: { reads: ['~/notes/note1.txt', '~/Documents/report1.odt', '/etc/group'] },
  },
  {
    program: 'cat',
    weight: 6,
    options: { reads: ['~/notes/note2.txt', '/etc/passwd', '~/Documents/report2.odt'] },
  },
  {
    program: 'grep',
    weight: 4,
    options: { reads: ['/var/log/syslog', '~/notes/note3.txt', '~/Documents/report3.odt'] },
  },
  { program: 'find', weight: 2, options: { reads: ['~/notes/note1.txt', '~/Documents/', '/etc/group'] } },
  { program: 'ps', weight: 3, options: { reads: ['~/notes/note1.txt', '/etc/passwd'] } },
  { program: 'id', weight: 1, options: { reads: ['~/notes/note1.txt', '/etc/group'] } },
  { program: 'less', weight: 3, options: { reads: ['/var/log/syslog', '~/notes/note5.txt'] } },
  { program: 'vim', weight: 3, options: { reads: ['~/notes/note4.txt'], writes: ['~/notes/note4.txt'] } },
  {
    program: 'tar',
    weight: 1,
    options: { reads: ['~/notes/note6.txt'], writes: ['~/notes/old.tar'], blocks: 3 },
  },
  { program: 'curl', weight: 1, options: { reads: ['~/notes/old.tar'] } },
  { program: 'ssh', weight: 1, options: { reads: ['~/.ssh/id_rsa', '~/.ssh/known_hosts'] } },
  { program: 'rm', weight: 1, options: { args: 'notes/old.tar' } },
  { program: 'python3', weight: 2, options: { reads: ['~/notes/plot.py'], writes: ['~/notes/plot.png'] } },
  { program: 'top', weight: 1 },
];

export const LINUX_OPERATORS: Toolkit = {
  tools: [
    'strace',
    'ltrace',
    'lsof',
    'tcpdump',
    'ss',
    'dig',
    'nmcli',
    'journalctl',
    'systemctl',
    'dmesg',
    'diff',
    'stat',
    'strings',
    'file',
    'sort',
    'wc',
    'perf',
    'grep',
  ],
  inspected: [
    '/var/log/syslog',
    '/var/log/kern.log',
    '/etc/NetworkManager/NetworkManager.conf',
    '/proc/net/tcp',
    '/var/crash/firefox.crash',
    '/etc/services',
    '/var/lib/dpkg/status',
  ],
  edited: ['/etc/NetworkManager/NetworkManager.conf', '/etc/rsyslog.conf', '/etc/ssh/sshd_config'],
  editor: 'vim',
  shell: 'bash',
  debugger: 'gdb',
  services: ['sshd', 'cron', 'syslogd'],
};

export const APT: PackageManager = {
  parent: 'cron',
  tool: 'apt-get',
  unpacker: 'dpkg',
  database: '/var/lib/dpkg/status',
  mirror: '10.0.4.80',
  targets: [
    '/usr/bin/%',
    '/usr/lib/x86_64-linux-gnu/lib%.so',
    '/usr/share/doc/%/changelog',
    '/var/lib/dpkg/info/%.list',
  ],
};

type Daemon = readonly [role: string, program: string, user: string];

/** Starts the daemons of every Linux host, and those of this one. */
export function startDaemons(world: World, more: readonly Daemon[]): void {
  const daemons: readonly Daemon[] = [
    ['systemd', 'systemd', 'root'],
    ['udev', 'systemd-udevd', 'root'],
    ['syslogd', 'rsyslogd', 'root'],
    ['cron', 'cron', 'root'],
    ['sshd', 'sshd', 'root'],
    ['dbus', 'dbus-daemon', 'messagebus'],
    ...more,
  ];
  daemons.forEach(([role, program, owner], index) => {
    world.assignRole(
      role,
      world.machine.bootDaemon(program, world.user(owner), index === 0 ? 1 : 380 + 32 * index),
    );
  });
}
