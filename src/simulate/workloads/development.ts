import type { Random } from '../../base/random.js';
import { millis, seconds, type World } from '../hosts/world.js';
import type { Process, User } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';
import { command } from './commands.js';

const PROJECTS = ['kernel-tools', 'webapp', 'parser'] as const;

function workTree(user: User, project: string): string {
  return `${user.home}/src/${project}`;
}

function shellFor(world: World, user: User): Process {
  const shell = world.machine.spawn(world.daemon('session'), 'bash');
  if (shell.user !== user) world.machine.changeUser(shell, user);
  return shell;
}

/** make: a shell, a driver, a compiler and an assembler for every file, and a linker at the end. */
export function* build(world: World, random: Random): Steps {
  const { machine } = world;
  const user = random.pick(world.people);
  const tree = workTree(user, random.pick(PROJECTS));
  const shell = shellFor(world, user);
  const make = machine.spawn(shell, 'make', '-j2');
  machine.readFile(make, `${tree}/Makefile`, 2);
  const units = random.burst(7, 40);
  for (let i = 0; i < units; i++) {
    const part = Math.floor(120 * random.float() ** 2);
    yield* compile(world, random, make, `${tree}/lib/unit${part}`);
  }
  const collect = machine.spawn(machine.spawn(make, 'gcc', '-o app'), 'collect2');
  const linker = machine.spawn(collect, 'ld', '-o app');
  for (let i = 0; i < units; i++)
    machine.readFile(linker, `${tree}/lib/unit${Math.floor(120 * random.float() ** 2)}.o`, 1);
  const program = machine.writeFile(linker, `${tree}/app`, 4);
  machine.call('changeMode', linker, program);
  machine.exit(linker);
  machine.exit(collect);
  if (collect.parent) machine.exit(collect.parent);
  machine.exit(make);
  machine.exit(shell);
}

function* compile(world: World, random: Random, make: Process, unit: string): Steps {
  const { machine } = world;
  const shell = machine.spawn(make, 'sh', '-c gcc');
  const driver = machine.spawn(shell, 'gcc', `-c ${unit}.c`);
  const assembly = `/tmp/cc${random.below(100_000)}.s`;
  const compiler = machine.spawn(driver, 'cc1', `${unit}.c -o ${assembly}`);
  machine.readFile(compiler, `${unit}.c`, 2);
  for (let i = random.between(6, 20); i > 0; i--) {
    machine.readFile(
      compiler,
      `/usr/include/${random.pick(['sys', 'linux', 'bits', 'asm'])}/h${Math.floor(80 * random.float() ** 2)}.h`,
      1,
    );
  }
  for (let i = random.between(2, 6); i > 0; i--) {
    const memory = machine.map(compiler, 1 << 20);
    if (random.chance(0.1)) machine.call('protect', compiler, memory);
  }
  const temporary = machine.writeFile(compiler, assembly, 3, true);
  yield millis(random, 60);
  machine.exit(compiler);
  const assembler = machine.spawn(driver, 'as', `-o ${unit}.o ${assembly}`);
  machine.call('open', assembler, temporary);
  machine.call('read', assembler, temporary, 65_536);
  machine.writeFile(assembler, `${unit}.o`, 2);
  machine.exit(assembler);
  machine.unlink(driver, temporary);
  machine.exit(driver);
  machine.exit(shell);
  yield millis(random, 20);
}

/** git: reads many small files under .git and renames lock files. */
export function* versionControl(world: World, random: Random): Steps {
  const { machine } = world;
  const user = random.pick(world.people);
  const tree = workTree(user, random.pick(PROJECTS));
  const shell = shellFor(world, user);
  const git = machine.spawn(shell, 'git', random.pick(['status', 'diff', 'commit -a', 'log']));
  machine.readFile(git, `${tree}/.git/config`, 1);
  machine.readFile(git, `${tree}/.git/index`, 3);
  for (let i = random.burst(12, 60); i > 0; i--) {
    machine.readFile(
      git,
      `${tree}/.git/objects/${random.below(256).toString(16).padStart(2, '0')}/object`,
      1,
    );
  }
  if (random.chance(0.4)) {
    const lock = machine.writeFile(git, `${tree}/.git/index.lock`, 2, true);
    yield millis(random, 30);
    machine.rename(git, lock, `${tree}/.git/index`);
    if (random.chance(0.004)) machine.call('link', git, machine.files.get(`${tree}/.git/packed-refs`));
  }
  if (random.chance(0.15)) {
    const ssh = machine.spawn(git, 'ssh', 'git@10.0.4.30');
    machine.readFile(ssh, `${user.home}/.ssh/id_rsa`, 1);
    machine.readFile(ssh, `${user.home}/.ssh/known_hosts`, 1);
    const flow = machine.connect(ssh, '10.0.4.30', 22);
    for (let i = random.between(4, 20); i > 0; i--) {
      machine.call('writeSocket', ssh, flow, 500);
      machine.call('readSocket', ssh, flow, 2_000);
    }
    machine.call('close', ssh, flow);
    machine.exit(ssh);
  }
  machine.exit(git);
  machine.exit(shell);
}

/** Edits a source file, with a swap file beside it. */
export function* editSource(world: World, random: Random): Steps {
  const { machine } = world;
  const user = random.pick(world.people);
  const path = `${workTree(user, random.pick(PROJECTS))}/lib/unit${Math.floor(120 * random.float() ** 2)}.c`;
  const shell = shellFor(world, user);
  const editor = machine.spawn(shell, random.chance(0.6) ? 'vim' : 'emacs', path);
  machine.readFile(editor, path, 2);
  const swap = machine.writeFile(editor, `${path}.swp`, 1, true);
  for (let i = random.burst(4, 20); i > 0; i--) {
    yield seconds(random, 30);
    machine.call('write', editor, swap, 4096);
    if (random.chance(0.4)) machine.writeFile(editor, path, 1);
  }
  machine.unlink(editor, swap);
  machine.exit(editor);
  machine.exit(shell);
}

/** Runs tests: many imports, temporary files, a report. */
export function* runTests(world: World, random: Random): Steps {
  const { machine } = world;
  const user = random.pick(world.people);
  const tree = workTree(user, 'webapp');
  const shell = shellFor(world, user);
  const python = machine.spawn(shell, 'python3', '-m pytest');
  for (let i = random.between(10, 30); i > 0; i--) {
    machine.readFile(python, `/usr/lib/python3.5/mod${Math.floor(90 * random.float() ** 2)}.py`, 1);
  }
  for (let i = random.burst(5, 25); i > 0; i--) {
    machine.readFile(python, `${tree}/tests/test${random.below(50)}.py`, 1);
    const temporary = machine.writeFile(python, `/tmp/pytest-of-user/test${random.below(500)}.db`, 2, true);
    yield millis(random, 150);
    machine.unlink(python, temporary);
    if (random.chance(0.2)) command(world, python, 'sh', { args: '-c true' });
  }
  machine.writeFile(python, `${tree}/report.xml`, 2);
  machine.exit(python);
  machine.exit(shell);
}
