import { livingOffTheLand } from '../attacks/living-off-the-land.js';
import { serverExploit } from '../attacks/server-exploit.js';
import { slowTheft } from '../attacks/slow-theft.js';
import { Programs } from '../kernel/programs.js';
import { collectStatistics, query } from '../workloads/database.js';
import { cronJob, dailyChecks, monitor, rotateLogs, watchLease } from '../workloads/freebsd-housekeeping.js';
import { receiveMail, sendMail } from '../workloads/mail-server.js';
import { operatorSession, type Toolkit } from '../workloads/operators.js';
import {
  compilerUpgrade,
  deployService,
  newUser,
  type PackageManager,
  packageUpdate,
  restoreBackup,
} from '../workloads/rare-work.js';
import { type Habit, remoteShell } from '../workloads/remote-shell.js';
import { debugLog, reloadWorkers, visit } from '../workloads/web-server.js';
import { FREEBSD_PROGRAMS, FREEBSD_RARE_PROGRAMS, freebsdLibrary } from './freebsd-programs.js';
import type { HostProfile } from './host-profile.js';

const HABITS: readonly Habit[] = [
  { program: 'ls', weight: 8, options: { reads: ['~/notes/note1.txt'] } },
  {
    program: 'cat',
    weight: 6,
    options: { reads: ['~/notes/note2.txt', '/var/log/nginx-access.log', '/etc/passwd'] },
  },
  { program: 'grep', weight: 4, options: { reads: ['/var/log/maillog', '~/notes/note3.txt', '/etc/group'] } },
  { program: 'find', weight: 1, options: { reads: ['~/notes/', '/usr/local/www/site/'] } },
  { program: 'ps', weight: 3, options: { reads: ['/etc/group'] } },
  { program: 'id', weight: 1, options: { reads: ['~/notes/note1.txt'] } },
  { program: 'top', weight: 2 },
  { program: 'less', weight: 3, options: { reads: ['/var/log/messages', '~/notes/note5.txt'] } },
  { program: 'tail', weight: 3, options: { reads: ['/var/log/auth.log'] } },
  { program: 'vi', weight: 3, options: { reads: ['~/notes/note4.txt'], writes: ['~/notes/note4.txt'] } },
  {
    program: 'tar',
    weight: 1,
    options: { reads: ['~/notes/note6.txt'], writes: ['~/notes/old.tar'], blocks: 3 },
  },
  { program: 'curl', weight: 1, options: { reads: ['~/notes/old.tar'] } },
  { program: 'ssh', weight: 1, options: { reads: ['~/.ssh/id_rsa', '~/.ssh/known_hosts'] } },
  { program: 'rm', weight: 1, options: { args: 'notes/old.tar' } },
  { program: 'psql', weight: 1, options: { reads: ['~/.pgpass'] } },
];

const OPERATORS: Toolkit = {
  tools: [
    'tcpdump',
    'truss',
    'procstat',
    'sockstat',
    'fstat',
    'telnet',
    'dig',
    'alpine',
    'postconf',
    'postcat',
    'diff',
    'stat',
    'wc',
    'sort',
    'strings',
    'file',
    'grep',
    'tail',
  ],
  inspected: [
    '/var/log/maillog',
    '/var/log/nginx-error.log',
    '/usr/local/etc/postfix/master.cf',
    '/var/run/nginx.pid',
    '/usr/local/etc/nginx/nginx.conf',
    '/var/crash/core.nginx',
    '/etc/services',
    '/var/db/pkg/local.sqlite',
  ],
  edited: ['/usr/local/etc/nginx/nginx.conf', '/usr/local/etc/postfix/main.cf', '/etc/syslog.conf'],
  editor: 'vi',
  shell: 'bash',
  debugger: 'gdb',
  services: ['nginx worker 0', 'postfix qmgr', 'sshd'],
};

const PKG: PackageManager = {
  parent: 'cron',
  tool: 'pkg',
  unpacker: 'tar',
  database: '/var/db/pkg/local.sqlite',
  mirror: '10.0.4.80',
  targets: [
    '/usr/local/bin/%',
    '/usr/local/lib/lib%.so',
    '/usr/local/share/doc/%/README',
    '/usr/local/etc/%.conf.sample',
  ],
};

