import type { ProgramTable } from '../kernel/programs.js';

/** `c.so.6` is in the base system, `+gtk-3.so.0` in a package. */
export function linuxLibrary(library: string): string {
  return library.startsWith('+')
    ? `/usr/lib/x86_64-linux-gnu/lib${library.slice(1)}`
    : `/lib/x86_64-linux-gnu/lib${library}`;
}

/** Programs in daily use on both Linux hosts. */
export const LINUX_PROGRAMS: ProgramTable = {
  init: '/sbin/init | c.so.6',
  bash: '/bin/bash | tinfo.so.5 dl.so.2 c.so.6 | /etc/bash.bashrc',
  sh: '/bin/dash | c.so.6',
  ls: '/bin/ls | selinux.so.1 pcre.so.3 c.so.6',
  cat: '/bin/cat | c.so.6',
  grep: '/bin/grep | pcre.so.3 c.so.6',
  ps: '/bin/ps | procps.so.3 c.so.6 | /proc/stat',
  rm: '/bin/rm | c.so.6',
  cp: '/bin/cp | acl.so.1 attr.so.1 c.so.6',
  mv: '/bin/mv | acl.so.1 attr.so.1 c.so.6',
  mkdir: '/bin/mkdir | selinux.so.1 c.so.6',
  sed: '/bin/sed | selinux.so.1 c.so.6',
  tar: '/bin/tar | acl.so.1 selinux.so.1 c.so.6',
  gzip: '/bin/gzip | c.so.6',
  find: '/usr/bin/find | selinux.so.1 m.so.6 c.so.6',
  awk: '/usr/bin/mawk | m.so.6 c.so.6',
  id: '/usr/bin/id | selinux.so.1 c.so.6 | /etc/nsswitch.conf',
  less: '/usr/bin/less | tinfo.so.5 c.so.6',
  tail: '/usr/bin/tail | c.so.6',
  vim: '/usr/bin/vim | m.so.6 tinfo.so.5 +gpm.so.2 c.so.6 | /etc/vim/vimrc',
  python3:
    '/usr/bin/python3 | pthread.so.0 dl.so.2 util.so.1 expat.so.1 z.so.1 m.so.6 c.so.6 | /usr/lib/python3.5/site.py',
  curl: '/usr/bin/curl | +curl.so.4 +ssl.so.1 +crypto.so.1 z.so.1 pthread.so.0 c.so.6 | /etc/resolv.conf /etc/hosts',
  ssh: '/usr/bin/ssh | +crypto.so.1 z.so.1 resolv.so.2 c.so.6 | /etc/ssh/ssh_config',
  su: '/bin/su | pam.so.0 audit.so.1 c.so.6 | /etc/pam.d/su /etc/login.defs',
  top: '/usr/bin/top | procps.so.3 tinfo.so.5 c.so.6 | /proc/meminfo',
  sshd: '/usr/sbin/sshd | pam.so.0 wrap.so.0 audit.so.1 +crypto.so.1 z.so.1 c.so.6 | /etc/ssh/sshd_config /etc/passwd /etc/pam.d/sshd',
  cron: '/usr/sbin/cron | pam.so.0 c.so.6 | /etc/crontab',
  'run-parts': '/bin/run-parts | c.so.6',
  logrotate: '/usr/sbin/logrotate | +popt.so.0 selinux.so.1 c.so.6 | /etc/logrotate.conf',
  rsyslogd: '/usr/sbin/rsyslogd | z.so.1 pthread.so.0 c.so.6',
  systemd: '/lib/systemd/systemd | selinux.so.1 c.so.6',
  'systemd-udevd': '/lib/systemd/systemd-udevd | selinux.so.1 blkid.so.1 c.so.6',
  'dbus-daemon': '/usr/bin/dbus-daemon | +dbus-1.so.3 expat.so.1 c.so.6',
  dhclient: '/sbin/dhclient | c.so.6 | /etc/dhcp/dhclient.conf',
  'apt-get': '/usr/bin/apt-get | +apt-pkg.so.5 +stdc++.so.6 c.so.6 | /etc/apt/apt.conf /var/lib/dpkg/status',
  dpkg: '/usr/bin/dpkg | selinux.so.1 z.so.1 c.so.6 | /var/lib/dpkg/status',
  firefox:
    '/usr/lib/firefox/firefox | pthread.so.0 dl.so.2 +stdc++.so.6 m.so.6 +gtk-3.so.0 +nss3.so c.so.6 | /usr/lib/firefox/application.ini',
  'plugin-container': '/usr/lib/firefox/plugin-container | pthread.so.0 dl.so.2 +stdc++.so.6 c.so.6',
  thunderbird:
    '/usr/lib/thunderbird/thunderbird | pthread.so.0 dl.so.2 +stdc++.so.6 +gtk-3.so.0 c.so.6 | /usr/lib/thunderbird/application.ini',
  'soffice.bin':
    '/usr/lib/libreoffice/program/soffice.bin | +uno_sal.so.3 +stdc++.so.6 +gtk-3.so.0 c.so.6 | /etc/libreoffice/registry/main.xcd',
  useradd: '/usr/sbin/useradd | audit.so.1 selinux.so.1 c.so.6 | /etc/default/useradd',
};

