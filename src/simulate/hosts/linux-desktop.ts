import { browserExploit } from '../attacks/browser-exploit.js';
import { livingOffTheLand } from '../attacks/living-off-the-land.js';
import { phishing } from '../attacks/phishing.js';
import { Programs } from '../kernel/programs.js';
import { browse, quitBrowsers } from '../workloads/browser.js';
import { busMessages, drawScreen, readMail, terminal, writeDocument } from '../workloads/desktop.js';
import { deviceEvents, rotate, shareScreen, timers } from '../workloads/linux-housekeeping.js';
import { operatorSession } from '../workloads/operators.js';
import {
  compilerUpgrade,
  deployService,
  newUser,
  packageUpdate,
  restoreBackup,
} from '../workloads/rare-work.js';
import { type Habit, remoteShell } from '../workloads/remote-shell.js';
import type { HostProfile } from './host-profile.js';
import { APT, LINUX_HABITS, LINUX_OPERATORS, startDaemons } from './linux-base.js';
import { DESKTOP_PROGRAMS, LINUX_PROGRAMS, LINUX_RARE_PROGRAMS, linuxLibrary } from './linux-programs.js';

const HABITS: readonly Habit[] = [
  ...LINUX_HABITS,
  { program: 'evince', weight: 1, options: { reads: ['~/Documents/report1.odt'] } },
];

/** A shared desktop on Linux, modelled on THEIA. */
export const linuxDesktop: HostProfile = {
  performer: 'theia',
  system: 'linux',
  hostName: 'sim-theia',
  maximumPid: 32_768,
  programs: () =>
    new Programs({ ...LINUX_RARE_PROGRAMS, ...LINUX_PROGRAMS, ...DESKTOP_PROGRAMS }, linuxLibrary),
  users: [
    ['root', 0, '/root'],
    ['messagebus', 105, '/var/run/dbus'],
    ['admin', 1000, '/home/admin'],
    ['frank', 1001, '/home/frank'],
    ['grace', 1002, '/home/grace'],
  ],
  surface: {
    shell: 'bash',
    recon: ['ls', 'ps', 'id', 'cat', 'find'],
    accounts: ['/etc/passwd', '/etc/shadow', '/etc/group'],
    secrets: ['~/notes/note1.txt', '~/notes/note2.txt', '~/Documents/report1.odt', '~/Documents/report7.odt'],
    mimics: ['/usr/lib/firefox/plugin-container', '/usr/bin/python3', '/bin/gzip'].map(
      (path) => `/home/admin/.cache${path.slice(path.lastIndexOf('/'))}`,
    ),
    plausible: [
      '/etc/firefox/native-messaging-hosts/gtcache',
      '/home/admin/profile',
      '/var/log/mail',
      '/tmp/memtrace.so',
    ],
    uploader: 'curl',
    archiver: 'tar',
    network: '10.0.4',
  },
  boot(world) {
    startDaemons(world, [
      ['Xorg', 'Xorg', 'root'],
      ['gnome-shell', 'gnome-shell', 'admin'],
      ['pulseaudio', 'pulseaudio', 'admin'],
      ['session', 'gnome-terminal', 'admin'],
    ]);
  },
  workloads: [
    { name: 'browse', share: 0.5, rhythm: 'office', size: 450, session: browse(false) },
    { name: 'screen', share: 0.16, rhythm: 'office', size: 75, session: drawScreen },
    { name: 'bus', share: 0.06, rhythm: 'machine', size: 25, session: busMessages },
    { name: 'mail', share: 0.09, rhythm: 'office', size: 90, session: readMail },
    { name: 'documents', share: 0.05, rhythm: 'office', size: 70, session: writeDocument },
    { name: 'terminal', share: 0.05, rhythm: 'office', size: 150, session: terminal(HABITS, 'session') },
    { name: 'timers', share: 0.05, rhythm: 'machine', size: 60, session: timers },
    { name: 'devices', share: 0.02, rhythm: 'machine', size: 30, session: deviceEvents },
    { name: 'people', share: 0.02, rhythm: 'office', size: 200, session: remoteShell(HABITS, 'bash') },
  ],
  jobs: (schedule) => [
    {
      at: 0,
      name: 'boot',
      *steps(world) {
        world.machine.boot();
        yield 0;
      },
    },
    ...schedule.daily(0, 'log-rotation', rotate),
    ...schedule.daily(8.9, 'screen', shareScreen),
    ...schedule.daily(21, 'quit-browsers', quitBrowsers),
    schedule.before(0.15, 'package-update', packageUpdate(APT, ['libssl', 'firefox', 'tzdata'])),
    schedule.before(0.6, 'package-update', packageUpdate(APT, ['thunderbird', 'curl', 'openssh'])),
    schedule.before(0.4, 'new-user', newUser('sshd', 'useradd', 'heidi', 1003, '/home')),
    schedule.unusual(0.12, 'package-update', packageUpdate(APT, ['grafana', 'libreoffice', 'perf'])),
    schedule.unusual(
      0.16,
      'new-service',
      deployService({
        parent: 'systemd',
        installer: 'systemctl',
        server: 'grafana-server',
        client: 'grafana-cli',
        port: 3000,
        user: 'grafana',
        data: '/var/lib/grafana',
        rounds: schedule.scaled(60),
      }),
    ),
    schedule.unusual(0.35, 'new-user', newUser('sshd', 'useradd', 'ivan', 1004, '/home')),
    schedule.unusual(0.42, 'operator', operatorSession(LINUX_OPERATORS, schedule.scaled(32))),
    schedule.unusual(0.5, 'restore', restoreBackup('sshd', 'tar', 'xz', schedule.scaled(100))),
    schedule.unusual(0.6, 'operator', operatorSession(LINUX_OPERATORS, schedule.scaled(32))),
    schedule.unusual(
      0.7,
      'compiler-upgrade',
      compilerUpgrade('session', 'make', 'clang-new', 'ld-new', schedule.scaled(90)),
    ),
  ],
  attacks: [browserExploit, livingOffTheLand, phishing],
};