/** A web, mail and database server on FreeBSD, modelled on CADETS. */
export const freebsdServer: HostProfile = {
  performer: 'cadets',
  system: 'freebsd',
  hostName: 'sim-cadets',
  maximumPid: 99_999,
  programs: () => new Programs({ ...FREEBSD_PROGRAMS, ...FREEBSD_RARE_PROGRAMS }, freebsdLibrary),
  users: [
    ['root', 0, '/root'],
    ['daemon', 1, '/nonexistent'],
    ['www', 80, '/nonexistent'],
    ['postfix', 125, '/var/spool/postfix'],
    ['pgsql', 70, '/usr/local/pgsql'],
    ['amanda', 1001, '/usr/home/amanda'],
    ['bob', 1002, '/usr/home/bob'],
    ['carol', 1003, '/usr/home/carol'],
  ],
  surface: {
    shell: 'bash',
    recon: ['ls', 'ps', 'id', 'cat', 'find'],
    accounts: ['/etc/passwd', '/etc/master.passwd', '/etc/group'],
    secrets: ['~/notes/note1.txt', '~/notes/note2.txt', '~/notes/note7.txt', '/var/log/nginx-access.log'],
    mimics: [
      '/usr/local/libexec/postfix/smtp',
      '/usr/local/bin/python2.7',
      '/usr/local/libexec/postfix/bounce',
    ].map((path) => `/var/tmp/nginx/client_body_temp${path.slice(path.lastIndexOf('/'))}`),
    plausible: ['/var/log/devc', '/tmp/tmux-1002', '/var/tmp/nginx/client_body_temp/dropper', '/tmp/font'],
    uploader: 'curl',
    archiver: 'tar',
    network: '10.0.4',
  },
  boot(world) {
    const { machine } = world;
    const user = (name: string) => world.user(name);
    world.assignRole('init', machine.bootDaemon('init', user('root'), 1));
    const daemons: readonly (readonly [role: string, program: string, user: string])[] = [
      ['syslogd', 'syslogd', 'root'],
      ['cron', 'cron', 'root'],
      ['sshd', 'sshd', 'root'],
      ['dhclient', 'dhclient', 'root'],
      ['nginx master', 'nginx', 'root'],
      ['nginx worker 0', 'nginx', 'www'],
      ['nginx worker 1', 'nginx', 'www'],
      ['postgres', 'postgres', 'pgsql'],
      ['postgres stats', 'postgres', 'pgsql'],
      ['postgres writer', 'postgres', 'pgsql'],
      ['postfix master', 'master', 'root'],
      ['postfix qmgr', 'qmgr', 'postfix'],
      ['postfix pickup', 'pickup', 'postfix'],
      ['monitor', 'bash', 'amanda'],
    ];
    daemons.forEach(([role, program, owner], index) => {
      world.assignRole(role, machine.bootDaemon(program, user(owner), 400 + 37 * index));
    });
  },
  workloads: [
    { name: 'debug-log', share: 0.3, rhythm: 'machine', size: 100, session: debugLog },
    { name: 'visits', share: 0.16, rhythm: 'visitors', size: 40, session: visit },
    { name: 'lease', share: 0.14, rhythm: 'machine', size: 105, session: watchLease },
    { name: 'monitor', share: 0.14, rhythm: 'machine', size: 200, session: monitor },
    { name: 'statistics', share: 0.09, rhythm: 'machine', size: 90, session: collectStatistics },
    { name: 'queries', share: 0.05, rhythm: 'visitors', size: 60, session: query },
    { name: 'cron', share: 0.05, rhythm: 'machine', size: 110, session: cronJob },
    { name: 'mail-in', share: 0.05, rhythm: 'visitors', size: 180, session: receiveMail },
    {
      name: 'mail-out',
      share: 0.01,
      rhythm: 'night',
      size: 180,
      session: (world, random) => sendMail(world, random, world.daemon('cron')),
    },
    { name: 'people', share: 0.03, rhythm: 'office', size: 350, session: remoteShell(HABITS, 'bash') },
  ],
  jobs: (schedule) => [
    ...schedule.daily(0, 'log-rotation', rotateLogs),
    ...schedule.daily(0.1, 'reload', reloadWorkers),
    ...schedule.daily(3.02, 'daily-checks', dailyChecks),
    schedule.before(0.2, 'package-update', packageUpdate(PKG, ['curl', 'nghttp2', 'ca_root_nss'])),
    schedule.before(0.7, 'package-update', packageUpdate(PKG, ['pcre', 'nginx', 'py27-salt'])),
    schedule.before(0.45, 'new-user', newUser('sshd', 'pw', 'dave', 1004, '/usr/home')),
    schedule.unusual(0.15, 'package-update', packageUpdate(PKG, ['postgresql96-server', 'libxml2', 'redis'])),
    schedule.unusual(
      0.18,
      'new-service',
      deployService({
        parent: 'init',
        installer: 'service',
        server: 'redis-server',
        client: 'redis-cli',
        port: 6379,
        user: 'redis',
        data: '/var/db/redis',
        rounds: schedule.scaled(60),
      }),
    ),
    schedule.unusual(0.3, 'new-user', newUser('sshd', 'adduser', 'erin', 1005, '/usr/home')),
    schedule.unusual(0.42, 'operator', operatorSession(OPERATORS, schedule.scaled(32))),
    schedule.unusual(0.55, 'restore', restoreBackup('sshd', 'tar', 'xz', schedule.scaled(100))),
    schedule.unusual(0.62, 'operator', operatorSession(OPERATORS, schedule.scaled(32))),
    schedule.unusual(
      0.72,
      'compiler-upgrade',
      compilerUpgrade('sshd', 'make', 'clang-new', 'ld-new', schedule.scaled(90)),
    ),
  ],
  attacks: [serverExploit, livingOffTheLand, slowTheft],
};