export const DESKTOP_PROGRAMS: ProgramTable = {
  Xorg: '/usr/lib/xorg/Xorg | +drm.so.2 +pixman-1.so.0 +GL.so.1 c.so.6',
  'gnome-shell': '/usr/bin/gnome-shell | +gtk-3.so.0 +mutter.so.0 +gjs.so.0 c.so.6',
  'gnome-terminal': '/usr/lib/gnome-terminal/gnome-terminal-server | +gtk-3.so.0 +vte-2.91.so.0 c.so.6',
  nautilus: '/usr/bin/nautilus | +gtk-3.so.0 +gnome-desktop-3.so.12 c.so.6',
  evince: '/usr/bin/evince | +gtk-3.so.0 +evdocument3.so.4 c.so.6',
  pulseaudio: '/usr/bin/pulseaudio | +pulsecore-8.0.so +sndfile.so.1 c.so.6',
  'update-notifier': '/usr/bin/update-notifier | +gtk-3.so.0 c.so.6',
};

export const WORKSTATION_PROGRAMS: ProgramTable = {
  make: '/usr/bin/make | dl.so.2 c.so.6',
  gcc: '/usr/bin/gcc | c.so.6',
  cc1: '/usr/lib/gcc/x86_64-linux-gnu/5/cc1 | +isl.so.15 +mpc.so.3 +mpfr.so.4 +gmp.so.10 m.so.6 c.so.6',
  as: '/usr/bin/as | +opcodes-2.26.so +bfd-2.26.so z.so.1 c.so.6',
  collect2: '/usr/lib/gcc/x86_64-linux-gnu/5/collect2 | c.so.6',
  ld: '/usr/bin/ld | +bfd-2.26.so dl.so.2 c.so.6',
  git: '/usr/bin/git | pcre.so.3 z.so.1 pthread.so.0 c.so.6 | /etc/gitconfig',
  emacs: '/usr/bin/emacs | +gtk-3.so.0 tinfo.so.5 m.so.6 c.so.6',
};

/** Programs that only operators, upgrades and new services use. */
export const LINUX_RARE_PROGRAMS: ProgramTable = {
  strace: '/usr/bin/strace | c.so.6',
  ltrace: '/usr/bin/ltrace | elf.so.1 c.so.6 | /etc/ltrace.conf',
  lsof: '/usr/bin/lsof | c.so.6 | /etc/passwd',
  tcpdump: '/usr/sbin/tcpdump | +pcap.so.0 +crypto.so.1 c.so.6',
  ss: '/bin/ss | pcre.so.3 c.so.6',
  dig: '/usr/bin/dig | +dns.so.100 +isc.so.95 c.so.6 | /etc/resolv.conf',
  nmcli: '/usr/bin/nmcli | +nm.so.0 c.so.6',
  journalctl: '/bin/journalctl | lzma.so.5 gcrypt.so.20 c.so.6 | /var/log/journal/system.journal',
  systemctl: '/bin/systemctl | selinux.so.1 c.so.6',
  dmesg: '/bin/dmesg | tinfo.so.5 c.so.6',
  diff: '/usr/bin/diff | c.so.6',
  stat: '/usr/bin/stat | selinux.so.1 c.so.6',
  strings: '/usr/bin/strings | +bfd-2.26.so c.so.6',
  file: '/usr/bin/file | +magic.so.1 z.so.1 c.so.6 | /usr/share/misc/magic.mgc',
  sort: '/usr/bin/sort | pthread.so.0 c.so.6',
  wc: '/usr/bin/wc | c.so.6',
  perf: '/usr/bin/perf | +dw.so.1 +slang.so.2 c.so.6',
  gdb: '/usr/bin/gdb | +python3.5m.so.1 +readline.so.6 expat.so.1 c.so.6 | /etc/gdb/gdbinit',
  make: '/usr/bin/make | dl.so.2 c.so.6',
  'clang-new': '/opt/llvm-6.0/bin/clang | +LLVM-6.0.so.1 z.so.1 +stdc++.so.6 c.so.6',
  'ld-new': '/opt/llvm-6.0/bin/ld.lld | +LLVM-6.0.so.1 z.so.1 c.so.6',
  xz: '/usr/bin/xz | lzma.so.5 c.so.6',
  'grafana-server': '/usr/sbin/grafana-server | pthread.so.0 c.so.6 | /etc/grafana/grafana.ini',
  'grafana-cli': '/usr/sbin/grafana-cli | pthread.so.0 c.so.6',
};
