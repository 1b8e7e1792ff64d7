import { livingOffTheLand } from '../attacks/living-off-the-land.js';
import { phishing } from '../attacks/phishing.js';
import { scanAndLateral } from '../attacks/scan-and-lateral.js';
import { Programs } from '../kernel/programs.js';
import { browse, quitBrowsers } from '../workloads/browser.js';
import { readMail, terminal } from '../workloads/desktop.js';
import { build, editSource, runTests, versionControl } from '../workloads/development.js';
import { deviceEvents, rotate, timers } from '../workloads/linux-housekeeping.js';
import { operatorSession } from '../workloads/operators.js';
import {
  compilerUpgrade,
  deployService,
  newUser,
  packageUpdate,
  restoreBackup,
} from '../workloads/rare-work.js';
import { remoteShell } from '../workloads/remote-shell.js';
import type { HostProfile } from './host-profile.js';
import { APT, LINUX_HABITS, LINUX_OPERATORS, startDaemons } from './linux-base.js';
import {
  DESKTOP_PROGRAMS,
  LINUX_PROGRAMS,
  LINUX_RARE_PROGRAMS,
  linuxLibrary,
  WORKSTATION_PROGRAMS,
} from './linux-programs.js';

/** A developers' workstation on Linux, modelled on TRACE: builds with thousands of short-lived processes. */
export const linuxWorkstation: HostProfile = {
  performer: 'trace',
  system: 'linux',
  hostName: 'sim-trace',
  maximumPid: 32_768,
  programs: () =>
    new Programs(
      { ...LINUX_RARE_PROGRAMS, ...LINUX_PROGRAMS, ...DESKTOP_PROGRAMS, ...WORKSTATION_PROGRAMS },
      linuxLibrary,
    ),
  users: [
    ['root', 0, '/root'],
    ['messagebus', 105, '/var/run/dbus'],
    ['admin', 1000, '/home/admin'],
    ['judy', 1001, '/home/judy'],
    ['karl', 1002, '/home/karl'],
  ],
  surface: {
    shell: 'bash',
    recon: ['ls', 'ps', 'id', 'cat', 'find'],
    accounts: ['/etc/passwd', '/etc/shadow', '/etc/group'],
    secrets: ['~/notes/note1.txt', '~/notes/note2.txt', '~/Documents/report1.odt', '~/.ssh/id_rsa'],
    mimics: ['/tmp/cc1', '/tmp/as', '/tmp/python3'],
    plausible: ['/tmp/ztmp', '/home/admin/cache', '/var/tmp/nmap', '/tmp/pass_mgr'],
    uploader: 'curl',
    archiver: 'tar',
    network: '10.0.4',
  },
  boot(world) {
    startDaemons(world, [['session', 'gnome-terminal', 'admin']]);
  },
  workloads: [
    { name: 'build', share: 0.5, rhythm: 'office', size: 1_800, session: build },
    { name: 'version-control', share: 0.1, rhythm: 'office', size: 110, session: versionControl },
    { name: 'edit', share: 0.05, rhythm: 'office', size: 90, session: editSource },
    { name: 'tests', share: 0.1, rhythm: 'office', size: 200, session: runTests },
    { name: 'nightly-build', share: 0.1, rhythm: 'night', size: 1_800, session: build },
    { name: 'browse', share: 0.06, rhythm: 'office', size: 450, session: browse(true) },
    { name: 'mail', share: 0.02, rhythm: 'office', size: 90, session: readMail },
    {
      name: 'terminal',
      share: 0.03,
      rhythm: 'office',
      size: 200,
      session: terminal(LINUX_HABITS, 'session'),
    },
    { name: 'timers', share: 0.05, rhythm: 'machine', size: 90, session: timers },
    { name: 'devices', share: 0.03, rhythm: 'machine', size: 30, session: deviceEvents },
    { name: 'people', share: 0.02, rhythm: 'office', size: 300, session: remoteShell(LINUX_HABITS, 'bash') },
  ],
  jobs: (schedule) => [
    ...schedule.daily(0, 'log-rotation', rotate),
    ...schedule.daily(21, 'quit-browsers', quitBrowsers),
    schedule.before(0.15, 'package-update', packageUpdate(APT, ['libssl', 'gcc', 'tzdata'])),
    schedule.before(0.6, 'package-update', packageUpdate(APT, ['git', 'curl', 'openssh'])),
    schedule.before(0.4, 'new-user', newUser('sshd', 'useradd', 'lena', 1003, '/home')),
    schedule.unusual(0.12, 'package-update', packageUpdate(APT, ['grafana', 'llvm', 'perf'])),
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
    schedule.unusual(0.35, 'new-user', newUser('sshd', 'useradd', 'mike', 1004, '/home')),
    schedule.unusual(0.42, 'operator', operatorSession(LINUX_OPERATORS, schedule.scaled(32))),
    schedule.unusual(0.5, 'restore', restoreBackup('sshd', 'tar', 'xz', schedule.scaled(100))),
    schedule.unusual(0.6, 'operator', operatorSession(LINUX_OPERATORS, schedule.scaled(32))),
    schedule.unusual(
      0.7,
      'compiler-upgrade',
      compilerUpgrade('session', 'make', 'clang-new', 'ld-new', schedule.scaled(90)),
    ),
  ],
  attacks: [phishing, livingOffTheLand, scanAndLateral],
};
