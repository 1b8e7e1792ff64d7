import type { Random } from '../../base/random.js';
import { millis, type World } from '../hosts/world.js';
import type { Steps } from '../kernel/scheduler.js';

const DATA = '/usr/local/pgsql/data';

/** The statistics collector of PostgreSQL rewrites small files all day, each time with a new inode. */
export function* collectStatistics(world: World, random: Random): Steps {
  const { machine } = world;
  const collector = world.daemon('postgres stats');
  const loopback = world.daemon('postgres writer');
  for (let round = random.between(2, 6); round > 0; round--) {
    for (const name of ['global', 'db_0', `db_${16_384 + random.below(3)}`]) {
      const file = machine.writeFile(collector, `${DATA}/pg_stat_tmp/${name}.tmp`, 2);
      machine.rename(collector, file, `${DATA}/pg_stat_tmp/${name}.stat`);
    }
    yield millis(random, 200);
    machine.readFile(loopback, `${DATA}/pg_stat_tmp/global.stat`, 2);
    machine.call('seek', loopback, machine.files.get(`${DATA}/pg_xlog/000000010000000000000001`));
    machine.append(loopback, `${DATA}/pg_xlog/000000010000000000000001`);
    yield millis(random, 400);
  }
}

/** An application connects, PostgreSQL forks a backend, and its queries read and write table files. */
export function* query(world: World, random: Random): Steps {
  const { machine } = world;
  const backend = machine.fork(world.daemon('postgres'));
  const flow = machine.accept(backend, 5432, '127.0.0.1');
  machine.readFile(backend, `${DATA}/global/pg_filenode.map`, 1);
  for (let statement = random.burst(4, 20); statement > 0; statement--) {
    machine.call('receiveFrom', backend, flow, random.between(60, 400));
    for (let page = random.burst(2, 8); page > 0; page--) {
      const table = machine.files.get(`${DATA}/base/16384/${16_400 + Math.floor(60 * random.float() ** 2)}`);
      machine.call('seek', backend, table);
      machine.call('read', backend, table, 8192);
      if (random.chance(0.15)) machine.call('write', backend, table, 8192);
    }
    machine.call('sendTo', backend, flow, random.between(80, 4_000));
    yield millis(random, 25);
  }
  machine.call('close', backend, flow);
  machine.exit(backend);
}
