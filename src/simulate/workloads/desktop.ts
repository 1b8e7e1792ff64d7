import type { Random } from '../../base/random.js';
import { MILLISECOND } from '../calendar.js';
import { millis, seconds, type World } from '../hosts/world.js';
import type { Process, User } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import { command } from './commands.js';
import { atHome, type Habit } from './remote-shell.js';

/** The display server: every program on a desktop talks to it all day. */
export function* drawScreen(world: World, random: Random): Steps {
  const { machine } = world;
  const server = world.daemon('Xorg');
  const shell = world.daemon('gnome-shell');
  const card = machine.files.get('/dev/dri/card0');
  const socket = machine.files.get('/tmp/.X11-unix/X0');
  for (let i = random.between(20, 60); i > 0; i--) {
    machine.call('receiveMessage', server, socket, random.between(32, 4_096));
    if (random.chance(0.5)) machine.call('write', server, card, 64);
    if (random.chance(0.3)) machine.call('sendMessage', shell, socket, random.between(32, 512));
    if (random.chance(0.4)) yield random.between(8, 120) * MILLISECOND;
  }
}

/** The message bus: every program on a desktop talks to it all day. */
export function* busMessages(world: World, random: Random): Steps {
  const { machine } = world;
  const bus = world.daemon('dbus');
  const client = world.daemon(random.pick(['gnome-shell', 'session', 'pulseaudio']));
  const socket = machine.connectLocal(client, '/run/user/1000/bus');
  for (let i = random.between(4, 20); i > 0; i--) {
    machine.call('sendMessage', client, socket, random.between(60, 400));
    machine.call('receiveMessage', bus, socket, random.between(60, 400));
    yield millis(random, 20);
  }
  machine.call('close', client, socket);
}

/** Finds the mail program of a user, or starts it. */
export function openMailer(world: World, user: User): Process {
  const role = `thunderbird ${user.name}`;
  const running = world.find(role);
  if (running && !running.ended) return running;
  const mailer = world.machine.spawn(world.daemon('session'), 'thunderbird');
  if (mailer.user !== user) world.machine.changeUser(mailer, user);
  return world.assignRole(role, mailer);
}

/** Fetches mail over IMAP and sometimes saves and opens an attachment. */
export function* readMail(world: World, random: Random): Steps {
  const { machine } = world;
  const user = random.pick(world.people);
  const mailer = openMailer(world, user);
  const folder = `${user.home}/.thunderbird/a1b2.default/ImapMail`;
  const flow = machine.connect(mailer, '10.0.4.25', 993);
  for (let message = random.burst(4, 15); message > 0; message--) {
    machine.call('sendTo', mailer, flow, 80);
    for (let i = random.between(2, 8); i > 0; i--)
      machine.call('receiveFrom', mailer, flow, random.between(500, 8_000));
    machine.writeFile(mailer, `${folder}/INBOX`, 2);
    machine.readFile(mailer, `${folder}/INBOX.msf`, 1);
    machine.map(mailer, 1 << 18);
    yield millis(random, 800);
    if (random.chance(0.08)) {
      const attachment = `${user.home}/Downloads/attachment${random.below(60)}.odt`;
      machine.writeFile(mailer, attachment, 4);
      yield seconds(random, 8);
      yield* openDocument(world, random, mailer, attachment, false);
    }
  }
  machine.call('close', mailer, flow);
}

function* openDocument(world: World, random: Random, parent: Process, path: string, editing: boolean): Steps {
  const { machine } = world;
  const office = machine.spawn(parent, 'soffice.bin', path);
  const { home } = office.user;
  machine.readFile(office, path, random.between(2, 6));
  machine.readFile(office, `${home}/.config/libreoffice/4/user/registrymodifications.xcu`, 2);
  const lock = machine.writeFile(office, `${path}.lock`, 1, true);
  for (let i = random.between(3, 12); i > 0; i--) {
    machine.map(office, 1 << 20);
    machine.call('sendMessage', office, machine.files.get('/tmp/.X11-unix/X0'), 600);
    yield seconds(random, 4);
    if (editing) machine.writeFile(office, path, 2);
  }
  machine.unlink(office, lock);
  machine.exit(office);
}

export function* writeDocument(world: World, random: Random): Steps {
  const user = random.pick(world.people);
  const shell = world.daemon('session');
  yield* openDocument(world, random, shell, `${user.home}/Documents/report${random.below(40)}.odt`, true);
}

/** Runs commands in a terminal window. */
export function terminal(habits: readonly Habit[], parentRole: string) {
  const weights = habits.map((habit) => habit.weight);
  return function* session(world: World, random: Random): Steps {
    const { machine } = world;
    const user = random.pick(world.people);
    const shell = machine.spawn(world.daemon(parentRole), 'bash');
    if (shell.user !== user) machine.changeUser(shell, user);
    machine.readFile(shell, `${user.home}/.bashrc`, 1);
    for (let i = random.burst(6, 30); i > 0; i--) {
      const habit = habits[random.weighted(weights)] as Habit;
      command(world, shell, habit.program, { output: '/dev/pts/0', ...atHome(habit.options ?? {}, user) });
      yield seconds(random, 15);
    }
    machine.exit(shell);
  };
}
