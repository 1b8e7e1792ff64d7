import type { Steps } from '../kernel/scheduler.js';
import { command } from '../workloads/commands.js';
import { openMailer } from '../workloads/desktop.js';
import { atHome } from '../workloads/remote-shell.js';
import type { Attack, AttackPlan } from './attack.js';

/** The attachment of a mail runs a payload, which collects documents and sends them out. */
export const phishing: AttackPlan = {
  name: 'phishing',
  *steps(attack: Attack): Steps {
    const { world, random, surface } = attack;
    const { machine } = world;
    const victim = random.pick(world.people);

    attack.step('the attachment arrives with the mail');
    const mailer = attack.startedInTest(() => openMailer(world, victim));
    attack.markTouched(mailer);
    const name = attack.stealth < 0.34 ? 'invoice.sh' : `attachment${random.between(60, 99)}.odt`;
    const attachment = machine.writeFile(mailer, `${victim.home}/Downloads/${name}`, 4);
    yield attack.pause();

    attack.step('the attachment is opened and its macro runs');
    const viewer = machine.spawn(mailer, 'soffice.bin', attachment.name);
    machine.readFile(viewer, attachment.name, 4);
    machine.map(viewer, 1 << 20);
    yield attack.pause(0.3);
    const shell = machine.spawn(viewer, surface.shell, '-c');

    attack.step('the payload is fetched and run');
    const fetch = machine.spawn(shell, surface.uploader, '-sO');
    const flow = machine.connect(fetch, attack.c2, 443);
    machine.call('sendTo', fetch, flow, 150);
    for (let i = random.between(5, 10); i > 0; i--) machine.call('receiveFrom', fetch, flow, 8_192);
    const file = attack.dropImplant(fetch);
    machine.exit(fetch);
    const payload = machine.spawn(shell, file.name);
    yield* attack.beacon(payload, 443, attack.scaleByStealth(6));
    yield* attack.searchForSecrets(payload);

    attack.step('documents gathered');
    for (let i = attack.scaleByStealth(20); i > 0; i--) {
      if (random.chance(0.5))
        command(
          world,
          payload,
          random.pick(surface.recon),
          atHome({ reads: [random.pick(surface.secrets)] }, victim),
        );
      else machine.readFile(payload, random.pick(surface.secrets).replace('~', victim.home), 3);
      yield attack.pause();
    }

    attack.step('documents sent out');
    const out = machine.connect(payload, attack.c2, 443);
    for (let i = attack.scaleByStealth(40); i > 0; i--) {
      machine.call('sendTo', payload, out, 16_384);
      yield attack.pause(0.1);
    }
    machine.call('close', payload, out);

    attack.step('traces removed');
    machine.unlink(payload, file);
    machine.exit(payload);
    machine.exit(shell);
    machine.exit(viewer);
  },
};
