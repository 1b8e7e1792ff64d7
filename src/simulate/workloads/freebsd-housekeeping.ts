import type { Random } from '../../base/random.js';
import { MILLISECOND } from '../calendar.js';
import { millis, type World } from '../hosts/world.js';
import type { Steps } from '../kernel/scheduler.js';
import { command, pipeline } from './commands.js';

/** cron forks a child, which runs a job in a shell. */
export function* cronJob(world: World, random: Random): Steps {
  const { machine } = world;
  const job = machine.fork(world.daemon('cron'));
  const pipe = machine.pipe(job);
  machine.changeUser(job, world.user('root'));
  machine.call('changeDirectory', job, machine.files.get('/root/'));
  const shell = machine.spawn(job, 'sh', '-c');
  yield millis(random, 5);
  switch (random.weighted([5, 3, 1, 1])) {
    case 0: {
      const atrun = machine.spawn(shell, 'atrun');
      machine.changeUser(atrun, world.user('daemon'));
      machine.readFile(atrun, '/var/at/jobs/', 1);
      machine.exit(atrun);
      break;
    }
    case 1:
      yield* saveEntropy(world, random, shell);
      break;
    case 2:
      command(world, shell, 'newsyslog', { reads: ['/etc/newsyslog.conf'] });
      break;
    default:
      command(world, shell, 'python2.7', {
        args: '/usr/local/libexec/report.py',
        reads: ['/usr/local/libexec/report.py', '/var/log/nginx-access.log'],
        writes: ['/var/db/report/daily.csv'],
        blocks: 4,
      });
  }
  machine.exit(shell);
  machine.call('read', job, pipe, 0);
  machine.exit(job);
  machine.append(world.daemon('syslogd'), '/var/log/cron');
}

function* saveEntropy(world: World, random: Random, shell: Parameters<typeof command>[1]): Steps {
  const { machine } = world;
  const script = machine.spawn(shell, 'save-entropy');
  const last = random.between(6, 8);
  const oldest = machine.files.get(`/var/db/entropy/saved-entropy.${last}`);
  const remover = machine.spawn(script, 'unlink', oldest.name);
  machine.unlink(remover, oldest);
  machine.exit(remover);
  for (let n = last - 1; n > 0; n--) {
    const mover = machine.spawn(script, 'mv');
    const from = machine.files.get(`/var/db/entropy/saved-entropy.${n}`);
    machine.rename(mover, from, `/var/db/entropy/saved-entropy.${n + 1}`);
    machine.exit(mover);
    yield millis(random, 8);
  }
  command(world, script, 'dd', { reads: ['/dev/random'], writes: ['/var/db/entropy/saved-entropy.1'] });
  machine.exit(script);
}

/** The DHCP client reads packets and sometimes renews its lease with a script. */
export function* watchLease(world: World, random: Random): Steps {
  const { machine } = world;
  const client = world.daemon('dhclient');
  const bpf = machine.files.get('/dev/bpf0');
  for (let i = random.between(50, 150); i > 0; i--) {
    machine.call('read', client, bpf, 4096);
    if (random.chance(0.4)) yield random.between(20, 200) * MILLISECOND;
  }
  if (!random.chance(0.05)) return;
  const flow = machine.connect(client, '10.0.4.1', 67);
  machine.call('sendMessage', client, flow, 328);
  machine.writeFile(client, '/var/db/dhclient.leases.em0', 1);
  const script = machine.spawn(client, 'dhclient-script');
  command(world, script, 'hostname');
  pipeline(world, script, 'route', 'awk');
  command(world, script, 'mv', { reads: ['/etc/resolv.conf.em0'], writes: ['/etc/resolv.conf'] });
  machine.exit(script);
}

const CHECKS = [
  'vmstat',
  'netstat',
  'df',
  'ps',
  'sysctl',
  'hostname',
  'date',
  'ls',
  'find',
  'id',
  'grep',
] as const;

/** A monitoring script: bash, a few small programs, curl to a collector, sleep. */
export function* monitor(world: World, random: Random): Steps {
  const { machine } = world;
  const loop = world.daemon('monitor');
  const bash = machine.spawn(loop, 'bash', '/usr/local/monitor/check.sh');
  machine.readFile(bash, '/usr/local/monitor/check.sh', 3);
  for (let i = random.between(2, 5); i > 0; i--) {
    const check = random.pick(CHECKS);
    if (random.chance(0.3)) pipeline(world, bash, check, 'awk', { output: '/usr/local/monitor/nohup.out' });
    else command(world, bash, check, { output: '/usr/local/monitor/nohup.out' });
    yield millis(random, 40);
  }
  const curl = machine.spawn(bash, 'curl', '-s http://10.0.4.12:8086/write');
  const flow = machine.connect(curl, '10.0.4.12', 8086);
  machine.call('sendTo', curl, flow, random.between(200, 900));
  yield millis(random, 30);
  for (let i = random.between(1, 3); i > 0; i--)
    machine.call('receiveFrom', curl, flow, random.between(50, 400));
  machine.call('close', curl, flow);
  machine.exit(curl);
  const sleep = machine.spawn(bash, 'sleep', '10');
  yield millis(random, 9_000);
  machine.exit(sleep);
  machine.exit(bash);
}

/** Renames and compresses the logs at midnight and creates new ones. */
export function* rotateLogs(world: World, random: Random): Steps {
  const { machine } = world;
  const newsyslog = machine.spawn(world.daemon('cron'), 'newsyslog');
  for (const log of [
    '/var/log/nginx-error.log',
    '/var/log/nginx-access.log',
    '/var/log/maillog',
    '/var/log/cron',
  ]) {
    const file = machine.files.get(log);
    machine.rename(newsyslog, file, `${log}.0`);
    machine.writeFile(newsyslog, log, 1);
    machine.call('changeMode', newsyslog, machine.files.get(log));
    const gzip = machine.spawn(newsyslog, 'gzip', `${log}.0`);
    machine.call('open', gzip, file);
    machine.call('read', gzip, file, 65_536);
    machine.writeFile(gzip, `${log}.0.gz`, 2);
    machine.unlink(gzip, file);
    machine.exit(gzip);
    yield millis(random, 200);
  }
  machine.call('truncate', newsyslog, machine.files.get('/var/log/utx.log'));
  machine.call('signal', newsyslog, world.daemon('syslogd'));
  machine.exit(newsyslog);
}

/** `periodic daily`: a shell script with many checks. */
export function* dailyChecks(world: World, random: Random): Steps {
  const { machine } = world;
  const periodic = machine.spawn(world.daemon('cron'), 'periodic', 'daily');
  for (const check of ['df', 'netstat', 'ps', 'find', 'grep', 'awk', 'sed', 'tail', 'cat', 'ls']) {
    const shell = machine.spawn(periodic, 'sh', `/etc/periodic/daily/${check}`);
    machine.readFile(shell, `/etc/periodic/daily/${check}`, 2);
    pipeline(world, shell, check, 'sed', {
      reads: ['/etc/passwd', '/var/log/security'],
      output: '/var/log/daily.log',
    });
    machine.exit(shell);
    yield millis(random, 2_000);
  }
  const backup = machine.spawn(periodic, 'cp', '-p /etc/master.passwd /var/backups');
  machine.readFile(backup, '/etc/master.passwd', 1);
  machine.writeFile(backup, '/var/backups/master.passwd.bak', 1);
  const kept = machine.files.get('/var/backups/aliases.bak');
  machine.call('link', backup, kept);
  machine.exit(backup);
  machine.flowsTo(machine.files.get('/var/log/daily.log'), machine.pipe(periodic));
  machine.exit(periodic);
}
