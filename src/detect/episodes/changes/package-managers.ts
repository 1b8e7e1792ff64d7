/**
 * Programs that install software, by base name in lower case, without `.exe`, versions and numbers. A tool that runs inside
 * an interpreter, such as `python -m pip`, cannot be told from other scripts and is not in the list.
 */
const PACKAGE_MANAGERS: ReadonlySet<string> = new Set([
  // Debian and its family
  ...[
    'apt',
    'apt-get',
    'aptitude',
    'apt.systemd.daily',
    'dpkg',
    'dpkg-deb',
    'unattended-upgrade',
    'unattended-upgrades',
  ],
  // rpm systems
  ...['rpm', 'dnf', 'dnf-automatic', 'microdnf', 'yum', 'zypper', 'packagekitd', 'rpm-ostree'],
  // other Linux systems
  ...['pacman', 'apk', 'emerge', 'xbps-install', 'eopkg', 'nix-env', 'opkg', 'snap', 'snapd', 'flatpak'],
  // BSD, macOS
  ...[
    'pkg',
    'pkg-static',
    'pkg_add',
    'pkgin',
    'freebsd-update',
    'syspatch',
    'brew',
    'installer',
    'softwareupdate',
  ],
  // Windows
  ...['msiexec', 'trustedinstaller', 'tiworker', 'wusa', 'dism', 'dismhost', 'winget', 'choco', 'scoop'],
  // languages
  ...[
    'pip',
    'pipx',
    'uv',
    'conda',
    'mamba',
    'npm',
    'pnpm',
    'yarn',
    'gem',
    'bundle',
    'cargo',
    'composer',
    'cpanm',
  ],
]);

/** Places that every user can write to. Nothing installs programs there, and anyone can name a program there `dpkg`. */
const TEMPORARY =
  /^\/(?:var\/|private\/)?tmp(?:\/|$)|^\/dev\/shm(?:\/|$)|^\/run\/user\/|\/(?:temp|downloads?|public|perflogs|\$recycle\.bin)(?:\/|$)/i;

/** Whether a directory, as a template, is one that every user can write to. */
export function isTemporaryPlace(directory: string): boolean {
  return TEMPORARY.test(directory);
}

/** Whether a program, as a template of its executable, installs software. Logs that give names only have no directory. */
export function isPackageManager(program: string): boolean {
  const slash = program.lastIndexOf('/');
  if (slash > 0 && isTemporaryPlace(program.slice(0, slash))) return false;
  return PACKAGE_MANAGERS.has(baseOf(program));
}

/** `/usr/bin/pip<v>` is `pip`. */
function baseOf(program: string): string {
  return program
    .slice(program.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/[-.]?<[a-z]+>/g, '');
}
