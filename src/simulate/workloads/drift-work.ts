import type { Random } from '../../base/random.js';
import { millis, type World } from '../hosts/world.js';
import type { Program, ProgramTable } from '../kernel/programs.js';
import type { Steps } from '../kernel/scheduler.js';
import { type PackageManager, packageUpdate } from './rare-work.js';

/** An update of the whole system. */
export interface Release {
  readonly manager: PackageManager;
  readonly packages: readonly string[];
  /** Programs with a new path. */
  readonly moved: ProgramTable;
  readonly added: ProgramTable;
  /** Libraries that some programs load after the update. */
  readonly dependencies: readonly string[];
  /** Services that are restarted. */
  readonly restarted: readonly (readonly [role: string, program: string])[];
  /** Role of the process that restarts them. */
  readonly init: string;
}

/** Writes libraries of new versions and programs with new dependencies and paths, then restarts services. */
export function systemUpdate(release: Release, amount: number) {
  return function* update(world: World, random: Random): Steps {
    const { machine } = world;
    const install = () => {
      const before = new Set(machine.programs.files());
      const moved = Object.entries(release.moved);
      machine.programs.install(release.added);
      machine.programs.install(Object.fromEntries(moved.slice(0, Math.ceil(moved.length * amount))));
      machine.programs.revise((program) => rebuilt(program, release, amount, random));
      return machine.programs.files().filter((path) => !before.has(path) && !path.startsWith('/proc/'));
    };
    yield* packageUpdate(release.manager, release.packages, install)(world, random.stream('packages'));
    for (const [role, program] of release.restarted) {
      const old = world.daemon(role);
      world.assignRole(role, machine.spawn(world.daemon(release.init), program));
      yield millis(random, 500);
      machine.exit(old);
    }
  };
}

function rebuilt(program: Program, release: Release, amount: number, random: Random): Program {
  // A stream per name, so that a library changes the same way for every program that loads it.
  const drawn = (name: string, chance: number) => random.stream(name).chance(chance);
  const libraries = program.libraries.map((path) =>
    drawn(path, amount) ? path.replace(/\d+$/, (version) => String(Number(version) + 1)) : path,
  );
  const more = program.libraries.length === 0 ? [] : release.dependencies;
  return {
    ...program,
    libraries: [...libraries, ...more.filter((path) => drawn(`${program.path} ${path}`, 0.2 * amount))],
  };
}

/** A metrics service that a monitoring host polls. */
export interface Collector {
  readonly role: string;
  readonly program: string;
  readonly init: string;
  readonly port: number;
  readonly reads: readonly string[];
}

export function startCollector({ role, program, init }: Collector) {
  return function* start(world: World, random: Random): Steps {
    const { machine } = world;
    const server = world.assignRole(role, machine.spawn(world.daemon(init), program, '--web.listen'));
    yield millis(random, 50);
    machine.writeFile(server, `/var/run/${program}.pid`, 1);
  };
}

/** One poll of the metrics service. */
export function collect({ role, port, reads }: Collector) {
  return function* session(world: World, random: Random): Steps {
    const { machine } = world;
    const server = world.daemon(role);
    const flow = machine.accept(server, port, '10.0.4.31');
    machine.call('readSocket', server, flow, random.between(200, 400));
    for (const path of reads) machine.readFile(server, path, 1);
    yield millis(random, 20);
    machine.call('writeSocket', server, flow, random.between(4_000, 9_000));
    machine.call('close', server, flow);
  };
}

/** A new cron job that backs up changed files to another host. */
export interface Backup {
  readonly program: string;
  readonly helper: string;
  /** `#` stands for a number. */
  readonly reads: readonly string[];
  readonly cache: string;
}

export function backUp({ program, helper, reads, cache }: Backup) {
  return function* session(world: World, random: Random): Steps {
    const { machine } = world;
    const job = machine.fork(world.daemon('cron'));
    machine.changeUser(job, world.user('root'));
    const shell = machine.spawn(job, 'sh', '-c');
    const tool = machine.spawn(shell, program, 'backup --quiet');
    machine.exit(machine.spawn(tool, helper));
    const flow = machine.connect(tool, '10.0.4.90', 8000);
    for (let i = random.between(6, 14); i > 0; i--) {
      machine.readFile(tool, random.pick(reads).replace('#', String(random.between(1, 9))), 2);
      machine.call('sendTo', tool, flow, 16_384);
      if (random.chance(0.3)) machine.writeFile(tool, `${cache}/index-${random.below(40)}`, 1);
      yield millis(random, 60);
    }
    machine.call('receiveFrom', tool, flow, 120);
    machine.call('close', tool, flow);
    for (const process of [tool, shell, job]) machine.exit(process);
  };
}
