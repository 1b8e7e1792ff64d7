import type { Random } from '../../base/random.js';
import { millis, seconds, type World } from '../hosts/world.js';
import type { Flow, Process, User } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import { command, type Errand, pipeline } from './commands.js';

export interface Session {
  readonly flow: Flow;
  /** The sshd that serves the session. */
  readonly server: Process;
  readonly shell: Process;
}

/** What people type on a normal day. `~` stands for their home. */
export interface Habit {
  readonly program: string;
  readonly weight: number;
  readonly errand?: Errand;
}

/** sshd accepts, forks a privileged monitor and an unprivileged child, checks the password, starts a shell. */
export function* logIn(
  world: World,
  random: Random,
  user: User,
  address: string,
  shellName: string,
): Generator<number, Session, undefined> {
  const { machine } = world;
  const listener = world.daemon('sshd');
  const server = machine.spawn(listener, 'sshd', '-R');
  const flow = machine.accept(server, 22, address);
  machine.glance(server, '/etc/ssh/ssh_host_rsa_key', 1);
  for (let i = 0; i < 4; i++) {
    machine.call('readSocket', server, flow, random.between(100, 1_500));
    machine.call('writeSocket', server, flow, random.between(100, 1_500));
    yield millis(random, 40);
  }
  machine.call('receiveMessage', server, flow, 40); // the terminal, handed over by the privileged half
  machine.become(server, user);
  machine.append(world.daemon('syslogd'), '/var/log/auth.log');
  const shell = machine.spawn(server, shellName, '-l');
  machine.call('changeDirectory', shell, machine.files.get(`${user.home}/`));
  machine.glance(shell, `${user.home}/.profile`, 1);
  machine.glance(shell, `${user.home}/.bash_history`, 1);
  return { flow, server, shell };
}

export function logOut(world: World, session: Session): void {
  const { machine } = world;
  machine.store(session.shell, `${session.shell.user.home}/.bash_history`, 1);
  machine.exit(session.shell);
  machine.call('close', session.server, session.flow);
  machine.exit(session.server);
}

/** Keys and screen output travelling over the connection. */
export function keystrokes(world: World, random: Random, session: Session): void {
  const { machine } = world;
  machine.call('readSocket', session.server, session.flow, random.between(20, 80));
  machine.call('writeSocket', session.server, session.flow, random.between(40, 2_000));
}

/** A person logs in from the office network, does some of what they usually do, and leaves. */
export function remoteShell(
  habits: readonly Habit[],
  shellName: string,
  who = (world: World, random: Random): User => random.pick(world.people),
) {
  const weights = habits.map((habit) => habit.weight);
  return function* session(world: World, random: Random): Steps {
    const user = who(world, random);
    const office = `10.0.4.${100 + (user.uid % 100)}`;
    const login = yield* logIn(world, random, user, office, shellName);
    for (let i = random.burst(7, 40); i > 0; i--) {
      keystrokes(world, random, login);
      const habit = habits[random.weighted(weights)] as Habit;
      const errand = atHome(habit.errand ?? {}, user);
      if (random.chance(0.2)) pipeline(world, login.shell, habit.program, 'grep', errand);
      else command(world, login.shell, habit.program, errand);
      yield seconds(random, 20);
    }
    logOut(world, login);
  };
}

export function atHome(errand: Errand, user: User): Errand {
  const place = (path: string) => path.replace('~', user.home);
  return {
    ...errand,
    reads: errand.reads?.map(place) ?? [],
    writes: errand.writes?.map(place) ?? [],
  };
}
