import type { Steps } from '../kernel/scheduler.js';
import { command, pipeline } from '../workloads/commands.js';
import { atHome, keystrokes, logIn, logOut } from '../workloads/remote-shell.js';
import type { Attack, AttackPlan } from './attack.js';

/** A login with a stolen key, then only programs that people run on this host every day. */
export const livingOffTheLand: AttackPlan = {
  name: 'living-off-the-land',
  livingOffTheLand: true,
  *steps(attack: Attack): Steps {
    const { world, random, surface } = attack;
    const { machine } = world;
    const victim = random.pick(world.people);

    attack.step('login with a stolen key, from the address of a desk');
    const desk = `10.0.4.${100 + (victim.uid % 100)}`;
    const session = yield* logIn(world, random, victim, desk, surface.shell);

    attack.step('looking round');
    for (let i = attack.scaleByStealth(16); i > 0; i--) {
      keystrokes(world, random, session);
      const secret = atHome({ reads: [random.pick(surface.secrets)] }, victim);
      const tool = random.pick(surface.recon);
      if (random.chance(0.3)) pipeline(world, session.shell, tool, 'grep', secret);
      else command(world, session.shell, tool, secret);
      yield attack.pause();
    }

    attack.step('documents packed');
    const bundle = `${victim.home}/notes/archive.tar`;
    const tar = machine.spawn(session.shell, surface.archiver, '-cf notes/archive.tar notes');
    for (let i = attack.scaleByStealth(10); i > 0; i--)
      machine.readFile(tar, `${victim.home}/notes/note${random.below(30)}.txt`, 2);
    const file = machine.writeFile(tar, bundle, 3);
    machine.exit(tar);
    yield attack.pause();

    attack.step('sent out with the usual client');
    for (let i = attack.scaleByStealth(4); i > 0; i--) {
      const upload = machine.spawn(session.shell, surface.uploader, '-s');
      machine.readFile(upload, bundle, 3);
      const flow = machine.connect(upload, attack.c2, 443);
      for (let n = random.between(3, 6); n > 0; n--) machine.call('sendTo', upload, flow, 16_384);
      yield 2e8 + random.below(1e9);
      machine.call('receiveFrom', upload, flow, 220);
      machine.call('close', upload, flow);
      machine.exit(upload);
      yield attack.pause();
    }

    attack.step('traces removed');
    const rm = machine.spawn(session.shell, 'rm', 'notes/archive.tar');
    machine.unlink(rm, file);
    machine.exit(rm);
    logOut(world, session);
  },
};
