import type { Steps } from '../kernel/scheduler.js';
import { command } from '../workloads/commands.js';
import { keystrokes, logIn, logOut } from '../workloads/remote-shell.js';
import type { Attack, AttackPlan } from './attack.js';

/** A stolen login drops a scanner, scans the network and connects to other hosts with ssh. */
export const scanAndLateral: AttackPlan = {
  name: 'scan-and-lateral',
  *steps(attack: Attack): Steps {
    const { world, random, surface } = attack;
    const { machine } = world;
    const victim = random.pick(world.people);

    attack.step('login with a stolen password');
    const session = yield* logIn(world, random, victim, attack.c2, surface.shell);
    for (let i = attack.scaleByStealth(6); i > 0; i--) {
      keystrokes(world, random, session);
      command(world, session.shell, random.pick(surface.recon), { reads: ['/etc/hosts'] });
      yield attack.pause();
    }

    attack.step('a scanner is fetched');
    const fetch = machine.spawn(session.shell, surface.uploader, '-sO');
    const flow = machine.connect(fetch, attack.c2, 80);
    for (let i = 0; i < 8; i++) machine.call('receiveFrom', fetch, flow, 8_192);
    const tool = attack.dropImplant(fetch);
    machine.exit(fetch);
    yield attack.pause();
    attack.step('the scanner runs');
    const scanner = machine.spawn(session.shell, tool.name);
    yield* attack.scan(scanner);
    attack.step('what the scan found');
    const found = machine.writeFile(scanner, `${victim.home}/notes/hosts.txt`, 2);
    machine.exit(scanner);

    attack.step('ssh to the neighbours');
    for (let i = attack.scaleByStealth(6); i > 0; i--) {
      keystrokes(world, random, session);
      const ssh = machine.spawn(session.shell, 'ssh', `admin@${surface.network}.${10 + i}`);
      machine.readFile(ssh, `${victim.home}/.ssh/id_rsa`, 1);
      machine.readFile(ssh, `${victim.home}/.ssh/known_hosts`, 1);
      const hop = machine.connect(ssh, `${surface.network}.${10 + i}`, 22);
      for (let n = 4; n > 0; n--) {
        machine.call('writeSocket', ssh, hop, 400);
        machine.call('readSocket', ssh, hop, 600);
        yield attack.pause(0.2);
      }
      machine.call('close', ssh, hop);
      machine.exit(ssh);
    }

    attack.step('traces removed');
    const rm = machine.spawn(session.shell, 'rm', '-f');
    machine.unlink(rm, tool);
    machine.unlink(rm, found);
    machine.exit(rm);
    logOut(world, session);
  },
};
