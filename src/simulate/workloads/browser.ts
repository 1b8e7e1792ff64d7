import type { Random } from '../../base/random.js';
import { millis, publicAddress, type World } from '../hosts/world.js';
import type { Process, Unit, User } from '../kernel/entities.js';
import type { Steps } from '../kernel/scheduler.js';

/** Finds the browser of a user, or starts it. */
export function openBrowser(world: World, user: User): Process {
  const role = `firefox ${user.name}`;
  const running = world.find(role);
  if (running && !running.ended) return running;
  const { machine } = world;
  const browser = machine.spawn(world.daemon('session'), 'firefox');
  if (browser.user !== user) machine.changeUser(browser, user);
  const profile = profileFolder(user);
  for (const name of ['prefs.js', 'places.sqlite', 'cookies.sqlite', 'extensions.json', 'cert8.db']) {
    machine.readFile(browser, `${profile}/${name}`, 2);
  }
  return world.assignRole(role, browser);
}

function profileFolder(user: User): string {
  return `${user.home}/.mozilla/firefox/k2x8.default`;
}

/** The address of a web site: a few popular ones and a long tail. */
function pickSite(random: Random): string {
  const popular = Math.floor(40 * random.float() ** 2);
  return random.chance(0.75)
    ? `104.${16 + popular}.${(popular * 7) % 256}.${(popular * 13) % 256}`
    : publicAddress(random);
}

/**
 * Loads pages: name lookup, a few connections, cache and history on disk, memory mapped and made executable for scripts.
 * With `units`, each page is an execution unit, as in TRACE's instrumented browser.
 */
export function browse(units: boolean) {
  return function* session(world: World, random: Random): Steps {
    const { machine } = world;
    const user = random.pick(world.people);
    const browser = openBrowser(world, user);
    const profile = profileFolder(user);
    for (let page = random.burst(3, 10); page > 0; page--) {
      if (browser.ended) return;
      const actor: Process | Unit = units ? machine.unit(browser) : browser;
      lookUp(world, random, browser, actor);
      for (let connection = random.burst(3, 9); connection > 0; connection--) {
        const flow = machine.connect(browser, pickSite(random), random.chance(0.8) ? 443 : 80);
        machine.call('sendTo', actor, flow, random.between(200, 900));
        yield millis(random, 30);
        for (let i = random.burst(8, 60); i > 0; i--)
          machine.call('receiveFrom', actor, flow, random.between(500, 16_384));
        if (random.chance(0.05)) machine.call('readSocket', actor, flow, 100);
        if (random.chance(0.02)) machine.call('writeSocket', actor, flow, 100);
        cache(world, random, actor, user);
        machine.call('close', actor, flow);
      }
      for (let i = random.between(1, 5); i > 0; i--) {
        const memory = machine.map(browser, 1 << 20);
        if (random.chance(0.6)) machine.call('protect', browser, memory);
      }
      const history = machine.files.get(`${profile}/places.sqlite`);
      machine.call('read', actor, history, 4096);
      machine.call('write', actor, history, 4096);
      if (random.chance(0.1))
        machine.unlink(browser, machine.writeFile(browser, `${profile}/places.sqlite-wal`, 3, true));
      if (random.chance(0.03))
        machine.writeFile(browser, `${user.home}/Downloads/file${random.below(300)}.pdf`, 6);
      yield millis(random, 12_000);
    }
  };
}

function lookUp(world: World, random: Random, browser: Process, actor: Process | Unit): void {
  const { machine } = world;
  const resolver = machine.connect(browser, '10.0.4.1', 53);
  machine.call('sendTo', actor, resolver, 40);
  machine.call('receiveFrom', actor, resolver, random.between(60, 300));
  machine.call('close', actor, resolver);
}

function cache(world: World, random: Random, actor: Process | Unit, user: User): void {
  const { machine } = world;
  // The cache of a browser is full after a day and reuses its files.
  const entry = Math.floor(1_500 * random.float() ** 2);
  const file = machine.files.get(
    `${user.home}/.cache/mozilla/firefox/cache2/entries/${entry.toString(16).toUpperCase()}`,
  );
  machine.call(random.chance(0.5) ? 'openForWriting' : 'open', actor, file);
  for (let i = random.burst(2, 8); i > 0; i--)
    machine.call(random.chance(0.5) ? 'write' : 'read', actor, file, 4096);
  machine.call('close', actor, file);
}

/** Quits all browsers at the end of the working day. */
export function* quitBrowsers(world: World, random: Random): Steps {
  for (const user of world.people) {
    const role = `firefox ${user.name}`;
    const browser = world.find(role);
    if (!browser) continue;
    world.machine.writeFile(browser, `${profileFolder(user)}/sessionstore.js`, 2);
    world.machine.exit(browser);
    world.clearRole(role);
    yield millis(random, 60_000);
  }
}
