import type { Random } from '../../base/random.js';
import { MILLISECOND } from '../calendar.js';
import { millis, seconds, type World } from '../hosts/world.js';
import type { Steps } from '../kernel/scheduler.js';
import { command, pipeline } from './commands.js';

/** The package manager of a host. */
export interface PackageManager {
  readonly parent: string;
  readonly tool: string;
  readonly unpacker: string;
  readonly database: string;
  readonly mirror: string;
  /** Paths of a package's files; `%` is the package name. */
  readonly targets: readonly string[];
}

/** Downloads packages and unpacks them over the old files. `release` changes the host's programs and names their files. */
export function packageUpdate(
  manager: PackageManager,
  packages: readonly string[],
  release: (() => readonly string[]) | undefined = undefined,
) {
  return function* update(world: World, random: Random): Steps {
    const { machine } = world;
    const tool = machine.spawn(world.daemon(manager.parent), manager.tool, 'upgrade -y');
    const flow = machine.connect(tool, manager.mirror, 80);
    for (const name of packages) {
      machine.call('sendTo', tool, flow, 200);
      for (let i = random.between(3, 10); i > 0; i--) machine.call('receiveFrom', tool, flow, 65_536);
      yield millis(random, 300);
      const archive = machine.writeFile(tool, `/var/cache/pkg/${name}.txz`, 4, true);
      const unpacker = machine.spawn(tool, manager.unpacker, name);
      for (const target of manager.targets) {
        const path = target.replace('%', name);
        const fresh = machine.writeFile(unpacker, `${path}.new`, random.between(1, 3), true);
        machine.call('changeMode', unpacker, fresh);
        machine.rename(unpacker, fresh, path);
      }
      machine.exit(unpacker);
      machine.writeFile(tool, manager.database, 2);
      machine.unlink(tool, archive);
    }
    if (release !== undefined) {
      const unpacker = machine.spawn(tool, manager.unpacker, 'release');
      for (const path of release()) machine.writeFile(unpacker, path, random.between(1, 3), true);
      machine.exit(unpacker);
    }
    machine.call('close', tool, flow);
    machine.exit(tool);
  };
}

/** Restores a backup into a new folder and checks it: hundreds of reads and new files. */
export function restoreBackup(parent: string, unpacker: string, checker: string, files: number) {
  return function* restore(world: World, random: Random): Steps {
    const { machine } = world;
    const tar = machine.spawn(world.daemon(parent), unpacker, '-xpf /backup/weekly.tar');
    const archive = machine.files.get('/backup/weekly.tar');
    machine.call('open', tar, archive);
    for (let i = 0; i < files; i++) {
      machine.call('read', tar, archive, 10_240);
      machine.writeFile(tar, `/restore/home/user${i % 5}/doc${i % 40}/file${i}.dat`, 2);
      yield millis(random, 15);
      if (i % 10 === 9) {
        command(world, tar, checker, { reads: [`/restore/home/user${i % 5}/doc${i % 40}/file${i}.dat`] });
      }
    }
    machine.exit(tar);
  };
}

/** Builds a source tree with a new compiler: hundreds of processes with new names. */
export function compilerUpgrade(
  parent: string,
  driver: string,
  compiler: string,
  linker: string,
  units: number,
) {
  return function* upgrade(world: World, random: Random): Steps {
    const { machine } = world;
    const make = machine.spawn(world.daemon(parent), driver, 'CC=new all');
    for (let i = 0; i < units; i++) {
      const source = `/usr/src/lib/module${i % 23}/part${i}.c`;
      const compile = machine.spawn(make, compiler, `-c ${source}`);
      machine.readFile(compile, source, 2);
      for (let h = random.between(3, 8); h > 0; h--)
        machine.readFile(compile, `/usr/include/new/header${random.below(60)}.h`, 1);
      const temporary = machine.writeFile(compile, `/tmp/new-cc-${random.below(1000)}.s`, 2, true);
      machine.writeFile(compile, `/usr/obj/new/module${i % 23}/part${i}.o`, 2);
      machine.unlink(compile, temporary);
      machine.exit(compile);
      yield millis(random, 120);
      if (i % 12 === 11) {
        const link = machine.spawn(make, linker, '-shared');
        for (let o = 0; o < 6; o++) machine.readFile(link, `/usr/obj/new/module${i % 23}/part${i - o}.o`, 1);
        machine.writeFile(link, `/usr/obj/new/libmodule${i % 23}.so`, 4);
        machine.exit(link);
      }
    }
    machine.exit(make);
  };
}

/** Installs and starts a new service and serves requests. */
export function deployService(options: {
  parent: string;
  installer: string;
  server: string;
  client: string;
  port: number;
  user: string;
  data: string;
  /** Number of connections that it serves. */
  rounds: number;
}) {
  return function* deploy(world: World, random: Random): Steps {
    const { machine } = world;
    const parent = world.daemon(options.parent);
    command(world, parent, options.installer, {
      args: `install ${options.server}`,
      writes: [`${options.data}/.keep`],
    });
    const account = world.addUser(options.user, 535, options.data);
    const server = machine.spawn(parent, options.server, 'daemonize yes');
    machine.changeUser(server, account);
    world.assignRole(options.server, server);
    machine.writeFile(server, `${options.data}/server.pid`, 1);
    for (let round = 0; round < options.rounds; round++) {
      const flow = machine.accept(server, options.port, '10.0.4.12');
      for (let i = random.between(2, 12); i > 0; i--) {
        machine.call('readSocket', server, flow, random.between(30, 300));
        machine.call('writeSocket', server, flow, random.between(5, 4_000));
        yield random.between(1, 60) * MILLISECOND;
      }
      machine.call('close', server, flow);
      if (round % 20 === 19) {
        const dump = machine.writeFile(server, `${options.data}/temp-${server.pid}.rdb`, 3, true);
        machine.rename(server, dump, `${options.data}/dump.rdb`);
        command(world, parent, options.client, { args: 'info' });
      }
      yield seconds(random, 60);
    }
  };
}

/** Creates an account with a home folder and its first files. */
export function newUser(parent: string, tool: string, name: string, uid: number, homes: string) {
  return function* create(world: World, random: Random): Steps {
    const { machine } = world;
    const process = machine.spawn(world.daemon(parent), tool, name);
    const home = `${homes}/${name}`;
    const user = world.addUser(name, uid, home);
    for (const path of ['/etc/passwd', '/etc/group']) {
      const fresh = machine.writeFile(process, `${path}.edit`, 1, true);
      machine.rename(process, fresh, path);
    }
    machine.call('makeDirectory', process, machine.files.create(`${home}/`, user, false));
    for (const file of ['.profile', '.bashrc', '.bash_history'])
      machine.writeFile(process, `${home}/${file}`, 1);
    yield millis(random, 200);
    pipeline(world, process, 'ls', 'grep', { reads: [`${home}/.profile`] });
    machine.exit(process);
  };
}
