import type { Random } from '../../base/random.js';
import { millis, seconds, type World } from '../hosts/world.js';
import type { Process } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import { command, pipeline } from './commands.js';
import { keystrokes, logIn, logOut } from './remote-shell.js';

/** The tools and files that an operator uses to debug a service. */
export interface Toolkit {
  /** Programs that are not run on a normal day. */
  readonly tools: readonly string[];
  /** Files that the operator reads. */
  readonly inspected: readonly string[];
  readonly edited: readonly string[];
  readonly editor: string;
  readonly shell: string;
  readonly debugger: string;
  /** Roles of the processes that the debugger attaches to. */
  readonly services: readonly string[];
}

/**
 * An operator debugs a service with rare tools, writes notes to a new folder and edits configuration files. This is the
 * most conspicuous benign work: in the real CADETS trace it ranks above both attacks.
 */
export function operatorSession(toolkit: Toolkit, rounds: number) {
  return function* session(world: World, random: Random): Steps {
    const { machine } = world;
    const operator = random.pick(world.people);
    const login = yield* logIn(world, random, operator, '10.0.4.1', toolkit.shell);
    const root = machine.spawn(login.shell, 'su', '-');
    machine.changeUser(root, world.user('root'));
    const shell = machine.spawn(root, toolkit.shell, '-l');
    const notes = `${operator.home}/incident-${random.between(100, 999)}`;
    const mkdir = machine.spawn(shell, 'mkdir', notes);
    machine.call('makeDirectory', mkdir, machine.files.create(`${notes}/`, operator, false));
    machine.exit(mkdir);

    for (let round = 0; round < rounds; round++) {
      keystrokes(world, random, login);
      const tool = random.pick(toolkit.tools);
      const path = random.pick(toolkit.inspected);
      if (random.chance(0.35)) {
        pipeline(world, shell, tool, random.pick(toolkit.tools), {
          reads: [path],
          output: `${notes}/session.txt`,
        });
      } else {
        yield* useTool(world, random, shell, tool, path, `${notes}/${tool}.${round}.out`);
      }
      yield seconds(random, 25);
      if (round % 6 === 5) yield* edit(world, random, shell, toolkit, random.pick(toolkit.edited));
      if (round % 9 === 8) yield* attach(world, random, shell, toolkit);
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
  machine.readFile(process, path, random.between(1, 4));
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
  machine.readFile(process, `/usr/share/misc/${tool}.conf`, 1);
  machine.writeFile(process, out, random.between(1, 5));
  yield seconds(random, 3);
  machine.exit(process);
}

function* edit(world: World, random: Random, shell: Process, toolkit: Toolkit, path: string): Steps {
  const { machine } = world;
  const editor = machine.spawn(shell, toolkit.editor, path);
  machine.readFile(editor, path, 2);
  const swap = machine.writeFile(editor, `${path}.swp`, 2, true);
  yield seconds(random, 40);
  machine.writeFile(editor, path, 2);
  machine.unlink(editor, swap);
  machine.exit(editor);
}

function* attach(world: World, random: Random, shell: Process, toolkit: Toolkit): Steps {
  const { machine } = world;
  const service = world.daemon(random.pick(toolkit.services));
  const tracer = machine.spawn(shell, toolkit.debugger, `-p ${service.pid}`);
  machine.readFile(tracer, `/proc/${service.pid}/mem`, 2);
  machine.call('signal', tracer, service);
  for (let i = 0; i < 12; i++) {
    machine.readFile(tracer, service.program.path, 1);
    yield seconds(random, 2);
  }
  machine.exit(tracer);
}
