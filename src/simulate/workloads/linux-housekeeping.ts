import type { Random } from '../../base/random.js';
import { millis, type World } from '../hosts/world.js';
import type { Steps } from '../kernel/scheduler.js';
import { command, pipeline } from './commands.js';

/** Jobs of cron and systemd. */
export function* timers(world: World, random: Random): Steps {
  const { machine } = world;
  const job = machine.fork(world.daemon('cron'));
  machine.changeUser(job, world.user('root'));
  const shell = machine.spawn(job, 'sh', '-c');
  yield millis(random, 10);
  switch (random.weighted([4, 3, 2, 1])) {
    case 0: {
      const parts = machine.spawn(shell, 'run-parts', '/etc/cron.hourly');
      machine.readFile(parts, '/etc/cron.hourly/', 1);
      machine.exit(parts);
      break;
    }
    case 1:
      pipeline(world, shell, 'find', 'awk', { reads: ['/var/lib/php/sessions/', '/proc/stat'] });
      break;
    case 2:
      command(world, shell, 'python3', {
        args: '/usr/local/bin/inventory.py',
        reads: ['/usr/local/bin/inventory.py', '/etc/passwd', '/var/lib/dpkg/status'],
        writes: ['/var/lib/inventory/state.json'],
        blocks: 3,
      });
      break;
    default: {
      const curl = machine.spawn(shell, 'curl', '-s http://10.0.4.12/health');
      const flow = machine.connect(curl, '10.0.4.12', 80);
      machine.call('sendTo', curl, flow, 120);
      machine.call('receiveFrom', curl, flow, 300);
      machine.call('close', curl, flow);
      machine.exit(curl);
    }
  }
  machine.exit(shell);
  machine.exit(job);
  machine.append(world.daemon('syslogd'), '/var/log/syslog');
}

/** The kernel sends device events to udev; the audit system does not know their source. */
export function* deviceEvents(world: World, random: Random): Steps {
  const { machine } = world;
  const udev = world.daemon('udev');
  const kernel = machine.files.has('netlink')
    ? machine.files.get('netlink')
    : machine.files.create('netlink', machine.root, false, 'srcsink');
  for (let i = random.between(10, 40); i > 0; i--) {
    machine.call('receiveMessage', udev, kernel, random.between(8, 400));
    if (random.chance(0.2))
      machine.readFile(udev, `/sys/devices/virtual/tty/tty${random.below(12)}/uevent`, 1);
    if (random.chance(0.3)) yield millis(random, 200);
  }
}

/** Rotates the logs at midnight. */
export function* rotate(world: World, random: Random): Steps {
  const { machine } = world;
  const logrotate = machine.spawn(world.daemon('cron'), 'logrotate', '/etc/logrotate.conf');
  for (const log of ['/var/log/syslog', '/var/log/auth.log', '/var/log/kern.log']) {
    const file = machine.files.get(log);
    machine.rename(logrotate, file, `${log}.1`);
    machine.writeFile(logrotate, log, 1);
    machine.call('changeMode', logrotate, machine.files.get(log));
    command(world, logrotate, 'gzip', { args: `${log}.2`, reads: [`${log}.2`], writes: [`${log}.2.gz`] });
    yield millis(random, 100);
  }
  // Once a week: among the rarest events of this host.
  if (world.local.weekday(machine.now) === 1) {
    machine.call('truncate', logrotate, machine.files.get('/var/log/wtmp'));
    machine.call('link', logrotate, machine.files.get('/var/lib/logrotate/status'));
  }
  machine.exit(logrotate);
}

/** Once on a working day the display server shares a new memory segment with the compositor. */
export function* shareScreen(world: World, random: Random): Steps {
  const { machine } = world;
  const server = world.daemon('Xorg');
  const weekday = world.local.weekday(machine.now);
  if (weekday !== 0 && weekday !== 6) machine.call('sharedMemory', server, machine.map(server, 8 << 20));
  yield millis(random, 5);
}
