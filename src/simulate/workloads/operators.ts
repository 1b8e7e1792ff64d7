import type { Random } from '../../base/random.js';
import { millis, seconds, type World } from '../hosts/world.js';
import type { Process } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import { command, pipeline } from './commands.js';
import { keystrokes, logIn, logOut } from './remote-shell.js';

/** What an operator tries while looking for a fault. */
export interface Toolkit {
  /** Programs nobody runs on a normal day. */
  readonly tools: readonly string[];
  /** Files they look into, and files they end up editing. */
  readonly evidence: readonly string[];
  readonly edits: readonly string[];
  readonly editor: string;
  readonly shell: string;
  /** A debugger attached to a running service, if that is how they work. */
  readonly debugger?: string;
  readonly suspects: readonly string[];
}

/**
 * An operator debugs a service: tools from the bottom of the drawer, a trace written to a new directory, configuration
 * edited and edited back. The loudest benign anomaly there is: in the real CADETS trace it outranks both attacks.
 */
export function operatorSession(toolkit: Toolkit, rounds: number) {
  return function* session(world: World, random: Random): Steps {
    const { machine } = world;
    const operator = random.pick(world.people);
    const login = yield* logIn(world, random, operator, '10.0.4.1', toolkit.shell);
    const root = machine.spawn(login.shell, 'su', '-');
    machine.become(root, world.user('root'));
    const shell = machine.spawn(root, toolkit.shell, '-l');
    const notes = `${operator.home}/incident-${random.between(100, 999)}`;
    const mkdir = machine.spawn(shell, 'mkdir', notes);
    machine.call('makeDirectory', mkdir, machine.files.create(`${notes}/`, operator, false));
    machine.exit(mkdir);

    for (let round = 0; round < rounds; round++) {
      keystrokes(world, random, login);
      const tool = random.pick(toolkit.tools);
      const path = random.pick(toolkit.evidence);
      if (random.chance(0.35)) {
        pipeline(world, shell, tool, random.pick(toolkit.tools), {
          reads: [path],
          output: `${notes}/session.txt`,
        });
      } else {
        yield* useTool(world, random, shell, tool, path, `${notes}/${tool}.${round}.out`);
      }
      yield seconds(random, 25);
      if (round % 6 === 5) yield* edit(world, random, shell, toolkit, random.pick(toolkit.edits));
      if (toolkit.debugger && round % 9 === 8) yield* attach(world, random, shell, toolkit);
    }
    command(world, shell, 'rm', { args: `${notes}/session.txt` });
    machine.exit(shell);
    machine.exit(root);
    logOut(world, login);
  };
}

function* useTool(
  world: World,
  random: Random,
  shell: Process,
  tool: string,
  path: string,
  out: string,
): Steps {
  const { machine } = world;
  const process = machine.spawn(shell, tool, `-v ${path}`);
  machine.glance(process, path, random.between(1, 4));
  if (random.chance(0.3)) {
    const flow = machine.connect(
      process,
      `10.0.4.${random.between(2, 30)}`,
      random.pick([25, 80, 443, 5432]),
    );
    machine.call('sendTo', process, flow, 80);
    yield millis(random, 50);
    machine.call('receiveFrom', process, flow, 300);
    machine.call('close', process, flow);
  }
  machine.glance(process, `/usr/share/misc/${tool}.conf`, 1);
  machine.store(process, out, random.between(1, 5));
  yield seconds(random, 3);
  machine.exit(process);
}

function* edit(world: World, random: Random, shell: Process, toolkit: Toolkit, path: string): Steps {
  const { machine } = world;
  const editor = machine.spawn(shell, toolkit.editor, path);
  machine.glance(editor, path, 2);
  const swap = machine.store(editor, `${path}.swp`, 2, true);
  yield seconds(random, 40);
  machine.store(editor, path, 2);
  machine.unlink(editor, swap);
  machine.exit(editor);
}

function* attach(world: World, random: Random, shell: Process, toolkit: Toolkit): Steps {
  const { machine } = world;
  const suspect = world.daemon(random.pick(toolkit.suspects));
  const tracer = machine.spawn(shell, toolkit.debugger as string, `-p ${suspect.pid}`);
  machine.glance(tracer, `/proc/${suspect.pid}/mem`, 2);
  machine.call('signal', tracer, suspect);
  for (let i = 0; i < 12; i++) {
    machine.glance(tracer, suspect.program.path, 1);
    yield seconds(random, 2);
  }
  machine.exit(tracer);
}
