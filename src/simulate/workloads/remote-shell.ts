import type { Random } from '../../base/random.js';
import { millis, seconds, type World } from '../hosts/world.js';
import type { Flow, Process, User } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import { type CommandOptions, command, pipeline } from './commands.js';

export interface Session {
  readonly flow: Flow;
  /** The sshd that serves the session. */
  readonly server: Process;
  readonly shell: Process;
}

/** A command that people use on a normal day. `~` stands for their home folder. */
export interface Habit {
  readonly program: string;
  readonly weight: number;
  readonly options?: CommandOptions;
}

/** sshd accepts a connection, checks the login and starts a shell. */
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
  machine.readFile(server, '/etc/ssh/ssh_host_rsa_key', 1);
  for (let i = 0; i < 4; i++) {
    machine.call('readSocket', server, flow, random.between(100, 1_500));
    machine.call('writeSocket', server, flow, random.between(100, 1_500));
    yield millis(random, 40);
  }
  machine.call('receiveMessage', server, flow, 40); // the privileged process passes on the terminal
  machine.changeUser(server, user);
  machine.append(world.daemon('syslogd'), '/var/log/auth.log');
  const shell = machine.spawn(server, shellName, '-l');
  machine.call('changeDirectory', shell, machine.files.get(`${user.home}/`));
  machine.readFile(shell, `${user.home}/.profile`, 1);
  machine.readFile(shell, `${user.home}/.bash_history`, 1);
  return { flow, server, shell };
}

export function logOut(world: World, session: Session): void {
  const { machine } = world;
  machine.writeFile(session.shell, `${session.shell.user.home}/.bash_history`, 1);
  machine.exit(session.shell);
  machine.call('close', session.server, session.flow);
  machine.exit(session.server);
}

/** Sends keystrokes and screen output over the connection. */
export function keystrokes(world: World, random: Random, session: Session): void {
  const { machine } = world;
  machine.call('readSocket', session.server, session.flow, random.between(20, 80));
  machine.call('writeSocket', session.server, session.flow, random.between(40, 2_000));
}

/** A person logs in from the office network, runs some of their usual commands and logs out. */
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
      const options = atHome(habit.options ?? {}, user);
      if (random.chance(0.2)) pipeline(world, login.shell, habit.program, 'grep', options);
      else command(world, login.shell, habit.program, options);
      yield seconds(random, 20);
    }
    logOut(world, login);
  };
}

/** Replaces `~` by the home folder of a user. */
export function atHome(options: CommandOptions, user: User): CommandOptions {
  const place = (path: string) => path.replace('~', user.home);
  return {
    ...options,
    reads: options.reads?.map(place) ?? [],
    writes: options.writes?.map(place) ?? [],
  };
}
