import type { Steps } from '../kernel/scheduler.js';
import { command } from '../workloads/commands.js';
import { atHome } from '../workloads/remote-shell.js';
import type { Attack, AttackPlan } from './attack.js';

/** A cron job reads and sends a little data again and again, for hours. */
export const slowTheft: AttackPlan = {
  name: 'slow-theft',
  *steps(attack: Attack): Steps {
    const { world, random, surface } = attack;
    const { machine } = world;
    const victim = random.pick(world.people);
    // A stealthy attacker takes less at a time and gives the script an ordinary name.
    const script = attack.stealth < 0.34 ? `/tmp/.${random.below(1e6)}.sh` : `${victim.home}/bin/sync.sh`;

    attack.step('a job installed among the scheduled ones');
    const installer = machine.spawn(world.daemon('cron'), surface.shell, '-c');
    machine.changeUser(installer, victim);
    machine.writeFile(installer, script, 1);
    machine.exit(installer);

    const rounds = 2 + attack.scaleBySize(6);
    const share = attack.scaleBySize(1 + 9 * (1 - attack.stealth) ** 2);
    for (let round = 0; round < rounds; round++) {
      yield attack.pause(2);
      attack.step(`round ${round + 1}: a little read, a little sent`);
      const job = machine.fork(world.daemon('cron'));
      machine.changeUser(job, victim);
      const shell = machine.spawn(job, surface.shell, script);
      machine.readFile(shell, script, 1);
      for (let i = 0; i < share; i++) {
        command(world, shell, 'cat', atHome({ reads: [random.pick(surface.secrets)] }, victim));
      }
      const upload = machine.spawn(shell, surface.uploader, '-s');
      const flow = machine.connect(upload, attack.c2, 443);
      for (let i = 0; i < share; i++) machine.call('sendTo', upload, flow, random.between(200, 1_400));
      yield 1e8 + random.below(4e8);
      machine.call('receiveFrom', upload, flow, 120);
      machine.call('close', upload, flow);
      machine.exit(upload);
      machine.exit(shell);
      machine.exit(job);
    }
  },
};
