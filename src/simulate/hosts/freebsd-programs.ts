import type { ProgramTable } from '../kernel/programs.js';

/** `c.so.7` is in the base system, `+curl.so.4` in a package. */
export function freebsdLibrary(library: string): string {
  return library.startsWith('+') ? `/usr/local/lib/lib${library.slice(1)}` : `/lib/lib${library}`;
}

/** Programs in daily use. */
export const FREEBSD_PROGRAMS: ProgramTable = {
  init: '/sbin/init | c.so.7',
  sh: '/bin/sh | edit.so.7 ncurses.so.8 c.so.7',
  bash: '/usr/local/bin/bash | ncurses.so.8 +intl.so.8 c.so.7 | /usr/home/.bashrc',
  sleep: '/bin/sleep | c.so.7',
  curl: '/usr/local/bin/curl | +curl.so.4 +nghttp2.so.14 ssl.so.8 crypto.so.8 z.so.6 thr.so.3 c.so.7 | /etc/resolv.conf /etc/hosts',
  cat: '/bin/cat | c.so.7',
  ls: '/bin/ls | xo.so.0 util.so.9 ncursesw.so.8 c.so.7 | /etc/pwd.db',
  ps: '/bin/ps | m.so.5 kvm.so.7 jail.so.1 xo.so.0 c.so.7 | /etc/pwd.db',
  rm: '/bin/rm | c.so.7',
  mv: '/bin/mv | c.so.7',
  cp: '/bin/cp | c.so.7',
  mkdir: '/bin/mkdir | c.so.7',
  chmod: '/bin/chmod | c.so.7',
  date: '/bin/date | c.so.7',
  hostname: '/bin/hostname | c.so.7',
  df: '/bin/df | xo.so.0 util.so.9 c.so.7',
  dd: '/bin/dd | c.so.7',
  expr: '/bin/expr | c.so.7',
  unlink: '/bin/unlink | c.so.7',
  find: '/usr/bin/find | c.so.7',
  grep: '/usr/bin/grep | gnuregex.so.5 bz2.so.4 z.so.6 c.so.7',
  awk: '/usr/bin/awk | m.so.5 c.so.7',
  sed: '/usr/bin/sed | c.so.7',
  tail: '/usr/bin/tail | c.so.7',
  less: '/usr/bin/less | ncursesw.so.8 c.so.7',
  id: '/usr/bin/id | bsm.so.3 c.so.7 | /etc/pwd.db /etc/group',
  top: '/usr/bin/top | ncursesw.so.8 m.so.5 kvm.so.7 c.so.7 | /etc/pwd.db',
  tar: '/usr/bin/tar | archive.so.7 bz2.so.4 z.so.6 lzma.so.5 crypto.so.8 c.so.7',
  gzip: '/usr/bin/gzip | z.so.6 bz2.so.4 lzma.so.5 thr.so.3 c.so.7',
  env: '/usr/bin/env | c.so.7',
  vmstat: '/usr/bin/vmstat | devstat.so.7 kvm.so.7 memstat.so.3 xo.so.0 util.so.9 c.so.7',
  netstat: '/usr/bin/netstat | kvm.so.7 memstat.so.3 xo.so.0 util.so.9 netgraph.so.4 c.so.7',
  killall: '/usr/bin/killall | jail.so.1 c.so.7 | /etc/pwd.db /etc/nsswitch.conf',
  ssh: '/usr/bin/ssh | privatessh.so.5 crypto.so.8 z.so.6 c.so.7 | /etc/ssh/ssh_config',
  scp: '/usr/bin/scp | privatessh.so.5 crypto.so.8 c.so.7',
  vi: '/usr/bin/vi | util.so.9 ncursesw.so.8 c.so.7',
  su: '/usr/bin/su | util.so.9 pam.so.6 bsm.so.3 c.so.7 | /etc/pam.d/su /etc/spwd.db /etc/login.conf.db',
  sysctl: '/sbin/sysctl | c.so.7',
  route: '/sbin/route | c.so.7',
  dhclient: '/sbin/dhclient | util.so.9 casper.so.1 c.so.7 | /etc/dhclient.conf',
  'dhclient-script': '/sbin/dhclient-script | edit.so.7 ncurses.so.8 c.so.7',
  cron: '/usr/sbin/cron | util.so.9 c.so.7 | /etc/crontab /etc/spwd.db /etc/login.conf.db',
  atrun: '/usr/libexec/atrun | pam.so.6 util.so.9 c.so.7',
  'save-entropy':
    '/usr/libexec/save-entropy | edit.so.7 ncurses.so.8 c.so.7 | /etc/defaults/rc.conf /etc/rc.conf',
  newsyslog: '/usr/sbin/newsyslog | c.so.7 | /etc/newsyslog.conf /etc/spwd.db',
  periodic: '/usr/sbin/periodic | edit.so.7 ncurses.so.8 c.so.7 | /etc/defaults/periodic.conf',
  syslogd: '/usr/sbin/syslogd | util.so.9 c.so.7 | /etc/syslog.conf',
  sshd: '/usr/sbin/sshd | privatessh.so.5 util.so.9 wrap.so.6 pam.so.6 crypto.so.8 z.so.6 c.so.7 | /etc/ssh/sshd_config /etc/spwd.db /etc/login.conf.db /etc/pam.d/sshd',
  nginx:
    '/usr/local/sbin/nginx | crypt.so.5 +pcre.so.1 ssl.so.8 crypto.so.8 z.so.6 c.so.7 | /usr/local/etc/nginx/nginx.conf /usr/local/etc/nginx/mime.types',
  postgres: '/usr/local/bin/postgres | +xml2.so.2 ssl.so.8 crypto.so.8 m.so.5 c.so.7',
  master:
    '/usr/local/libexec/postfix/master | +pcre.so.1 crypto.so.8 c.so.7 | /usr/local/etc/postfix/main.cf',
  smtpd:
    '/usr/local/libexec/postfix/smtpd | +pcre.so.1 ssl.so.8 crypto.so.8 c.so.7 | /usr/local/etc/postfix/main.cf /etc/spwd.db',
  cleanup:
    '/usr/local/libexec/postfix/cleanup | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf /etc/spwd.db',
  qmgr: '/usr/local/libexec/postfix/qmgr | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf',
  pickup: '/usr/local/libexec/postfix/pickup | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf',
  local:
    '/usr/local/libexec/postfix/local | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf /etc/spwd.db /etc/aliases.db',
  bounce:
    '/usr/local/libexec/postfix/bounce | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf /etc/spwd.db',
  smtp: '/usr/local/libexec/postfix/smtp | +pcre.so.1 ssl.so.8 crypto.so.8 c.so.7 | /usr/local/etc/postfix/main.cf /etc/resolv.conf',
  'trivial-rewrite':
    '/usr/local/libexec/postfix/trivial-rewrite | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf /etc/spwd.db',
  sendmail: '/usr/local/sbin/sendmail | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf /etc/spwd.db',
  postdrop: '/usr/local/sbin/postdrop | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf',
  'python2.7':
    '/usr/local/bin/python2.7 | +python2.7.so.1 util.so.9 m.so.5 thr.so.3 c.so.7 | /usr/local/lib/python2.7/site.py',
  pkg: '/usr/local/sbin/pkg | archive.so.7 jail.so.1 util.so.9 m.so.5 c.so.7 | /usr/local/etc/pkg.conf',
  psql: '/usr/local/bin/psql | +pq.so.5 edit.so.7 crypto.so.8 c.so.7',
  rsync: '/usr/local/bin/rsync | +iconv.so.2 c.so.7',
};

