import type { Random } from '../../base/random.js';
import { MILLISECOND, SECOND } from '../calendar.js';
import { millis, publicAddress, type World } from '../hosts/world.js';
import type { Steps } from '../kernel/scheduler.js';

const ERROR_LOG = '/var/log/nginx-error.log';
const ACCESS_LOG = '/var/log/nginx-access.log';
const PAGES = 240;

function pickWorker(world: World, random: Random) {
  return world.daemon(`nginx worker ${random.below(2)}`);
}

/** Serves a visitor: a connection, a few requests, pages from disk, the access log. */
export function* visit(world: World, random: Random): Steps {
  const { machine } = world;
  const worker = pickWorker(world, random);
  // Most visits come from a few addresses, as in a real access log.
  const address = random.chance(0.7)
    ? `10.0.${random.below(4)}.${random.between(2, 40)}`
    : publicAddress(random);
  const flow = machine.accept(worker, 80, address);
  machine.call('control', worker);
  for (let request = random.burst(3, 12); request > 0; request--) {
    machine.call('receiveFrom', worker, flow, random.between(200, 900));
    const page = Math.floor(PAGES * random.float() ** 3);
    const file = machine.files.get(`/usr/local/www/site/${page % 7 === 0 ? 'img' : 'page'}/${page}.html`);
    machine.call('open', worker, file);
    if (random.chance(0.15)) {
      // nginx spools uploads to disk.
      const body = machine.writeFile(
        worker,
        `/var/tmp/nginx/client_body_temp/${random.between(1, 400)}`,
        2,
        true,
      );
      yield millis(random, 4);
      machine.unlink(worker, body);
    }
    machine.call('read', worker, file, random.between(1_000, 30_000));
    machine.call('sendTo', worker, flow, random.between(1_000, 30_000));
    machine.call('close', worker, file);
    machine.append(worker, ACCESS_LOG);
    for (let i = random.between(2, 6); i > 0; i--) machine.append(worker, ERROR_LOG);
    yield millis(random, 700);
    if (worker.ended) return;
  }
  machine.call('close', worker, flow);
}

/** A debug log that was left on: one file with a third of all events. Real hosts have such hubs. */
export function* debugLog(world: World, random: Random): Steps {
  const { machine } = world;
  for (let i = random.between(60, 140); i > 0; i--) {
    const worker = world.daemon('nginx worker 0');
    machine.append(worker, ERROR_LOG);
    if (random.chance(0.3)) yield random.between(40, 260) * MILLISECOND;
  }
}

/** `nginx -s reload`: the master starts new workers and stops the old ones. */
export function* reloadWorkers(world: World, random: Random): Steps {
  const { machine } = world;
  const master = world.daemon('nginx master');
  machine.readFile(master, '/usr/local/etc/nginx/nginx.conf', 2);
  for (let index = 0; index < 2; index++) {
    const role = `nginx worker ${index}`;
    const old = world.find(role);
    const worker = machine.fork(master);
    machine.changeUser(worker, world.user('www'));
    machine.call('open', worker, machine.files.get(ERROR_LOG));
    machine.call('open', worker, machine.files.get(ACCESS_LOG));
    world.assignRole(role, worker);
    yield millis(random, 30);
    if (old) {
      machine.call('signal', master, old);
      yield 2 * SECOND;
      machine.exit(old);
    }
  }
}
