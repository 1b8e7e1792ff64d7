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
import type { HostProfile } from './host.js';
import { APT, LINUX_HABITS, LINUX_OPERATORS, startDaemons } from './linux-life.js';
import { DESKTOP_PROGRAMS, LINUX_PROGRAMS, LINUX_RARE_PROGRAMS, linuxLibrary } from './linux-programs.js';

const HABITS: readonly Habit[] = [
  ...LINUX_HABITS,
  { program: 'evince', weight: 1, errand: { reads: ['~/Documents/report1.odt'] } },
];

/** A desktop of a few people under Linux, after THEIA. */
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
  appointments: (agenda) => [
    {
      at: 0,
      name: 'boot',
      *steps(world) {
        world.machine.boot();
        yield 0;
      },
    },
    ...agenda.daily(0, 'log-rotation', rotate),
    ...agenda.daily(8.9, 'screen', shareScreen),
    ...agenda.daily(21, 'quit-browsers', quitBrowsers),
    agenda.before(0.15, 'package-update', packageUpdate(APT, ['libssl', 'firefox', 'tzdata'])),
    agenda.before(0.6, 'package-update', packageUpdate(APT, ['thunderbird', 'curl', 'openssh'])),
    agenda.before(0.4, 'new-user', newUser('sshd', 'useradd', 'heidi', 1003, '/home')),
    agenda.unusual(0.12, 'package-update', packageUpdate(APT, ['grafana', 'libreoffice', 'perf'])),
    agenda.unusual(
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
        rounds: agenda.sized(60),
      }),
    ),
    agenda.unusual(0.35, 'new-user', newUser('sshd', 'useradd', 'ivan', 1004, '/home')),
    agenda.unusual(0.42, 'operator', operatorSession(LINUX_OPERATORS, agenda.sized(32))),
    agenda.unusual(0.5, 'restore', restoreBackup('sshd', 'tar', 'xz', agenda.sized(100))),
    agenda.unusual(0.6, 'operator', operatorSession(LINUX_OPERATORS, agenda.sized(32))),
    agenda.unusual(
      0.7,
      'compiler-upgrade',
      compilerUpgrade('session', 'make', 'clang-new', 'ld-new', agenda.sized(90)),
    ),
  ],
  attacks: [browserExploit, livingOffTheLand, phishing],
};