/** Programs that only operators, upgrades and new services use. */
export const FREEBSD_RARE_PROGRAMS: ProgramTable = {
  tcpdump: '/usr/sbin/tcpdump | pcap.so.8 crypto.so.8 casper.so.1 c.so.7',
  truss: '/usr/bin/truss | sysdecode.so.0 c.so.7',
  procstat: '/usr/bin/procstat | procstat.so.1 kvm.so.7 xo.so.0 util.so.9 c.so.7',
  sockstat: '/usr/bin/sockstat | jail.so.1 c.so.7 | /etc/pwd.db',
  fstat: '/usr/bin/fstat | procstat.so.1 kvm.so.7 c.so.7 | /etc/pwd.db',
  telnet: '/usr/bin/telnet | ncursesw.so.8 c.so.7 | /etc/resolv.conf',
  dig: '/usr/local/bin/dig | +dns.so.110 +isc.so.112 crypto.so.8 c.so.7 | /etc/resolv.conf',
  gdb: '/usr/local/bin/gdb | +python2.7.so.1 ncursesw.so.8 m.so.5 util.so.9 c.so.7 | /usr/local/etc/gdbinit',
  alpine: '/usr/local/bin/alpine | ssl.so.8 crypto.so.8 ncursesw.so.8 c.so.7 | /usr/local/etc/pine.conf',
  postconf: '/usr/local/sbin/postconf | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf',
  postcat: '/usr/local/sbin/postcat | +pcre.so.1 c.so.7 | /usr/local/etc/postfix/main.cf',
  diff: '/usr/bin/diff | c.so.7',
  stat: '/usr/bin/stat | c.so.7 | /etc/pwd.db',
  wc: '/usr/bin/wc | xo.so.0 c.so.7',
  sort: '/usr/bin/sort | md.so.6 c.so.7',
  strings: '/usr/bin/strings | elf.so.2 c.so.7',
  file: '/usr/bin/file | magic.so.4 z.so.6 c.so.7 | /usr/share/misc/magic.mgc',
  make: '/usr/bin/make | c.so.7 | /usr/share/mk/sys.mk /etc/make.conf',
  clang: '/usr/bin/cc | z.so.6 m.so.5 c.so.7',
  'clang-new': '/usr/local/llvm60/bin/clang | +LLVM-6.0.so z.so.6 m.so.5 c.so.7',
  'ld-new': '/usr/local/llvm60/bin/ld.lld | +LLVM-6.0.so z.so.6 c.so.7',
  'redis-server': '/usr/local/bin/redis-server | m.so.5 thr.so.3 c.so.7 | /usr/local/etc/redis.conf',
  'redis-cli': '/usr/local/bin/redis-cli | m.so.5 c.so.7',
  service: '/usr/sbin/service | edit.so.7 ncurses.so.8 c.so.7 | /etc/rc.subr /etc/defaults/rc.conf',
  pg_restore: '/usr/local/bin/pg_restore | +pq.so.5 z.so.6 crypto.so.8 c.so.7',
  xz: '/usr/bin/xz | lzma.so.5 thr.so.3 c.so.7',
  pw: '/usr/sbin/pw | crypt.so.5 util.so.9 c.so.7 | /etc/pw.conf',
  adduser: '/usr/sbin/adduser | edit.so.7 ncurses.so.8 c.so.7 | /etc/adduser.conf',
};
